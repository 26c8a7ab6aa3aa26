#include "lib/exact/identity.hpp"

#include "proofs/rules/decide.hpp"

namespace kvproof {

Decision decide_identity(const Formula& relation, const Box& box, const Context& context) {
    Decision out;
    out.cases = 1;
    bool same = relation.relation == Relation::equal;
    for (std::size_t i = 1; same && i < relation.terms.size(); ++i)
        same = identical(relation.terms[i - 1], relation.terms[i]) == Truth::yes;
    if (same && all_defined(relation, box, context)) {
        out.verdict = Verdict::proved;
        return out;
    }
    // The normal form cannot refute (its atoms may be dependent); a point where the sides are apart can.
    constexpr Bits bits = 128;
    for (int corner = 0; corner < 3; ++corner) {
        Box point;
        for (const auto& [name, range] : box) {
            const Rational at = range.lower + (range.upper - range.lower) * Rational(2 * corner + 1, 7);
            point[name] = {at, at};
        }
        if (holds(relation, point, context.quantities, bits) != Truth::no) continue;
        out.verdict = Verdict::refuted;
        out.witness = counterexample(relation, point, context, bits);
        out.refutation = {&relation, point};
        out.bits = bits;
        return out;
    }
    out.why = Why::not_shown;
    return out;
}

} // namespace kvproof
