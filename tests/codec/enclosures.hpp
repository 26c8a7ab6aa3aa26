#pragma once
// What the tests of certified numbers do to enclosures: compare them, and move them to see that a check
// notices.

#include "lib/exact/interval.hpp"

#include <string>
#include <vector>

namespace kvproof::testing_support {

/// Two enclosures of one number share it.
inline bool overlap(const Interval& x, const Interval& y) {
    return x.is_bounded() && y.is_bounded() && equal(x, y) != Truth::no;
}

inline Interval point_at(mpfr_srcptr x) {
    Interval out(mpfr_get_prec(x));
    mpfr_set(out.mutable_lower(), x, MPFR_RNDN);
    mpfr_set(out.mutable_upper(), x, MPFR_RNDN);
    return out;
}

/// An exactly representable number as a point.
inline Interval exact_point(const Rational& x) {
    return Interval(x, 4096);
}

/// The distance of the ends, rounded up.
inline Interval width(const Interval& x) {
    Interval out(64);
    mpfr_sub(out.mutable_upper(), x.upper(), x.lower(), MPFR_RNDU);
    mpfr_set(out.mutable_lower(), out.upper(), MPFR_RNDN);
    return out;
}

/// The enclosure moved up by this many of its widths: what a wrong certificate could look like.
inline Interval moved(const Interval& x, long widths) {
    const Bits bits = mpfr_get_prec(x.lower()) + 64;
    return add(x, mul(width(x), Interval(Rational(widths), 64), bits), bits);
}

inline bool same_ends(const Interval& x, const Interval& y) {
    return mpfr_equal_p(x.lower(), y.lower()) != 0 && mpfr_equal_p(x.upper(), y.upper()) != 0;
}

inline bool same_ends(const std::vector<Interval>& x, const std::vector<Interval>& y) {
    if (x.size() != y.size()) return false;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (!same_ends(x[i], y[i])) return false;
    return true;
}

/// Whether the number rounds to this decimal, or to one so many units of its last digit above it.
inline bool rounds_to(const Interval& x, const std::string& printed, long units = 0) {
    const auto places = static_cast<long>(printed.size() - printed.find('.') - 1);
    const Rational unit = power(Rational(10), -places);
    const Rational value = parse_rational(printed) + units * unit;
    return value - unit / 2 <= x.lower_rational() && x.upper_rational() <= value + unit / 2;
}

} // namespace kvproof::testing_support
