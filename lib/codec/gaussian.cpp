#include "lib/codec/gaussian.hpp"

#include <utility>

namespace kvproof {
namespace {

/// x phi(x), with the limit 0 at infinity.
Interval weighted_density(const Cut& cut, Bits bits) {
    return cut.x.is_bounded() ? mul(cut.x, cut.density, bits) : Interval(bits);
}

/// phi(x) = exp(-x^2/2) / sqrt(2 pi).
Interval density_at(const Interval& x, Bits bits) {
    const Interval root_two_pi = sqrt(scale_by_power_of_two(pi(bits), 1), bits);
    const Interval half_square =
        scale_by_power_of_two(sqr(x, 2 * mpfr_get_prec(x.lower())), -1); // exact at a point
    return div(exp(neg(half_square), bits), root_two_pi, bits);
}

/// The tail is a difference of numbers near 1/2 and smaller than 2^-48 beyond x = 7.9, so this much is added.
constexpr Bits tail_guard = 48;
constexpr long largest_series_argument = 8;

/// P(0 < Z < y) = phi(y) S(y) for 0 <= y <= 8, S(y) the sum of the positive terms t_n = y^(2n+1) / (2n+1)!!.
/// A term costs a product and a division by a small number, so this is several times faster than erfc.
///
/// The terms are integers in units u = 2^-P: T_0 = floor(y/u), T_n = floor(floor(T_{n-1} Q / 2^P) / (2n+1))
/// with Q = floor(T_0^2 / 2^P), all rounded down, so the sum is too small by what four causes give, each
/// times phi(y):
/// * y is T_0 u and less than one unit more; S' = 1 + y S and phi S <= 1/2: at most 0.4 + y/2 <= 4.4 units;
/// * Q is up to one unit short: y sum n y^(2n-2)/(2n+1)!! <= S/2, at most 1/4 unit;
/// * each term is rounded by less than 4/3 units, which grow in later terms by at most sum y^(2m)/(2m+1)!! <=
/// e^(y^2/2):
///   with N terms and the one that ends the sum at most 0.54 (N+1) units;
/// * the sum ends at a term T_N = 0 with y^2/(2N+1) <= 1/2, so what is left is at most 2 t_N, and t_N is no
/// more than the
///   sum of the two deficits before: twice those again.
/// Altogether less than 4.4 + 3 (1/4 + 0.54 (N+1)) < 2 N + 8 units.
Interval half_mass(const Interval& y, const Interval& density, Bits bits) {
    Integer term;
    Interval scaled(mpfr_get_prec(y.lower()));
    mpfr_mul_2si(scaled.mutable_lower(), y.lower(), bits, MPFR_RNDD); // exact
    mpfr_get_z(term.backend().data(), scaled.lower(), MPFR_RNDD);
    const auto shift = static_cast<mp_bitcnt_t>(bits);
    Integer square;
    mpz_mul(square.backend().data(), term.backend().data(), term.backend().data());
    mpz_fdiv_q_2exp(square.backend().data(), square.backend().data(), shift);
    const auto ratio_is_small_from = 2 * (static_cast<unsigned long>(Integer(square >> shift)) + 1);
    Integer sum = 0;
    unsigned long terms = 0;
    for (unsigned long odd = 3; term != 0 || odd < ratio_is_small_from + 2; odd += 2, ++terms) {
        sum += term;
        mpz_mul(term.backend().data(), term.backend().data(), square.backend().data());
        mpz_fdiv_q_2exp(term.backend().data(), term.backend().data(), shift);
        mpz_fdiv_q_ui(term.backend().data(), term.backend().data(), odd);
    }
    const Interval series =
        scale_by_power_of_two(Interval(Rational(sum), bits + 64), -bits); // exact: S < 2^50
    const Interval error = scale_by_power_of_two(Interval::between(0, Rational(2 * terms + 8), 64), -bits);
    return add(mul(density, series, bits), error, bits);
}

/// P(Z > x) at a point.
Interval tail_at_point(const Interval& x, const Interval& density, Bits bits) {
    const Interval size = abs(x);
    const Interval limit(Rational(largest_series_argument), 8);
    if (less_equal(size, limit) != Truth::yes) {
        const Interval root_two = sqrt(Interval(Rational(2), 2), bits);
        return scale_by_power_of_two(erfc(div(x, root_two, bits), bits), -1);
    }
    const Interval half(Rational(1, 2), 2);
    const Interval mass = half_mass(size, density, bits);
    return mpfr_sgn(x.lower()) < 0 ? add(half, mass, bits) : sub(half, mass, bits);
}

} // namespace

Cut gaussian_cut(const Interval& x, Bits bits) {
    const Bits working = bits + tail_guard;
    const Interval zero;
    if (x.is_point()) {
        const Interval density = density_at(x, working);
        return {x, add(density, zero, bits), add(tail_at_point(x, density, working), zero, bits)};
    }
    const auto tail_at = [working](const Interval& point) {
        return tail_at_point(point, density_at(point, working), working);
    };
    // The tail falls.
    const Interval tail = join_ends(tail_at(Interval::point(x.upper())), tail_at(Interval::point(x.lower())));
    return {x, density_at(x, bits), add(tail, zero, bits)};
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
