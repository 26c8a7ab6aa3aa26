#include "lib/exact/decimal.hpp"

#include <memory>

namespace kvproof {
namespace {

/// sign, digits d1 d2 … and exponent of 0.d1d2… x 10^exponent
struct Digits {
    bool negative = false;
    std::string digits;
    mpfr_exp_t exponent = 0;
    bool operator==(const Digits&) const = default;
};

Digits digits_of(mpfr_srcptr x, int count, mpfr_rnd_t round) {
    Digits out;
    if (mpfr_zero_p(x) != 0) return out;
    const std::unique_ptr<char, decltype(&mpfr_free_str)> text(
        mpfr_get_str(nullptr, &out.exponent, 10, static_cast<std::size_t>(count), x, round), mpfr_free_str);
    out.negative = *text == '-';
    out.digits = text.get() + (out.negative ? 1 : 0);
    return out;
}

void drop_trailing_zeros(std::string& digits) {
    digits.erase(digits.find_last_not_of('0') + 1);
}

std::string layout(const Digits& number, mpfr_exp_t longest_whole = 25) {
    if (number.digits.empty()) return "0";
    const std::string sign = number.negative ? "-" : "";
    const auto count = static_cast<mpfr_exp_t>(number.digits.size());
    const mpfr_exp_t point = number.exponent;
    if (point > longest_whole || point < -7) { // d.ddde-12
        std::string mantissa = number.digits.substr(0, 1);
        if (count > 1) mantissa += "." + number.digits.substr(1);
        return sign + mantissa + "e" + std::to_string(point - 1);
    }
    if (point <= 0) return sign + "0." + std::string(static_cast<std::size_t>(-point), '0') + number.digits;
    if (count <= point)
        return sign + number.digits + std::string(static_cast<std::size_t>(point - count), '0');
    return sign + number.digits.substr(0, static_cast<std::size_t>(point)) + "." +
           number.digits.substr(static_cast<std::size_t>(point));
}

std::string directed(mpfr_srcptr x, int digits, mpfr_rnd_t round) {
    if (mpfr_nan_p(x) != 0) return "nan";
    if (mpfr_inf_p(x) != 0) return mpfr_sgn(x) < 0 ? "-inf" : "inf";
    Digits number = digits_of(x, digits, round);
    drop_trailing_zeros(number.digits);
    return layout(number);
}

} // namespace

std::string lower_decimal(const Interval& x, int digits) {
    return directed(x.lower(), digits, MPFR_RNDD);
}

std::string upper_decimal(const Interval& x, int digits) {
    return directed(x.upper(), digits, MPFR_RNDU);
}

int shared_digits(const Interval& x, int limit) {
    if (!x.is_bounded()) return 0;
    if (x.is_point()) return limit;
    // Truncation commutes with truncation: agreement on n digits implies agreement on fewer.
    int good = 0;
    int bad = limit + 1;
    while (bad - good > 1) {
        const int middle = (good + bad) / 2;
        const bool agree = digits_of(x.lower(), middle, MPFR_RNDZ) == digits_of(x.upper(), middle, MPFR_RNDZ);
        (agree ? good : bad) = middle;
    }
    return good;
}

std::string shared_decimal(const Interval& x, int digits) {
    const int count = shared_digits(x, digits);
    if (count == 0) return "";
    Digits number = digits_of(x.lower(), count, MPFR_RNDZ);
    if (!x.is_point()) return layout(number, count); // zeros that fill up to the point would not be shared
    drop_trailing_zeros(number.digits);
    return layout(number);
}

} // namespace kvproof
