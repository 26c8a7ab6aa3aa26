#include "rules.hpp"

namespace kvcheck {
namespace {

void collect(const Formula& part, std::vector<const Bound*>& bounds, std::vector<const Formula*>& relations) {
    if (part.kind == Formula::Kind::relation) relations.push_back(&part);
    for (const Bound& bound : part.bounds) bounds.push_back(&bound);
    for (const Formula& inner : part.parts) collect(inner, bounds, relations);
}

} // namespace

void check_enumeration(Check& check, const Formula& forall) {
    std::vector<const Bound*> bounds;
    std::vector<const Formula*> relations;
    collect(forall, bounds, relations);
    mpz_class count = 1;
    for (const Bound* b : bounds) count *= mpq_class(b->range.hi - b->range.lo + 1).get_num();

    const std::optional<mpz_class> cases = read_integer(check.records.take("cases", 1)[0]);
    if (!cases || *cases < 0) check.records.bad();
    if (*cases != count) throw Invalid{check.records.line(), "bad_count"};
    check.cases += count;

    const auto value = [&check](const Bound* b) -> const mpq_class& {
        return check.evaluator.range(b->slot).lo;
    };
    for (const Bound* b : bounds) check.evaluator.set(b->slot, {b->range.lo, b->range.lo});
    while (true) {
        for (const Formula* relation : relations) {
            const Truth truth = check.evaluator.truth(*relation);
            if (truth == Truth::no) throw Invalid{6, "verdict_differs"};
            if (truth == Truth::open) throw Invalid{check.records.line(), "not_decided"};
        }
        // The next instance: the last variable runs fastest.
        std::size_t i = bounds.size();
        while (i > 0 && value(bounds[i - 1]) == bounds[i - 1]->range.hi) {
            --i;
            check.evaluator.set(bounds[i]->slot, {bounds[i]->range.lo, bounds[i]->range.lo});
        }
        if (i == 0) return;
        const mpq_class next = value(bounds[i - 1]) + 1;
        check.evaluator.set(bounds[i - 1]->slot, {next, next});
    }
}

} // namespace kvcheck
