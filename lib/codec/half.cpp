#include "lib/codec/half.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof {

double round_half_even(double x) {
    const double below = std::floor(x);
    const double rest = x - below; // exact
    const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2.0) != 0);
    return up ? below + 1 : below;
}

Half nearest_half(double x) {
    constexpr int least_exponent = -14; // of a normal number
    constexpr int fraction_bits = 10;
    constexpr double first_infinite = 65520; // half-way between 65504 and 2^16, which is even
    if (std::isnan(x)) return {x, false};
    if (std::fabs(x) >= first_infinite) return {std::copysign(largest_half, x), true};
    if (x == 0) return {x, false};
    // The unit in the last place is a power of two: both scalings are exact.
    const int unit = std::max(std::ilogb(x), least_exponent) - fraction_bits;
    return {std::ldexp(round_half_even(std::ldexp(x, -unit)), unit), false};
}

} // namespace kvproof
