#include "rules.hpp"

namespace kvcheck {
namespace {

void collect(const Formula& part, std::vector<const Formula*>& relations) {
    if (part.kind == Formula::Kind::relation) relations.push_back(&part);
    for (const Formula& inner : part.parts) collect(inner, relations);
}

bool all_true(Check& check, const std::vector<const Formula*>& relations) {
    for (const Formula* relation : relations) {
        if (check.evaluator.truth(*relation) != Truth::yes) return false;
    }
    return true;
}

} // namespace

void check_printed(Check& check, const Formula& printed, std::string_view verdict) {
    std::vector<const Formula*> relations;
    collect(printed, relations);
    std::vector<const Bound*> bounds;
    for (const Bound& bound : printed.bounds) {
        bounds.push_back(&bound);
        check.evaluator.set(bound.slot, bound.range);
    }
    if (verdict == "supported") {
        (void)check.records.take("holds", 0);
        read_point(check, bounds);
        if (!all_true(check, relations)) check.not_decided();
        check_counterexample(check);
        return;
    }
    check_leaves(check, bounds, [&] {
        bool decided = false;
        if (verdict == "proved") {
            (void)check.records.take("leaf", 0);
            decided = all_true(check, relations);
        } else { // relation K fails on all of the box
            const std::optional<mpz_class> number = read_integer(check.records.take("leaf", 1)[0]);
            if (!number || *number < 1 || *number > relations.size()) check.records.bad();
            decided = check.evaluator.truth(*relations[number->get_ui() - 1]) == Truth::no;
        }
        if (!decided) throw Invalid{check.records.line(), "not_decided"};
    });
}

} // namespace kvcheck
