#include "proofs/rules/decide.hpp"

#include <utility>

namespace kvproof {

Decision decide_enumerate(const Formula& universal, const Box& box, const Context& context) {
    Rational instances = 1;
    for (const Bound& bound : universal.bounds) instances *= bound.upper - bound.lower + 1;
    Decision out;
    if (instances > Rational(context.effort.cases)) {
        out.why = Why::case_budget;
        return out;
    }
    // An odometer over the bounds, the last one fastest.
    Box at = box;
    for (const Bound& bound : universal.bounds) at[bound.name] = {bound.lower, bound.lower};
    std::optional<Decision> all;
    for (bool more = true; more;) {
        Decision one = decide(universal.parts.front(), at, context);
        const bool failed = one.verdict == Verdict::refuted;
        if (!failed) one.witness.clear(); // thousands of them would say nothing
        all = all ? both(std::move(*all), std::move(one)) : std::move(one);
        if (failed) break;
        more = false;
        for (std::size_t i = universal.bounds.size(); i-- > 0 && !more;) {
            const Bound& bound = universal.bounds[i];
            Rational next = at[bound.name].lower + 1;
            more = next <= bound.upper;
            if (!more) next = bound.lower;
            at[bound.name] = {next, next};
        }
    }
    all->enclosure.reset(); // of one instance only
    all->exact.reset();
    return std::move(*all);
}

} // namespace kvproof
