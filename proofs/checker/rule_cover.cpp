#include "rules.hpp"

namespace kvcheck {
namespace {

/// A split on the way to the box at hand: which half that is in, and what the other end of the side was.
struct Frame {
    const Bound* bound;
    mpq_class at, other;
    bool lower;
};

constexpr unsigned most_splits = 65536;

} // namespace

/// Depth first, the lower half of a split before the upper one.
void check_leaves(Check& check, const std::vector<const Bound*>& bounds, const std::function<void()>& leaf) {
    std::vector<Frame> path;
    unsigned splits = 0;
    while (true) {
        if (check.records.peek().starts_with("split ")) {
            const auto fields = check.records.take("split", 2);
            const Bound* bound = nullptr;
            for (const Bound* b : bounds) {
                if (b->name == fields[0]) bound = b;
            }
            const std::optional<mpq_class> at = read_rational(fields[1]);
            if (bound == nullptr || !at || ++splits > most_splits) check.records.bad();
            const Range side = check.evaluator.range(bound->slot);
            if (*at <= side.lo || *at >= side.hi) check.records.bad();
            path.push_back({bound, *at, side.hi, true});
            check.evaluator.set(bound->slot, {side.lo, *at});
            continue;
        }
        leaf();
        // To the upper half of the last split whose upper half is yet to come.
        for (; !path.empty() && !path.back().lower; path.pop_back()) {
            const Frame& done = path.back();
            check.evaluator.set(done.bound->slot, {done.other, check.evaluator.range(done.bound->slot).hi});
        }
        if (path.empty()) return;
        Frame& half = path.back();
        const mpq_class lower_end = check.evaluator.range(half.bound->slot).lo;
        check.evaluator.set(half.bound->slot, {half.at, half.other});
        half.other = lower_end;
        half.lower = false;
    }
}

namespace {

void check_under(Check& check, const Formula& part, std::vector<const Bound*>& bounds) {
    for (const Bound& bound : part.bounds) {
        bounds.push_back(&bound);
        check.evaluator.set(bound.slot, bound.range);
    }
    if (part.kind == Formula::Kind::relation) {
        if (part.relation != Relation::equal) {
            check_leaves(check, bounds, [&] {
                (void)check.records.take("leaf", 0);
                if (check.evaluator.truth(part) != Truth::yes)
                    throw Invalid{check.records.line(), "not_decided"};
            });
        } else if (!check.evaluator.identical(part)) {
            check.not_decided();
        }
    }
    for (const Formula& inner : part.parts) check_under(check, inner, bounds);
    bounds.resize(bounds.size() - part.bounds.size());
}

} // namespace

void check_cover(Check& check, const Formula& forall) {
    std::vector<const Bound*> bounds;
    check_under(check, forall, bounds);
}

} // namespace kvcheck
