#include "lib/exact/interval.hpp"

#include "lib/exact/mpfr_sign.hpp"

#include <algorithm>
#include <cfloat>
#include <cstring>
#include <utility>

namespace kvproof {
namespace {

constexpr Bits least_bits = 2;

std::size_t limbs_for(Bits bits) {
    return static_cast<std::size_t>((bits + GMP_NUMB_BITS - 1) / GMP_NUMB_BITS);
}

/// The ends of the tightest enclosure of a rational. Most of the registry's are binary fractions, for which
/// no division is needed; for others one division gives both ends (see at_point in interval_functions.cpp).
void set_ends(mpfr_ptr lower, mpfr_ptr upper, const Rational& value) {
    mpq_srcptr q = value.backend().data();
    if (mpz_popcount(mpq_denref(q)) == 1) {
        const auto places = static_cast<mpfr_exp_t>(mpz_scan1(mpq_denref(q), 0));
        mpfr_set_z_2exp(lower, mpq_numref(q), -places, MPFR_RNDD);
        mpfr_set_z_2exp(upper, mpq_numref(q), -places, MPFR_RNDU);
        return;
    }
    const int inexact = mpfr_set_q(lower, q, MPFR_RNDD);
    mpfr_set(upper, lower, MPFR_RNDN);
    if (inexact != 0) mpfr_nextabove(upper);
}

Rational rational_of(mpfr_srcptr x) {
    Rational value;
    mpfr_get_q(value.backend().data(), x);
    return value;
}

/// MPFR rounds to binary32 by itself; what is subnormal or too large there is left to the exact code.
float nearest_float32(mpfr_srcptr x) {
    const bool is_normal =
        mpfr_zero_p(x) == 0 && mpfr_get_exp(x) >= FLT_MIN_EXP && mpfr_get_exp(x) < FLT_MAX_EXP;
    return is_normal ? mpfr_get_flt(x, MPFR_RNDN) : kvproof::nearest_float32(rational_of(x));
}

} // namespace

Interval::Interval(Precisions bits) {
    const std::size_t lower_limbs = limbs_for(bits.lower);
    const std::size_t limbs = lower_limbs + limbs_for(bits.upper);
    if (limbs > most_inner_limbs) outer_ = std::make_unique_for_overwrite<mp_limb_t[]>(limbs);
    mp_limb_t* first = outer_ ? outer_.get() : inner_;
    mpfr_custom_init_set(lower_, MPFR_ZERO_KIND, 0, bits.lower, first);
    mpfr_custom_init_set(upper_, MPFR_ZERO_KIND, 0, bits.upper, first + lower_limbs);
}

Interval::Interval(Bits bits)
    : Interval(Precisions{std::max(bits, least_bits), std::max(bits, least_bits)}) {}

Interval::Interval(const Rational& value, Bits bits) : Interval(bits) {
    set_ends(lower_, upper_, value);
}

Interval::Interval(const Interval& other)
    : Interval(Precisions{mpfr_get_prec(other.lower_), mpfr_get_prec(other.upper_)}) {
    mpfr_set(lower_, other.lower_, MPFR_RNDN); // same precision: exact
    mpfr_set(upper_, other.upper_, MPFR_RNDN);
}

void Interval::take(Interval& other) noexcept {
    outer_ = std::move(other.outer_);
    lower_[0] = other.lower_[0];
    upper_[0] = other.upper_[0];
    if (outer_) return;
    std::memcpy(inner_, other.inner_, sizeof inner_);
    for (mpfr_ptr end : {lower_, upper_}) {
        const auto* limbs = static_cast<const mp_limb_t*>(mpfr_custom_get_significand(end));
        mpfr_custom_move(end, inner_ + (limbs - other.inner_));
    }
}

Interval::Interval(Interval&& other) noexcept {
    take(other);
}

Interval& Interval::operator=(Interval&& other) noexcept {
    if (this != &other) take(other);
    return *this;
}

Interval& Interval::operator=(const Interval& other) {
    if (this != &other) *this = Interval(other);
    return *this;
}

Interval Interval::from_double(double value) {
    Interval out(53);
    mpfr_set_d(out.lower_, value, MPFR_RNDD);
    mpfr_set_d(out.upper_, value, MPFR_RNDU);
    return out;
}

Interval Interval::point(mpfr_srcptr value) {
    Interval out(mpfr_get_prec(value));
    mpfr_set(out.lower_, value, MPFR_RNDN); // same precision: exact
    mpfr_set(out.upper_, value, MPFR_RNDN);
    return out;
}

Interval Interval::between(const Rational& lower, const Rational& upper, Bits bits) {
    if (lower == upper) return Interval(lower, bits);
    Interval out(bits);
    mpfr_set_q(out.lower_, lower.backend().data(), MPFR_RNDD);
    mpfr_set_q(out.upper_, upper.backend().data(), MPFR_RNDU);
    return out;
}

Interval Interval::undefined() {
    Interval out;
    mpfr_set_nan(out.lower_);
    mpfr_set_nan(out.upper_);
    return out;
}

Interval Interval::whole() {
    Interval out;
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
    Interval width(32);
    mpfr_sub(width.upper_, upper_, lower_, MPFR_RNDU);
    // width < 2^e and max|x| >= 2^(f-1), so the relative width is below 2^(e-f+1)
    const mpfr_exp_t larger = std::max(mpfr_get_exp(lower_), mpfr_get_exp(upper_));
    return std::max<Bits>(0, larger - 1 - mpfr_get_exp(width.upper_));
}

Interval join_ends(const Interval& x, const Interval& y) {
    Interval out(Interval::Precisions{mpfr_get_prec(x.lower_), mpfr_get_prec(y.upper_)});
    mpfr_set(out.lower_, x.lower_, MPFR_RNDN); // same precision: exact
    mpfr_set(out.upper_, y.upper_, MPFR_RNDN);
    return out;
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

Interval midpoint(const Interval& x, Bits bits) {
    Interval out(bits);
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
    const float lower = nearest_float32(x.lower());
    if (lower == nearest_float32(x.upper())) return lower;
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
