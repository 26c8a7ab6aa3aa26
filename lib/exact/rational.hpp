#pragma once

#include <boost/multiprecision/gmp.hpp>

#include <string>
#include <string_view>

namespace kvproof {

/// Exact integers and rationals (GMP). Expression templates are off: `auto` on an expression is safe, and no
/// operation is ever evaluated twice.
using Integer = boost::multiprecision::number<boost::multiprecision::gmp_int, boost::multiprecision::et_off>;
using Rational =
    boost::multiprecision::number<boost::multiprecision::gmp_rational, boost::multiprecision::et_off>;

/// Reads the number that the text denotes, exactly: an integer, a fraction "p/q", a decimal "1.5e-3" or a hex
/// float "0x1.8p-3". Throws Error(bad_number) on anything else, Error(number_too_large) for exponents beyond
/// +-20000 or texts beyond 20000 characters.
[[nodiscard]] Rational parse_rational(std::string_view text);

/// "p/q" in lowest terms, "p" when q = 1. parse_rational(to_string(x)) == x.
[[nodiscard]] std::string to_string(const Rational& value);

/// The exact value of a finite binary64 (and so of a binary32, which converts without change).
/// Throws Error(bad_number) on NaN and infinities.
[[nodiscard]] Rational rational_from(double value);

/// The nearest binary32, ties to even, subnormals kept. Throws Error(number_too_large) where that is
/// infinite.
[[nodiscard]] float nearest_float32(const Rational& value);

/// The nearest binary64, ties to even, subnormals kept. Throws Error(number_too_large) where that is
/// infinite.
[[nodiscard]] double nearest_float64(const Rational& value);

/// The largest integer not above the value.
[[nodiscard]] Integer floor(const Rational& value);

/// base^exponent, exactly; base != 0 where the exponent is negative.
[[nodiscard]] Rational power(const Rational& base, long exponent);

} // namespace kvproof
