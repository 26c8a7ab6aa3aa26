#include "sim/probe/converse.hpp"

#include <algorithm>

namespace kvproof {
namespace {

/// 2^exponent / (pi e)
Interval entropy_bound(const Rational& exponent, Bits accuracy) {
    const Interval power = pow(Interval(Rational(2), 2), Interval(exponent, accuracy), accuracy);
    return div(power, mul(pi(accuracy), euler_e(accuracy), accuracy), accuracy);
}

/// (1-t/d)^(ln 4)/d: a bit's entropy h and the variance v of the sign it stands for obey v >= h^(ln 4), which
/// is convex in h, and d signs of which t bits are known keep an average entropy of at least 1-t/d.
Interval vertex_bound(long d, long transcript, Bits accuracy) {
    if (transcript >= d) return Interval(accuracy);
    const Interval kept(Rational(d - transcript, d), accuracy);
    const Interval ln4 = log(Interval(Rational(4), accuracy), accuracy);
    return div(pow(kept, ln4, accuracy), Interval(Rational(d), accuracy), accuracy);
}

bool has_vertices(const Family& family) {
    return std::ranges::all_of(family.source_points, [](const auto& z) {
        return std::ranges::all_of(z, [](const Rational& entry) { return entry * entry == 1; });
    });
}

} // namespace

std::optional<Converse> query_independent_converse(const Family& family, int bits, int probes,
                                                   Bits accuracy) {
    if (family.source_points.empty()) return {};
    const long transcript = std::min(bits, probes);
    if (family.name.starts_with("attention:")) {
        const Interval gap(2 * attention_share() - 1, accuracy);
        return Converse{mul(sqr(gap, accuracy), entropy_bound(Rational(1 - transcript), accuracy), accuracy),
                        {}};
    }
    const auto d = static_cast<long>(family.source_points.front().size());
    Converse out{div(entropy_bound(1 - Rational(2 * transcript, d), accuracy),
                     Interval(Rational(d), accuracy), accuracy),
                 {}};
    if (has_vertices(family)) out.finite = vertex_bound(d, transcript, accuracy);
    return out;
}

} // namespace kvproof
