#include "lib/codec/gaussian.hpp"

namespace kvproof {
namespace {

/// x phi(x), with the limit 0 at infinity.
Interval weighted_density(const Cut& cut, Bits bits) {
    return cut.x.is_bounded() ? mul(cut.x, cut.density, bits) : Interval(bits);
}

} // namespace

Cut gaussian_cut(const Interval& x, Bits bits) {
    const Interval root_two = sqrt(Interval(Rational(2), 2), bits);
    const Interval root_two_pi = sqrt(scale_by_power_of_two(pi(bits), 1), bits);
    const Interval half_square = scale_by_power_of_two(sqr(x, 2 * mpfr_get_prec(x.lower())), -1); // exact
    return {x, div(exp(neg(half_square), bits), root_two_pi, bits),
            scale_by_power_of_two(erfc(div(x, root_two, bits), bits), -1)};
}

Cut cut_at_infinity() {
    Interval infinity;
    mpfr_set_inf(infinity.mutable_lower(), 1);
    mpfr_set_inf(infinity.mutable_upper(), 1);
    return {infinity, Interval(), Interval()};
}

Interval cell_mass(const Cut& a, const Cut& b, Bits bits) {
    return sub(a.tail, b.tail, bits);
}

Interval cell_centroid(const Cut& a, const Cut& b, Bits bits) {
    return div(sub(a.density, b.density, bits), cell_mass(a, b, bits), bits);
}

Interval cell_distortion(const Cut& a, const Cut& b, const Interval& q, Bits bits) {
    // E[Z^2] - 2 q E[Z] + q^2 P over the cell, where E[Z^2] = P + a phi(a) - b phi(b) and E[Z] = phi(a) -
    // phi(b).
    const Interval mass = cell_mass(a, b, bits);
    const Interval first = sub(a.density, b.density, bits);
    const Interval second = add(mass, sub(weighted_density(a, bits), weighted_density(b, bits), bits), bits);
    const Interval cross = mul(scale_by_power_of_two(q, 1), first, bits);
    return add(sub(second, cross, bits), mul(sqr(q, bits), mass, bits), bits);
}

Interval cell_variance(const Cut& a, const Cut& b, Bits bits) {
    return div(cell_distortion(a, b, cell_centroid(a, b, bits), bits), cell_mass(a, b, bits), bits);
}

} // namespace kvproof
