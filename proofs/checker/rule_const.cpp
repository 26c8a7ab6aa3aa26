#include "rules.hpp"

namespace kvcheck {
namespace {

/// A relation, and the variables bound around it, outermost first.
struct Place {
    const Formula* relation = nullptr;
    std::vector<const Bound*> bounds;
};

/// Finds relation number `wanted`, counting down.
bool find(const Formula& part, mpz_class& wanted, Place& place) {
    if (part.kind == Formula::Kind::relation) {
        place.relation = &part;
        return --wanted == 0;
    }
    for (const Bound& bound : part.bounds) place.bounds.push_back(&bound);
    for (const Formula& inner : part.parts) {
        if (find(inner, wanted, place)) return true;
    }
    place.bounds.resize(place.bounds.size() - part.bounds.size());
    return false;
}

} // namespace

void check_relation(Check& check, const Formula& relation) {
    switch (check.evaluator.truth(relation)) {
    case Truth::yes: return;
    case Truth::no: throw Invalid{6, "verdict_differs"};
    case Truth::open: check.not_decided();
    }
}

void check_counterexample(Check& check) {
    std::optional<mpz_class> number = read_integer(check.records.take("at", 1)[0]);
    Place place;
    if (!number || *number < 1 || !find(check.statement.formula, *number, place)) check.records.bad();
    read_point(check, place.bounds);
    if (check.evaluator.truth(*place.relation) != Truth::no) check.not_decided();
}

void read_point(Check& check, const std::vector<const Bound*>& bounds) {
    for (const Bound* bound : bounds) {
        const auto fields = check.records.take("value", 2);
        const std::optional<mpq_class> value = read_rational(fields[1]);
        if (fields[0] != bound->name || !value || *value < bound->range.lo || *value > bound->range.hi) {
            check.records.bad();
        }
        if (bound->integer && value->get_den() != 1) check.records.bad();
        check.evaluator.set(bound->slot, {*value, *value});
    }
}

} // namespace kvcheck
