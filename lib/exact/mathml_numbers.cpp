#include "lib/exact/mathml_typeset.hpp"

#include <algorithm>
#include <optional>

namespace kvproof::mathml {
namespace {

/// The places after the point of a decimal that ends, 0 for an integer; nothing for other rationals.
std::optional<int> decimal_places(const Rational& value) {
    constexpr int most = 60;
    Integer scaled = denominator(value);
    for (int places = 0; places <= most; ++places)
        if (boost::multiprecision::pow(Integer(10), static_cast<unsigned>(places)) % scaled == 0)
            return places;
    return {};
}

/// A decimal as people print it: 0.63661974, or 3 times a power of ten where that is shorter. Nothing where a
/// fraction reads better. The value is positive.
std::optional<Typeset> decimal(const Rational& value) {
    constexpr int simple = 20; // 1/2, 27/20 and the like stay fractions
    constexpr int longest = 15;
    if (denominator(value) <= simple) return {};
    const std::optional<int> places = decimal_places(value);
    if (!places) return {};
    const Rational scaled = value * power(Rational(10), *places);
    std::string digits = numerator(scaled).str();
    const auto count = static_cast<std::size_t>(*places);
    if (*places <= longest && digits.size() <= longest) {
        if (digits.size() <= count) digits.insert(0, count + 1 - digits.size(), '0');
        digits.insert(digits.size() - count, ".");
        return Typeset{number(digits), 3, digits.size()};
    }
    constexpr std::size_t short_enough = 6;
    if (digits.size() > short_enough) return {};
    const std::string ten =
        superscript(number("10"), row(operation(minus_sign) + number(std::to_string(*places))));
    constexpr std::size_t ten_width = 4;
    if (digits == "1") return Typeset{ten, 2, ten_width};
    return Typeset{row(number(digits) + operation(dot_sign) + ten), 1, digits.size() + ten_width};
}

Typeset whole_number(const Integer& value) {
    const std::string digits = value.str();
    return {number(digits), 3, digits.size()};
}

Typeset positive_number(const Rational& value) {
    if (denominator(value) == 1) return whole_number(numerator(value));
    if (const std::optional<Typeset> short_form = decimal(value)) return *short_form;
    return fraction(whole_number(numerator(value)), whole_number(denominator(value)));
}

} // namespace

Typeset fraction(const Typeset& above, const Typeset& below) {
    return {element("mfrac", above.xml + below.xml), 2, std::max(above.width, below.width)};
}

Typeset negative(const Typeset& size) {
    const Typeset wrapped = wrap(size, 1);
    return {row(operation(minus_sign) + wrapped.xml), 0, wrapped.width + 1};
}

Typeset typeset(const Rational& value) {
    return value < 0 ? negative(positive_number(Rational(-value))) : positive_number(value);
}

} // namespace kvproof::mathml
