#include "lib/codec/half_bits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kvproof {
namespace {

constexpr int fraction_bits = 10;
constexpr int least_exponent = -14; // of a normal number
constexpr unsigned exponent_mask = 0x1f;
constexpr unsigned fraction_mask = 0x3ff;
constexpr unsigned sign_bit = 0x8000;

} // namespace

std::uint16_t half_bits(double half) {
    const unsigned sign = std::signbit(half) ? sign_bit : 0;
    const double size = std::fabs(half);
    if (size == 0) return static_cast<std::uint16_t>(sign);
    const int exponent = std::max(std::ilogb(size), least_exponent);
    const auto steps = static_cast<unsigned>(std::ldexp(size, fraction_bits - exponent)); // exact
    // a normal number's leading bit adds 1 to the exponent's field
    return static_cast<std::uint16_t>(
        sign + (static_cast<unsigned>(exponent - least_exponent) << fraction_bits) + steps);
}

double half_value(std::uint16_t bits) {
    const unsigned fraction = bits & fraction_mask;
    const int field = static_cast<int>((bits >> fraction_bits) & exponent_mask);
    const double sign = (bits & sign_bit) != 0 ? -1 : 1;
    if (field == static_cast<int>(exponent_mask))
        return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                             : std::numeric_limits<double>::quiet_NaN();
    const double steps = fraction + (field > 0 ? fraction_mask + 1 : 0);
    return sign * std::ldexp(steps, (field > 0 ? field - 1 : 0) + least_exponent - fraction_bits);
}

} // namespace kvproof
