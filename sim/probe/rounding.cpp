#include "sim/probe/rounding.hpp"

#include <algorithm>

namespace kvproof {

Rational simplest_between(const Rational& low, const Rational& high) {
    // continued fractions: an integer in between is simplest, else both have the same integer part
    const Integer whole = floor(low);
    if (Rational(whole) == low) return low;
    if (Rational(whole + 1) <= high) return Rational(whole + 1);
    return Rational(whole) + 1 / simplest_between(1 / (high - whole), 1 / (low - whole));
}

std::vector<Integer> in_proportion(const std::vector<Rational>& values) {
    Integer unit = 1;
    for (const Rational& value : values) unit = lcm(unit, denominator(value));
    std::vector<Integer> out;
    Integer common = 0;
    for (const Rational& value : values) {
        out.push_back(numerator(value * Rational(unit)));
        common = gcd(common, out.back());
    }
    for (Integer& value : out) value /= common;
    return out;
}

std::vector<Integer> simple_proportion(const std::vector<Rational>& values, const Rational& tolerance) {
    const Rational most = *std::ranges::max_element(values);
    std::vector<Rational> out;
    for (const Rational& value : values) {
        const Rational low = value / most - tolerance;
        out.push_back(low <= 0 ? Rational(0) : simplest_between(low, value / most + tolerance));
    }
    return in_proportion(out);
}

std::vector<Integer> fine_proportion(const std::vector<Rational>& values, int bits) {
    const Rational most = *std::ranges::max_element(values);
    std::vector<Integer> out;
    for (const Rational& value : values)
        out.push_back(
            std::max(Integer(1), floor(value / most * Rational(Integer(1) << static_cast<unsigned>(bits)))));
    return out;
}

} // namespace kvproof
