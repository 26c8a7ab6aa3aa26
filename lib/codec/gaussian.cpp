#include "lib/codec/gaussian.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
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

constexpr long largest_series_argument = 8;

/// The bits that the tail loses as a difference of numbers near 1/2, and some: it is about 2^-(0.72 x^2).
Bits tail_guard(const Interval& x) {
    const long size = mpfr_get_si(x.upper(), MPFR_RNDU); // saturates
    const long k = std::clamp(size, 0L, largest_series_argument);
    return 8 + 3 * k * k / 4;
}

/// floor(x 2^shift) of a finite number.
Integer scaled_floor(mpfr_srcptr x, Bits shift) {
    Interval scaled(mpfr_get_prec(x));
    mpfr_mul_2si(scaled.mutable_lower(), x, shift, MPFR_RNDD); // exact
    Integer out;
    mpfr_get_z(out.backend().data(), scaled.lower(), MPFR_RNDD);
    return out;
}

/// [low, high] / 2^shift with ends of that precision.
Interval in_units(const Integer& low, const Integer& high, Bits shift) {
    Interval out(shift);
    mpfr_set_z_2exp(out.mutable_lower(), low.backend().data(), -shift, MPFR_RNDD);
    mpfr_set_z_2exp(out.mutable_upper(), high.backend().data(), -shift, MPFR_RNDU);
    return out;
}

/// P(0 < Z < y) = phi(y) S(y) for 0 <= y <= 8, S(y) the sum of the positive terms t_n = y^(2n+1) / (2n+1)!!.
/// A term costs a product and a division by a small number, so this is several times faster than erfc.
///
/// The terms are integers in units u = 2^-P: T_0 = floor(y/u), T_n = floor(floor(T_{n-1} Q / 2^P) / (2n+1))
/// with Q = floor(T_0^2 / 2^P), all rounded down, so the sum is too small by what four causes give, each
/// times phi(y):
///
/// * y is T_0 u and less than one unit more; S' = 1 + y S and phi S <= 1/2: at most 0.4 + y/2 <= 4.4 units;
///
/// * Q is up to one unit short: y sum n y^(2n-2)/(2n+1)!! <= S/2, at most 1/4 unit;
///
/// * each term is rounded by less than 4/3 units, which grow in later terms by at most sum y^(2m)/(2m+1)!! <=
///   e^(y^2/2): with N terms and the one that ends the sum at most 0.54 (N+1) units;
///
/// * the sum ends at a term T_N = 0 with y^2/(2N+1) <= 1/2, so what is left is at most 2 t_N, and t_N is no
///   more than the sum of the two deficits before: twice those again.
///
/// Altogether less than 4.4 + 3 (1/4 + 0.54 (N+1)) < 2 N + 8 units.
Interval half_mass(const Interval& y, const Interval& density, Bits bits) {
    Integer term = scaled_floor(y.lower(), bits);
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
    const Interval series = in_units(sum, sum, bits);
    const Interval error = in_units(0, 2 * terms + 8, bits);
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

/// |x| < 2^it for all members of a bounded interval.
mpfr_exp_t exponent_of(const Interval& x) {
    mpfr_exp_t out = mpfr_get_emin();
    for (mpfr_srcptr end : {x.lower(), x.upper()})
        if (mpfr_zero_p(end) == 0) out = std::max(out, mpfr_get_exp(end));
    return out;
}

/// x / 2^shift without its fraction.
void shift_right(Integer& x, Bits shift) {
    mpz_tdiv_q_2exp(x.backend().data(), x.backend().data(), static_cast<mp_bitcnt_t>(shift));
}

void divide(Integer& x, unsigned long by) {
    mpz_tdiv_q_ui(x.backend().data(), x.backend().data(), by);
}

/// g(h) = exp(-x h - h^2/2) = phi(x + h) / phi(x), and its mean over the way from 0 to h.
struct Growth {
    Interval ratio;
    Interval mean;
};

/// For a point x, |x| <= size, and all h in an interval with |h| (size + 1) <= 1/4, by the series g = sum
/// t_k. As g' = -(x + h) g, k t_k = d t_{k-1} + c t_{k-2} with d = -x h and c = -h^2. So |d| + |c| <= 1/4,
/// |t_1| <= 1/4, and later terms are at most 1/8 of the larger of the two before: all |t_k| <= 1, |g| <= 2.
/// The mean is the sum of t_k / (k+1).
///
/// The terms are integers in units 2^-P, all quotients cut off, at h0 = the lower end of h:
///
/// * x and h0 are up to one unit off, so d is by size + 2 and c by 3 (products of such errors included);
///
/// * t_k is then by (size + 2 + 3 + 1 + e/4) / k + 1 if those before are by e; t_0 is exact and t_{-1} = 0,
/// so
///   t_1 is by size + 4, and then all are by at most size + 9;
///
/// * when two terms in a row are 0, each is at most size + 9 units and all that follow together no more than
///   that. So with N terms both sums are within (N + 1) (size + 9) units; the terms of the mean are cut off
///   once more, after a division of their error by 2 or more.
///
/// From h0 to another h both move by at most |h - h0| sup |g'|, where |g'| = |x + h| |g| <= 2 (size + 1).
Growth growth_over(const Interval& x, const Interval& h, long size, Bits bits) {
    const Integer at = scaled_floor(x.lower(), bits);
    const Integer by = scaled_floor(h.lower(), bits);
    Integer drift = -at * by;
    Integer curve = -by * by;
    shift_right(drift, bits);
    shift_right(curve, bits);
    Integer before = 0;
    Integer term = Integer(1) << static_cast<unsigned>(bits);
    Integer ratio = term;
    Integer mean = term;
    unsigned long terms = 1;
    for (; term != 0 || before != 0; ++terms) {
        Integer next = drift * term + curve * before;
        shift_right(next, bits);
        divide(next, terms);
        before.swap(term);
        term.swap(next);
        ratio += term;
        next = term;
        divide(next, terms + 1);
        mean += next;
    }
    const Interval width = sub(Interval::point(h.upper()), Interval::point(h.lower()), 32);
    const Integer error = (terms + 1) * (size + 9) + 2 * (size + 1) * (scaled_floor(width.upper(), bits) + 1);
    return {in_units(ratio - error, ratio + error, bits), in_units(mean - error, mean + error, bits)};
}

} // namespace

Cut gaussian_cut(const Interval& x, Bits bits) {
    const Bits working = bits + tail_guard(x);
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

Cut nearby_cut(const Cut& at, const Interval& x, Bits bits) {
    constexpr Bits guard = 16;
    constexpr long largest_size = 63;
    const Interval h = sub(x, at.x, bits);
    if (!at.x.is_point() || !h.is_bounded() || mpfr_cmpabs_ui(at.x.lower(), largest_size) > 0)
        return gaussian_cut(x, bits);
    const long size = std::abs(mpfr_get_si(at.x.lower(), MPFR_RNDA));
    if (exponent_of(h) > -2 - static_cast<long>(std::bit_width(static_cast<unsigned long>(size))))
        return gaussian_cut(x, bits);
    const Growth growth = growth_over(at.x, h, size, bits + guard);
    const Interval step = mul(h, growth.mean, bits);
    return {x, mul(at.density, growth.ratio, bits), sub(at.tail, mul(at.density, step, bits), bits)};
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
