#include "lib/codec/half.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof {
namespace {

/// log2 of the unit in the last place of a finite x as binary16, a subnormal's for small ones.
int half_unit(double x) {
    constexpr int least_exponent = -14; // of a normal number
    constexpr int fraction_bits = 10;
    return std::max(std::ilogb(x), least_exponent) - fraction_bits;
}

} // namespace

double round_half_even(double x) {
    const double below = std::floor(x);
    const double rest = x - below; // exact
    const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2.0) != 0);
    return up ? below + 1 : below;
}

Half nearest_half(double x) {
    constexpr double first_infinite = 65520; // half-way between 65504 and 2^16, which is even
    if (std::isnan(x)) return {x, false};
    if (std::fabs(x) >= first_infinite) return {std::copysign(largest_half, x), true};
    if (x == 0) return {x, false};
    // The unit in the last place is a power of two: both scalings are exact.
    const int unit = half_unit(x);
    return {std::ldexp(round_half_even(std::ldexp(x, -unit)), unit), false};
}

Half half_not_below(double x) {
    if (std::isnan(x)) return {x, false};
    if (x > largest_half) return {largest_half, true};
    if (x <= -largest_half) return {-largest_half, x < -largest_half};
    if (x == 0) return {x, false};
    const int unit = half_unit(x);
    return {std::ldexp(std::ceil(std::ldexp(x, -unit)), unit), false};
}

} // namespace kvproof
