// Powers and the elementary functions: monotone ones, from MPFR's correctly rounded values at the ends.
#include "lib/exact/interval.hpp"

#include "lib/exact/mpfr_sign.hpp"

namespace kvproof {
namespace {

using Unary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

/// Both directed roundings of f at a point from one evaluation: MPFR's functions are correctly rounded and
/// say whether they were exact, so the value rounded up is the value rounded down or its successor.
Interval at_point(Unary f, mpfr_srcptr x, Bits bits) {
    Interval out(bits);
    const int inexact = f(out.mutable_lower(), x, MPFR_RNDD);
    mpfr_set(out.mutable_upper(), out.lower(), MPFR_RNDN);
    if (inexact != 0) mpfr_nextabove(out.mutable_upper());
    return out;
}

Interval increasing(Unary f, const Interval& x, Bits bits) {
    if (x.is_undefined()) return Interval::undefined();
    if (x.is_point()) return at_point(f, x.lower(), bits);
    Interval out(bits);
    f(out.mutable_lower(), x.lower(), MPFR_RNDD);
    f(out.mutable_upper(), x.upper(), MPFR_RNDU);
    return out;
}

Interval decreasing(Unary f, const Interval& x, Bits bits) {
    if (x.is_undefined()) return Interval::undefined();
    if (x.is_point()) return at_point(f, x.lower(), bits);
    Interval out(bits);
    f(out.mutable_lower(), x.upper(), MPFR_RNDD);
    f(out.mutable_upper(), x.lower(), MPFR_RNDU);
    return out;
}

} // namespace

Interval sqrt(const Interval& x, Bits bits) {
    if (!x.is_undefined() && sign(x.lower()) < 0) return Interval::undefined();
    return increasing(mpfr_sqrt, x, bits);
}

Interval pow(const Interval& x, long exponent, Bits bits) {
    if (x.is_undefined()) return x;
    Interval out(bits);
    const bool holds_zero = sign(x.lower()) <= 0 && sign(x.upper()) >= 0;
    if (exponent < 0 && holds_zero) return Interval::undefined();
    if (exponent == 0) return Interval(Rational(1), bits);
    // Increasing for odd positive exponents; otherwise reduce to |x| > 0 and mind the sign of the exponent.
    const bool even = exponent % 2 == 0;
    const Interval base = even ? abs(x) : x;
    const bool rising = exponent > 0;
    mpfr_pow_si(out.mutable_lower(), rising ? base.lower() : base.upper(), exponent, MPFR_RNDD);
    mpfr_pow_si(out.mutable_upper(), rising ? base.upper() : base.lower(), exponent, MPFR_RNDU);
    return out;
}

Interval pow(const Interval& x, const Interval& exponent, Bits bits) {
    if (x.is_undefined() || exponent.is_undefined()) return Interval::undefined();
    if (sign(x.lower()) <= 0 || !x.is_bounded() || !exponent.is_bounded()) return Interval::undefined();
    Interval out(bits);
    if (x.is_point() && exponent.is_point()) { // correctly rounded, so one evaluation gives both ends
        const int inexact = mpfr_pow(out.mutable_lower(), x.lower(), exponent.lower(), MPFR_RNDD);
        mpfr_set(out.mutable_upper(), out.lower(), MPFR_RNDN);
        if (inexact != 0) mpfr_nextabove(out.mutable_upper());
        return out;
    }
    // For a positive base x^y is monotone in each argument, so the extremes lie at corners.
    Interval corner(bits);
    bool first = true;
    for (mpfr_srcptr a : {x.lower(), x.upper()}) {
        for (mpfr_srcptr b : {exponent.lower(), exponent.upper()}) {
            mpfr_pow(corner.mutable_lower(), a, b, MPFR_RNDD);
            mpfr_pow(corner.mutable_upper(), a, b, MPFR_RNDU);
            out = first ? corner : hull(out, corner);
            first = false;
        }
    }
    return out;
}

Interval exp(const Interval& x, Bits bits) {
    return increasing(mpfr_exp, x, bits);
}

Interval log(const Interval& x, Bits bits) {
    if (!x.is_undefined() && sign(x.lower()) <= 0) return Interval::undefined();
    return increasing(mpfr_log, x, bits);
}

Interval erf(const Interval& x, Bits bits) {
    return increasing(mpfr_erf, x, bits);
}

Interval erfc(const Interval& x, Bits bits) {
    return decreasing(mpfr_erfc, x, bits);
}

Interval tanh(const Interval& x, Bits bits) {
    return increasing(mpfr_tanh, x, bits);
}

Interval pi(Bits bits) {
    Interval out(bits);
    mpfr_const_pi(out.mutable_lower(), MPFR_RNDD);
    mpfr_const_pi(out.mutable_upper(), MPFR_RNDU);
    return out;
}

Interval euler_e(Bits bits) {
    return exp(Interval(Rational(1), 2), bits);
}

} // namespace kvproof
