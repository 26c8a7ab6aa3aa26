// ReadKV Theorem 1: where strict separation is certified.

#include "proofs/readkv/separation.hpp"

#include <algorithm>

namespace kvproof {
namespace {

Interval epsilon(const CertifiedQuantities& quantities, int depth, Bits bits) {
    return quantities.enclose("lloyd.epsilon." + std::to_string(depth), bits);
}

} // namespace

Interval converse_coefficient(long d, long r, Bits bits) {
    const Interval exponent(Rational(1) - Rational(2 * r, d), bits);
    return div(pow(Interval(Rational(2), 2), exponent, bits), mul(pi(bits), euler_e(bits), bits), bits);
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

} // namespace kvproof
