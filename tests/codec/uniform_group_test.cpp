// The asymmetric uniform quantiser of KIVI and TurboQuant's values.
#include "lib/codec/uniform_group.hpp"

#include "lib/codec/half.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <rapidcheck/gtest.h>
#include <set>
#include <vector>

using namespace kvproof;

namespace {

using Vector = std::vector<double>;

Vector quantised(Vector x, int bits, CodeRounding rounding = CodeRounding::half_even) {
    (void)quantise_group(x, bits, rounding);
    return x;
}

Vector numbers(std::size_t n, std::mt19937_64& next, double spread = 1) {
    std::normal_distribution<double> normal(0, spread);
    Vector out(n);
    for (double& x : out) x = normal(next);
    return out;
}

TEST(UniformGroup, by_hand) {
    // scale 1, offset 0: 1.5 lies between codes 1 and 2, 0.5 between 0 and 1, 2.5 between 2 and 3
    EXPECT_EQ(quantised({0, 3, .5, 1.5, 2.5, 1}, 2), (Vector{0, 3, 0, 2, 2, 1}));
    EXPECT_EQ(quantised({0, 3, .5, 1.5, 2.5, 1}, 2, CodeRounding::half_up), (Vector{0, 3, 1, 2, 3, 1}));
    EXPECT_EQ(quantised({-1, 2, 0}, 2), (Vector{-1, 2, 0}));
    // An integer zero point clamped to the code range would decode [10, 11] to something near 1.
    EXPECT_EQ(quantised({10, 11}, 2), (Vector{10, 10 + 3 * nearest_half(1.0 / 3).value}));
}

/// Pitfall: scale 0 in the official code, 0/0 at encoding: a constant channel turned into NaN, or into 0.
TEST(UniformGroup, constant_groups_decode_exactly) {
    for (const double x : {0.0, 1.0, -0.375, 65504.0, -1000.0, std::ldexp(1, -24)})
        for (const int bits : {1, 2, 4, 8})
            for (const auto rounding : {CodeRounding::half_even, CodeRounding::half_up})
                EXPECT_EQ(quantised(Vector(32, x), bits, rounding), Vector(32, x));
    // what is no half becomes the nearest one
    EXPECT_EQ(quantised({.1, .1}, 2), Vector(2, nearest_half(.1).value));
    // a range below half of the least half: the scale is 0 though the group is not constant
    const double tiny = std::ldexp(1, -30);
    EXPECT_EQ(quantised({1, 1 + tiny}, 4), (Vector{1, 1}));
}

/// Pitfall: a saturating value, -125000 among small ones, destroyed its group: with an unclamped minimum the
/// scale is 41667 and the codes of the small ones are taken against an offset that is not there.
TEST(UniformGroup, a_saturating_value_leaves_the_others) {
    Vector x(32, 0.0);
    for (std::size_t i = 1; i < x.size(); ++i) x[i] = static_cast<double>(i) / 100;
    x[0] = -125000;
    for (const int bits : {2, 4}) {
        Vector y = x;
        EXPECT_EQ(quantise_group(y, bits, CodeRounding::half_even), 1u);
        EXPECT_EQ(y[0], -65504);
        // the top code: one ulp of the scale, times its number, is all that is lost
        const double step = 65504.0 / ((1 << bits) - 1);
        for (std::size_t i = 1; i < y.size(); ++i)
            EXPECT_LE(std::fabs(y[i] - x[i]), ((1 << bits) - 1) * step * 0x1p-11 + 1) << i;
    }
    Vector good(32, 1.5);
    EXPECT_EQ(quantise_group(good, 2, CodeRounding::half_even), 0u);
    Vector both = {1e38, -1e38, 0};
    EXPECT_EQ(quantise_group(both, 2, CodeRounding::half_even), 2u);
    for (const double y : both) EXPECT_TRUE(std::isfinite(y));
}

RC_GTEST_PROP(UniformGroupProperty, error_is_half_a_step_and_what_the_fields_round_away,
              (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const int bits = 1 + static_cast<int>(next() % 8);
    const Vector x = numbers(1 + next() % 64, next, std::ldexp(1, static_cast<int>(next() % 10) - 2));
    const UniformGroup group = fit_uniform_group(x, bits);
    const auto [least, largest] = std::ranges::minmax(x);
    const double most = (1 << bits) - 1;
    // binary16's relative error 2^-11 of the scale (or 2^-25 where subnormal) and of the offset
    const double slack =
        most * std::max(group.scale * 0x1.01p-11, 0x1p-25) + std::max(std::fabs(least) * 0x1p-11, 0x1p-25);
    const Vector y = quantised(x, bits);
    for (std::size_t i = 0; i < x.size(); ++i) RC_ASSERT(std::fabs(y[i] - x[i]) <= group.scale / 2 + slack);
    RC_ASSERT((std::set<double>(y.begin(), y.end()).size() <= std::size_t{1} << bits));
    // at least half a code is used at either end, so the bound is not vacuous
    RC_ASSERT(group.scale * most >= (largest - least) * (1 - 0x1.01p-11) - most * 0x1p-25);
}

RC_GTEST_PROP(UniformGroupProperty, order_is_kept, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    Vector x = numbers(32, next);
    std::ranges::sort(x);
    const Vector y = quantised(x, 2 + static_cast<int>(next() % 3));
    RC_ASSERT(std::ranges::is_sorted(y));
}

/// Pitfall: a test of 3-bit packing masked with 3 instead of 7 passed, since only four codes ever came out.
TEST(UniformGroup, every_code_of_three_bits_occurs) {
    Vector x;
    for (int i = 0; i < 8; ++i) x.push_back(i);
    EXPECT_EQ(quantised(x, 3), x);
    Vector masked = x; // the mutant
    for (double& entry : masked) entry = static_cast<double>(static_cast<int>(entry) & 3);
    EXPECT_NE(quantised(x, 3), masked);
}

} // namespace
