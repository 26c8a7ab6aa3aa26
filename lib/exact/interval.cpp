#include "lib/exact/interval.hpp"

#include <algorithm>
#include <utility>

namespace kvproof {
namespace {

constexpr Bits least_bits = 2;

/// A result whose ends have the given precision and are about to be written.
Interval result(Bits bits) {
    return Interval(std::max(bits, least_bits));
}

int sign(mpfr_srcptr x) {
    return mpfr_sgn(x);
}

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

using Unary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

/// Both directed roundings of f at a point from one evaluation: MPFR's functions are correctly rounded and
/// say whether they were exact, so the value rounded up is the value rounded down or its successor.
Interval at_point(Unary f, mpfr_srcptr x, Bits bits) {
    Interval out = result(bits);
    const int inexact = f(out.mutable_lower(), x, MPFR_RNDD);
    mpfr_set(out.mutable_upper(), out.lower(), MPFR_RNDN);
    if (inexact != 0) mpfr_nextabove(out.mutable_upper());
    return out;
}

Interval increasing(Unary f, const Interval& x, Bits bits) {
    if (x.is_undefined()) return Interval::undefined();
    if (x.is_point()) return at_point(f, x.lower(), bits);
    Interval out = result(bits);
    f(out.mutable_lower(), x.lower(), MPFR_RNDD);
    f(out.mutable_upper(), x.upper(), MPFR_RNDU);
    return out;
}

Interval decreasing(Unary f, const Interval& x, Bits bits) {
    if (x.is_undefined()) return Interval::undefined();
    if (x.is_point()) return at_point(f, x.lower(), bits);
    Interval out = result(bits);
    f(out.mutable_lower(), x.upper(), MPFR_RNDD);
    f(out.mutable_upper(), x.lower(), MPFR_RNDU);
    return out;
}

Rational rational_of(mpfr_srcptr x) {
    Rational value;
    mpfr_get_q(value.backend().data(), x);
    return value;
}

} // namespace

Interval::Interval(Bits bits) {
    mpfr_init2(lower_, std::max(bits, least_bits));
    mpfr_init2(upper_, std::max(bits, least_bits));
    mpfr_set_zero(lower_, 1);
    mpfr_set_zero(upper_, 1);
}

Interval::Interval(const Rational& value, Bits bits) : Interval(bits) {
    mpfr_set_q(lower_, value.backend().data(), MPFR_RNDD);
    mpfr_set_q(upper_, value.backend().data(), MPFR_RNDU);
}

Interval::Interval(const Interval& other) {
    mpfr_init2(lower_, mpfr_get_prec(other.lower_));
    mpfr_init2(upper_, mpfr_get_prec(other.upper_));
    mpfr_set(lower_, other.lower_, MPFR_RNDN);
    mpfr_set(upper_, other.upper_, MPFR_RNDN);
}

Interval::Interval(Interval&& other) noexcept : Interval(least_bits) {
    mpfr_swap(lower_, other.lower_);
    mpfr_swap(upper_, other.upper_);
}

Interval& Interval::operator=(const Interval& other) {
    if (this != &other) *this = Interval(other);
    return *this;
}

Interval& Interval::operator=(Interval&& other) noexcept {
    mpfr_swap(lower_, other.lower_);
    mpfr_swap(upper_, other.upper_);
    return *this;
}

Interval::~Interval() {
    mpfr_clear(lower_);
    mpfr_clear(upper_);
}

Interval Interval::from_double(double value) {
    Interval out = result(53);
    mpfr_set_d(out.lower_, value, MPFR_RNDD);
    mpfr_set_d(out.upper_, value, MPFR_RNDU);
    return out;
}

Interval Interval::point(mpfr_srcptr value) {
    Interval out = result(mpfr_get_prec(value));
    mpfr_set(out.lower_, value, MPFR_RNDN); // same precision: exact
    mpfr_set(out.upper_, value, MPFR_RNDN);
    return out;
}

Interval Interval::between(const Rational& lower, const Rational& upper, Bits bits) {
    Interval out = result(bits);
    mpfr_set_q(out.lower_, lower.backend().data(), MPFR_RNDD);
    mpfr_set_q(out.upper_, upper.backend().data(), MPFR_RNDU);
    return out;
}

Interval Interval::undefined() {
    Interval out = result(least_bits);
    mpfr_set_nan(out.lower_);
    mpfr_set_nan(out.upper_);
    return out;
}

Interval Interval::whole() {
    Interval out = result(least_bits);
    mpfr_set_inf(out.lower_, -1);
    mpfr_set_inf(out.upper_, 1);
    return out;
}

bool Interval::contains(const Rational& value) const {
    if (is_undefined()) return true;
    return mpfr_cmp_q(lower_, value.backend().data()) <= 0 && mpfr_cmp_q(upper_, value.backend().data()) >= 0;
}

bool Interval::contains(const Interval& inner) const {
    if (is_undefined()) return true;
    return mpfr_lessequal_p(lower_, inner.lower_) != 0 && mpfr_lessequal_p(inner.upper_, upper_) != 0;
}

Rational Interval::lower_rational() const {
    return rational_of(lower_);
}

Rational Interval::upper_rational() const {
    return rational_of(upper_);
}

Bits Interval::accuracy() const {
    if (is_undefined() || !is_bounded()) return 0;
    if (is_point()) return std::min(mpfr_get_prec(lower_), mpfr_get_prec(upper_));
    if (sign(lower_) * sign(upper_) <= 0) return 0;
    Interval width = result(32);
    mpfr_sub(width.upper_, upper_, lower_, MPFR_RNDU);
    // width < 2^e and max|x| >= 2^(f-1), so the relative width is below 2^(e-f+1)
    const mpfr_exp_t larger = std::max(mpfr_get_exp(lower_), mpfr_get_exp(upper_));
    return std::max<Bits>(0, larger - 1 - mpfr_get_exp(width.upper_));
}

Interval add(const Interval& x, const Interval& y, Bits bits) {
    if (x.is_undefined() || y.is_undefined()) return Interval::undefined();
    Interval out = result(bits);
    mpfr_add(out.mutable_lower(), x.lower(), y.lower(), MPFR_RNDD);
    mpfr_add(out.mutable_upper(), x.upper(), y.upper(), MPFR_RNDU);
    return out;
}

Interval sub(const Interval& x, const Interval& y, Bits bits) {
    if (x.is_undefined() || y.is_undefined()) return Interval::undefined();
    Interval out = result(bits);
    mpfr_sub(out.mutable_lower(), x.lower(), y.upper(), MPFR_RNDD);
    mpfr_sub(out.mutable_upper(), x.upper(), y.lower(), MPFR_RNDU);
    return out;
}

Interval mul(const Interval& x, const Interval& y, Bits bits) {
    if (x.is_undefined() || y.is_undefined()) return Interval::undefined();
    Interval out = result(bits);
    mpfr_ptr lower = out.mutable_lower();
    mpfr_ptr upper = out.mutable_upper();
    if (sign(x.lower()) >= 0 && sign(y.lower()) >= 0) { // the common case
        mul_end(lower, x.lower(), y.lower(), MPFR_RNDD);
        mul_end(upper, x.upper(), y.upper(), MPFR_RNDU);
        return out;
    }
    // A bilinear function takes its extremes at corners, and rounding is monotone.
    Interval corner = result(bits);
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
    Interval out = result(bits);
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
    return pow(x, 2, bits);
}

Interval sqrt(const Interval& x, Bits bits) {
    if (!x.is_undefined() && sign(x.lower()) < 0) return Interval::undefined();
    return increasing(mpfr_sqrt, x, bits);
}

Interval pow(const Interval& x, long exponent, Bits bits) {
    if (x.is_undefined()) return x;
    Interval out = result(bits);
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
    Interval out = result(bits);
    if (x.is_point() && exponent.is_point()) { // correctly rounded, so one evaluation gives both ends
        const int inexact = mpfr_pow(out.mutable_lower(), x.lower(), exponent.lower(), MPFR_RNDD);
        mpfr_set(out.mutable_upper(), out.lower(), MPFR_RNDN);
        if (inexact != 0) mpfr_nextabove(out.mutable_upper());
        return out;
    }
    // For a positive base x^y is monotone in each argument, so the extremes lie at corners.
    Interval corner = result(bits);
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
    Interval out = result(bits);
    mpfr_const_pi(out.mutable_lower(), MPFR_RNDD);
    mpfr_const_pi(out.mutable_upper(), MPFR_RNDU);
    return out;
}

Interval euler_e(Bits bits) {
    return exp(Interval(Rational(1), least_bits), bits);
}

Interval min(const Interval& x, const Interval& y) {
    if (x.is_undefined() || y.is_undefined()) return Interval::undefined();
    return join_ends(mpfr_lessequal_p(x.lower(), y.lower()) != 0 ? x : y,
                     mpfr_lessequal_p(x.upper(), y.upper()) != 0 ? x : y);
}

Interval max(const Interval& x, const Interval& y) {
    if (x.is_undefined() || y.is_undefined()) return Interval::undefined();
    return join_ends(mpfr_lessequal_p(x.lower(), y.lower()) != 0 ? y : x,
                     mpfr_lessequal_p(x.upper(), y.upper()) != 0 ? y : x);
}

Interval hull(const Interval& x, const Interval& y) {
    if (x.is_undefined() || y.is_undefined()) return Interval::undefined();
    return join_ends(mpfr_lessequal_p(x.lower(), y.lower()) != 0 ? x : y,
                     mpfr_lessequal_p(x.upper(), y.upper()) != 0 ? y : x);
}

Interval join_ends(const Interval& x, const Interval& y) {
    Interval out = result(mpfr_get_prec(x.lower()));
    mpfr_set(out.mutable_lower(), x.lower(), MPFR_RNDN); // same precision: exact
    mpfr_set_prec(out.mutable_upper(), mpfr_get_prec(y.upper()));
    mpfr_set(out.mutable_upper(), y.upper(), MPFR_RNDN);
    return out;
}

Interval midpoint(const Interval& x, Bits bits) {
    Interval out = result(bits);
    mpfr_add(out.mutable_lower(), x.lower(), x.upper(), MPFR_RNDN);
    mpfr_div_2ui(out.mutable_lower(), out.lower(), 1, MPFR_RNDN);
    return Interval::point(out.lower());
}

Interval scale_by_power_of_two(const Interval& x, long n) {
    Interval out(x);
    mpfr_mul_2si(out.mutable_lower(), x.lower(), n, MPFR_RNDD);
    mpfr_mul_2si(out.mutable_upper(), x.upper(), n, MPFR_RNDU);
    return out;
}

Truth less(const Interval& x, const Interval& y) {
    if (x.is_undefined() || y.is_undefined()) return Truth::unknown;
    if (mpfr_less_p(x.upper(), y.lower()) != 0) return Truth::yes;
    return mpfr_greaterequal_p(x.lower(), y.upper()) != 0 ? Truth::no : Truth::unknown;
}

Truth less_equal(const Interval& x, const Interval& y) {
    return !less(y, x);
}

Truth equal(const Interval& x, const Interval& y) {
    if (x.is_undefined() || y.is_undefined()) return Truth::unknown;
    if (mpfr_less_p(x.upper(), y.lower()) != 0 || mpfr_less_p(y.upper(), x.lower()) != 0) return Truth::no;
    return x.is_point() && y.is_point() ? Truth::yes : Truth::unknown;
}

std::optional<float> shared_float32(const Interval& x) {
    if (!x.is_bounded()) return {};
    const float lower = nearest_float32(x.lower_rational());
    if (lower == nearest_float32(x.upper_rational())) return lower;
    return {};
}

std::optional<double> shared_float64(const Interval& x) {
    if (!x.is_bounded()) return {};
    const double lower = nearest_float64(x.lower_rational());
    if (lower == nearest_float64(x.upper_rational())) return lower;
    return {};
}

Truth operator!(Truth t) {
    return t == Truth::yes ? Truth::no : t == Truth::no ? Truth::yes : Truth::unknown;
}

Truth operator&(Truth a, Truth b) {
    return std::min(a, b); // no < unknown < yes
}

} // namespace kvproof
