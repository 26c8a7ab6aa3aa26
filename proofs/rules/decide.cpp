#include "proofs/rules/decide.hpp"

#include <algorithm>

namespace kvproof {
namespace {

bool is_point(const Box& box) {
    return std::ranges::all_of(box,
                               [](const auto& entry) { return entry.second.lower == entry.second.upper; });
}

} // namespace

Decision decide(const Formula& formula, const Box& box, const Context& context) {
    switch (formula.kind) {
    case Formula::Kind::conjunction: {
        Decision all = decide(formula.parts.front(), box, context);
        for (std::size_t i = 1; i < formula.parts.size(); ++i)
            all = both(std::move(all), decide(formula.parts[i], box, context));
        return all;
    }
    case Formula::Kind::universal:
        if (formula.bounds.front().integer) return decide_enumerate(formula, box, context);
        return decide_cover(formula, box, context);
    case Formula::Kind::printed: return decide_printed(formula, context);
    case Formula::Kind::part: {
        Decision part = decide(formula.parts.front(), box, context);
        // What was checked is a part of the claim: it cannot earn more than support.
        if (part.verdict == Verdict::proved) part.verdict = Verdict::supported;
        return part;
    }
    case Formula::Kind::named: return decide_named(formula, context);
    case Formula::Kind::relation: break;
    }
    return is_point(box) ? decide_constant(formula, box, context) : decide_identity(formula, box, context);
}

} // namespace kvproof
