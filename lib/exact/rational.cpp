#include "lib/exact/rational.hpp"

#include "lib/error.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

namespace kvproof {
namespace {

constexpr std::size_t longest_text = 20000;
constexpr long largest_exponent = 20000;

[[noreturn]] void refuse(std::string_view text) {
    throw Error(ErrorCode::bad_number, "found \"" + std::string(text.substr(0, 60)) +
                                           "\", expected an integer, p/q, a decimal or a hex float");
}

/// 2^n or 10^n as a rational.
Rational scale(unsigned base, long exponent) {
    Integer power_of_base =
        boost::multiprecision::pow(Integer(base), static_cast<unsigned>(std::labs(exponent)));
    return exponent < 0 ? Rational(Integer(1), power_of_base) : Rational(power_of_base);
}

/// A cursor over the text; each step consumes what it recognises.
struct Scanner {
    std::string_view text;
    std::size_t at = 0;

    [[nodiscard]] char peek() const { return at < text.size() ? text[at] : '\0'; }
    bool take(char c) {
        if (peek() != c) return false;
        ++at;
        return true;
    }
    /// Digits of the given base, appended to `digits`; returns how many there were.
    std::size_t take_digits(bool hex, std::string& digits) {
        const std::size_t from = at;
        while (hex ? std::isxdigit(static_cast<unsigned char>(peek())) != 0
                   : std::isdigit(static_cast<unsigned char>(peek())) != 0)
            ++at;
        digits.append(text.substr(from, at - from));
        return at - from;
    }
    long take_exponent() {
        const std::size_t from = at + (peek() == '+' ? 1 : 0);
        if (from > at && from < text.size() && text[from] == '-') refuse(text);
        long exponent = 0;
        const auto [end, status] = std::from_chars(text.data() + from, text.data() + text.size(), exponent);
        if (status == std::errc::result_out_of_range || exponent > largest_exponent ||
            exponent < -largest_exponent) // labs(LONG_MIN) would be negative
            throw Error(ErrorCode::number_too_large, "the exponent of \"" + std::string(text.substr(0, 60)) +
                                                         "\" is beyond +-" +
                                                         std::to_string(largest_exponent));
        if (status != std::errc()) refuse(text);
        at = static_cast<std::size_t>(end - text.data());
        return exponent;
    }
};

Integer integer_from(const std::string& digits, bool hex) {
    const std::size_t leading = digits.find_first_not_of('0');
    if (leading == std::string::npos) return Integer(0);
    return Integer((hex ? "0x" : "") + digits.substr(leading)); // a leading 0 would mean octal
}

/// Mantissa bits, smallest exponent and largest exponent of a binary format.
struct Format {
    long mantissa;
    long min_exponent; // exponent of the least subnormal
    long max_exponent; // values >= 2^max_exponent overflow
};

/// The nearest number of the format, ties to even. Every step is exact: the value is scaled so that one unit
/// in the last place is 1, and rounded as an integer.
double nearest(const Rational& value, Format format, const char* name) {
    if (value == 0) return 0.0;
    const Rational magnitude = abs(value);
    const Integer top = numerator(magnitude);
    const Integer bottom = denominator(magnitude);
    // 2^(exponent-1) < magnitude < 2^(exponent+1)
    long exponent = static_cast<long>(msb(top)) - static_cast<long>(msb(bottom));
    if (magnitude < scale(2, exponent)) --exponent; // now 2^exponent <= magnitude < 2^(exponent+1)
    const long unit = std::max(exponent - format.mantissa + 1, format.min_exponent);
    const Rational scaled = magnitude * scale(2, -unit);
    Integer whole = floor(scaled);
    const Rational rest = scaled - Rational(whole);
    const Rational half(1, 2);
    if (rest > half || (rest == half && (whole & 1) != 0)) whole += 1;
    if (Rational(whole) * scale(2, unit) >= scale(2, format.max_exponent))
        throw Error(ErrorCode::number_too_large, to_string(value).substr(0, 60) + " overflows " + name);
    const double rounded =
        std::ldexp(static_cast<double>(whole), static_cast<int>(unit)); // exact: <= 53 bits
    return value < 0 ? -rounded : rounded;
}

} // namespace

Rational parse_rational(std::string_view text) {
    if (text.size() > longest_text)
        throw Error(ErrorCode::number_too_large, "a number of " + std::to_string(text.size()) +
                                                     " characters, at most " + std::to_string(longest_text) +
                                                     " are read");
    Scanner scan{text};
    const bool negative = scan.take('-');
    if (!negative) scan.take('+');
    const bool hex = scan.peek() == '0' && text.size() > scan.at + 1 && (text[scan.at + 1] | 0x20) == 'x';
    if (hex) scan.at += 2;

    std::string digits;
    const std::size_t before_point = scan.take_digits(hex, digits);
    Rational value;
    if (!hex && before_point > 0 && scan.take('/')) {
        std::string below;
        if (scan.take_digits(false, below) == 0) refuse(text);
        const Integer bottom = integer_from(below, false);
        if (bottom == 0) refuse(text);
        value = Rational(integer_from(digits, false), bottom);
    } else {
        const std::size_t after_point = scan.take('.') ? scan.take_digits(hex, digits) : 0;
        if (before_point + after_point == 0) refuse(text);
        value = Rational(integer_from(digits, hex)) *
                scale(hex ? 2 : 10, -static_cast<long>(after_point) * (hex ? 4 : 1));
        if (hex ? (scan.take('p') || scan.take('P')) : (scan.take('e') || scan.take('E')))
            value *= scale(hex ? 2 : 10, scan.take_exponent());
    }
    if (scan.at != text.size()) refuse(text);
    return negative ? Rational(-value) : value;
}

std::string to_string(const Rational& value) {
    const Integer bottom = denominator(value);
    const std::string top = numerator(value).str();
    return bottom == 1 ? top : top + "/" + bottom.str();
}

Rational rational_from(double value) {
    if (!std::isfinite(value))
        throw Error(ErrorCode::bad_number, "found NaN or infinity, expected a finite number");
    int exponent = 0;
    const double mantissa =
        std::frexp(value, &exponent); // value = mantissa 2^exponent, |mantissa| in [1/2, 1)
    const auto whole = static_cast<long long>(std::ldexp(mantissa, std::numeric_limits<double>::digits));
    return Rational(whole) * scale(2, exponent - std::numeric_limits<double>::digits);
}

float nearest_float32(const Rational& value) {
    return static_cast<float>(nearest(value, {24, -149, 128}, "binary32")); // the double holds it exactly
}

double nearest_float64(const Rational& value) {
    return nearest(value, {53, -1074, 1024}, "binary64");
}

Integer floor(const Rational& value) {
    Integer quotient;
    mpz_fdiv_q(quotient.backend().data(), mpq_numref(value.backend().data()),
               mpq_denref(value.backend().data()));
    return quotient;
}

Rational power(const Rational& base, long exponent) {
    const auto size = static_cast<unsigned>(std::labs(exponent));
    const Integer top = boost::multiprecision::pow(Integer(numerator(base)), size);
    const Integer bottom = boost::multiprecision::pow(Integer(denominator(base)), size);
    if (exponent >= 0) return Rational(top, bottom);
    if (top == 0) throw Error(ErrorCode::bad_formula, "zero to a negative power");
    return Rational(bottom, top);
}

} // namespace kvproof
