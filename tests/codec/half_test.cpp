// Binary16 rounding: all 65536 numbers, every midpoint between neighbours, and the policy beyond the range.
#include "lib/codec/half.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck/gtest.h>
#include <vector>

using namespace kvproof;

namespace {

/// All finite halves that are not negative, from the format's definition.
std::vector<double> halves() {
    std::vector<double> out;
    for (int bits = 0; bits < 31 << 10; ++bits) {
        const int exponent = bits >> 10;
        const int fraction = bits & 1023;
        out.push_back(exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
    }
    return out;
}

TEST(Half, every_half_is_itself_and_midpoints_go_to_the_even_neighbour) {
    const std::vector<double> all = halves();
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(nearest_half(all[i]).value, all[i]);
        EXPECT_EQ(nearest_half(-all[i]).value, -all[i]);
        EXPECT_FALSE(nearest_half(all[i]).saturated);
        if (i + 1 == all.size()) break;
        const double middle = (all[i] + all[i + 1]) / 2; // exact
        const double even = i % 2 == 0 ? all[i] : all[i + 1];
        EXPECT_EQ(nearest_half(middle).value, even) << i;
        EXPECT_EQ(nearest_half(-middle).value, -even);
        EXPECT_EQ(nearest_half(std::nextafter(middle, 0)).value, all[i]);
        EXPECT_EQ(nearest_half(std::nextafter(middle, 1e9)).value, all[i + 1]);
    }
}

RC_GTEST_PROP(HalfProperty, is_the_nearest_of_all, (std::uint64_t seed)) {
    static const std::vector<double> all = halves();
    const double x =
        std::ldexp(static_cast<double>(seed >> 11), -53) * std::ldexp(1, static_cast<int>(seed % 44) - 28);
    const double found = nearest_half(x).value;
    for (const double other : all) RC_ASSERT(std::fabs(found - x) <= std::fabs(other - x));
}

/// Pitfall: one activation of -125000 among small ones became -inf in a 16-bit cache and the whole vector
/// NaN.
TEST(Half, beyond_the_range_it_saturates_and_says_so) {
    const double first_infinite = 65520;
    EXPECT_EQ(nearest_half(std::nextafter(first_infinite, 0)).value, 65504);
    EXPECT_FALSE(nearest_half(std::nextafter(first_infinite, 0)).saturated);
    for (const double x : {first_infinite, 125000.0, 3e38, std::numeric_limits<double>::infinity()})
        for (const double sign : {-1.0, 1.0}) {
            EXPECT_EQ(nearest_half(sign * x).value, sign * 65504);
            EXPECT_TRUE(nearest_half(sign * x).saturated);
        }
    EXPECT_TRUE(std::isnan(nearest_half(std::nan("")).value));
    EXPECT_TRUE(std::signbit(nearest_half(-0.0).value));
    EXPECT_EQ(nearest_half(std::numeric_limits<double>::denorm_min()).value, 0);
}

TEST(Half, round_half_even) {
    const double cases[][2] = {{0.5, 0},   {1.5, 2},   {2.5, 2},    {-0.5, 0},
                               {-1.5, -2}, {-2.5, -2}, {2.4999, 2}, {7, 7}};
    for (const auto& [x, expected] : cases) EXPECT_EQ(round_half_even(x), expected) << x;
}

} // namespace
