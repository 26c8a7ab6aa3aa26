// Sums, products and quotients, each end rounded once.
#include "lib/exact/interval.hpp"

#include "lib/exact/mpfr_sign.hpp"

#include <utility>

namespace kvproof {
namespace {

/// 0 * inf is 0 here: an infinite end is a limit, never a member.
void mul_end(mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t round) {
    if (mpfr_zero_p(a) != 0 || mpfr_zero_p(b) != 0)
        mpfr_set_zero(out, 1);
    else
        mpfr_mul(out, a, b, round);
}

/// A quotient of ends; inf/inf arises only for ends that are limits, where 0 is the safe end on either side
/// of a range that the other corners bound.
void div_end(mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t round) {
    if (mpfr_inf_p(b) != 0)
        mpfr_set_zero(out, 1);
    else
        mpfr_div(out, a, b, round);
}

} // namespace

Interval add(const Interval& x, const Interval& y, Bits bits) {
    if (x.is_undefined() || y.is_undefined()) return Interval::undefined();
    Interval out(bits);
    mpfr_add(out.mutable_lower(), x.lower(), y.lower(), MPFR_RNDD);
    mpfr_add(out.mutable_upper(), x.upper(), y.upper(), MPFR_RNDU);
    return out;
}

Interval sub(const Interval& x, const Interval& y, Bits bits) {
    if (x.is_undefined() || y.is_undefined()) return Interval::undefined();
    Interval out(bits);
    mpfr_sub(out.mutable_lower(), x.lower(), y.upper(), MPFR_RNDD);
    mpfr_sub(out.mutable_upper(), x.upper(), y.lower(), MPFR_RNDU);
    return out;
}

Interval mul(const Interval& x, const Interval& y, Bits bits) {
    if (x.is_undefined() || y.is_undefined()) return Interval::undefined();
    Interval out(bits);
    mpfr_ptr lower = out.mutable_lower();
    mpfr_ptr upper = out.mutable_upper();
    if (sign(x.lower()) >= 0 && sign(y.lower()) >= 0) { // the common case
        mul_end(lower, x.lower(), y.lower(), MPFR_RNDD);
        mul_end(upper, x.upper(), y.upper(), MPFR_RNDU);
        return out;
    }
    // A bilinear function takes its extremes at corners, and rounding is monotone.
    Interval corner(bits);
    mul_end(lower, x.lower(), y.lower(), MPFR_RNDD);
    mul_end(upper, x.lower(), y.lower(), MPFR_RNDU);
    const std::pair<mpfr_srcptr, mpfr_srcptr> others[] = {
        {x.lower(), y.upper()}, {x.upper(), y.lower()}, {x.upper(), y.upper()}};
    for (const auto& [a, b] : others) {
        mul_end(corner.mutable_lower(), a, b, MPFR_RNDD);
        mul_end(corner.mutable_upper(), a, b, MPFR_RNDU);
        mpfr_min(lower, lower, corner.lower(), MPFR_RNDD);
        mpfr_max(upper, upper, corner.upper(), MPFR_RNDU);
    }
    return out;
}

Interval div(const Interval& x, const Interval& y, Bits bits) {
    if (x.is_undefined() || y.is_undefined()) return Interval::undefined();
    if (sign(y.lower()) < 0 && sign(y.upper()) < 0) return div(neg(x), neg(y), bits);
    if (sign(y.lower()) <= 0) return Interval::undefined();
    // y > 0: the lower end of x/y takes the larger divisor where x is not negative, and so on.
    Interval out(bits);
    div_end(out.mutable_lower(), x.lower(), sign(x.lower()) >= 0 ? y.upper() : y.lower(), MPFR_RNDD);
    div_end(out.mutable_upper(), x.upper(), sign(x.upper()) >= 0 ? y.lower() : y.upper(), MPFR_RNDU);
    return out;
}

Interval neg(const Interval& x) {
    Interval out(x);
    mpfr_swap(out.mutable_lower(), out.mutable_upper());
    mpfr_neg(out.mutable_lower(), out.lower(), MPFR_RNDD);
    mpfr_neg(out.mutable_upper(), out.upper(), MPFR_RNDU);
    return out;
}

Interval abs(const Interval& x) {
    if (x.is_undefined() || sign(x.lower()) >= 0) return x;
    if (sign(x.upper()) <= 0) return neg(x);
    Interval out = max(neg(x), x);
    mpfr_set_zero(out.mutable_lower(), 1);
    return out;
}

Interval sqr(const Interval& x, Bits bits) {
    if (x.is_undefined()) return x;
    const Interval size = abs(x);
    Interval out(bits);
    mpfr_sqr(out.mutable_lower(), size.lower(), MPFR_RNDD);
    mpfr_sqr(out.mutable_upper(), size.upper(), MPFR_RNDU);
    return out;
}

} // namespace kvproof
