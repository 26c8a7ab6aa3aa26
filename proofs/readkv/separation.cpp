// ReadKV Theorem 1: where strict separation is certified.

#include "proofs/readkv/separation.hpp"

#include "proofs/functions.hpp"

#include <algorithm>

namespace kvproof {
namespace {

constexpr Bits table_bits = 128;

Interval epsilon(const CertifiedQuantities& quantities, int depth, Bits bits) {
    return quantities.enclose("lloyd.epsilon." + std::to_string(depth), bits);
}

} // namespace

Interval converse_coefficient(long d, long r, Bits bits) {
    const Interval exponent(Rational(1) - Rational(2 * r, d), bits);
    return div(pow(Interval(Rational(2), 2), exponent, bits), mul(pi(bits), euler_e(bits), bits), bits);
}

std::optional<Integer> largest_certified_sparsity(const Interval& converse, const Interval& epsilon,
                                                  Bits bits) {
    const Interval ratio = div(converse, sqr(epsilon, bits), bits);
    const Integer lower = floor(ratio.lower_rational());
    // An integer ratio would be k eps^2 = converse, no strict inequality; the enclosure then never decides.
    if (lower != floor(ratio.upper_rational()) || ratio.contains(Rational(lower))) return {};
    return lower;
}

std::vector<Separation> separations(const CertifiedQuantities& quantities, long d, long r, Bits bits) {
    const Interval converse = converse_coefficient(d, r, bits);
    std::vector<Separation> out;
    for (long k = 1; k <= std::min(d, r); ++k) {
        const int depth = static_cast<int>(std::min<long>(default_depth, r / k));
        const Interval achieved =
            mul(Interval(Rational(k), bits), sqr(epsilon(quantities, depth, bits), bits), bits);
        out.push_back(
            {k, depth, converse, achieved, less(achieved, converse), div(converse, achieved, bits)});
    }
    return out;
}

Decision separation_region(const Claim& claim, const Context& context) {
    const long largest = parameter(claim, "dimension");
    Decision out;
    out.bits = table_bits;
    out.verdict = Verdict::proved;
    std::vector<Interval> epsilons = {Interval(Rational(1), 2)};
    for (int depth = 1; depth <= default_depth; ++depth)
        epsilons.push_back(epsilon(context.quantities, depth, table_bits));
    Witness frontier{"largest certified k at r = d/2, d, 2d, 3d, 4d", {}};
    for (long d = 1; d <= largest; d *= 2) {
        std::uint64_t certified = 0;
        std::uint64_t admissible = 0;
        std::string line = "d = " + std::to_string(d) + ":";
        for (long r = 1; r <= default_depth * d; ++r) {
            const Interval converse = converse_coefficient(d, r, table_bits);
            Integer best = 0;
            for (int depth = 1; depth <= default_depth; ++depth) {
                const long most = std::min(d, r / depth); // L <= floor(r/k)
                if (most < 1) continue;
                const auto sparsity = largest_certified_sparsity(converse, epsilons[depth], table_bits);
                if (!sparsity) {
                    out.verdict = Verdict::undecided;
                    out.why = Why::precision_cap;
                    continue;
                }
                const Integer count = std::min<Integer>(*sparsity, most);
                admissible += static_cast<std::uint64_t>(most);
                certified += static_cast<std::uint64_t>(count);
                best = std::max(best, count);
            }
            if (r == d || r == 2 * d || r == 3 * d || r == 4 * d || 2 * r == d) line += " " + best.str();
        }
        out.cases += admissible;
        frontier.values.push_back(line + " (" + std::to_string(certified) + " of " +
                                  std::to_string(admissible) + " triples k, L, r)");
    }
    out.witness.push_back(std::move(frontier));
    return out;
}

} // namespace kvproof
