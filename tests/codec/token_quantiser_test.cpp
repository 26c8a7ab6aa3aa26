// AATC's token-scaled quantiser, as printed and repaired: levels by hand, the bound that one keeps and the
// other breaks, and scales in binary16.
#include "lib/codec/token_quantiser.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>
#include <vector>

using namespace kvproof;

namespace {

using Vector = std::vector<double>;
constexpr TokenCode printed = TokenCode::printed;
constexpr TokenCode repaired = TokenCode::repaired;

Vector quantised(const Vector& h, double reach, int bits, TokenCode form) {
    Vector out;
    for (const double x : h) out.push_back(TokenQuantiser{reach, bits, form}.quantised(x));
    return out;
}

TEST(TokenQuantiser, by_hand) {
    const Vector h = {-4, -3.5, -3, -1, -.5, 0, .5, 1, 2.9, 3, 4};
    EXPECT_EQ(quantised(h, 4, 0, printed), Vector(11, -4));
    EXPECT_EQ(quantised(h, 4, 1, printed), (Vector{-4, -4, -4, 0, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(quantised(h, 4, 2, printed), (Vector{-4, -4, -2, 0, 0, 0, 0, 2, 2, 2, 2}));
    EXPECT_EQ(quantised(h, 4, 3, printed), (Vector{-4, -3, -3, -1, 0, 0, 1, 1, 3, 3, 3}));
    EXPECT_EQ(quantised(h, 4, 0, repaired), Vector(11, 0));
    EXPECT_EQ(quantised(h, 4, 1, repaired), (Vector{-2, -2, -2, -2, -2, 2, 2, 2, 2, 2, 2}));
    EXPECT_EQ(quantised(h, 4, 2, repaired), (Vector{-3, -3, -3, -1, -1, 1, 1, 1, 3, 3, 3}));
    EXPECT_EQ(quantised(h, 4, 3, repaired), (Vector{-3.5, -3.5, -2.5, -.5, -.5, .5, .5, 1.5, 2.5, 3.5, 3.5}));
    for (const TokenCode form : {printed, repaired})
        EXPECT_EQ(quantised({-1, 0, 2}, 0, 5, form), (Vector{0, 0, 0}));
}

TEST(TokenQuantiser, codes_are_bits) {
    for (const TokenCode form : {printed, repaired})
        for (int bits = 1; bits <= 8; ++bits) {
            const TokenQuantiser quantiser{1, bits, form};
            std::set<double> codes;
            for (int i = -1100; i <= 1100; ++i) {
                const double code = quantiser.code(i / 1024.0);
                EXPECT_EQ(code, std::floor(code));
                EXPECT_EQ(quantiser.code(quantiser.decode(code)), code);
                codes.insert(code);
            }
            EXPECT_EQ(codes.size(), std::size_t{1} << bits);
            EXPECT_EQ(*codes.begin(), -std::ldexp(1, bits - 1));
            EXPECT_EQ(*codes.rbegin(), std::ldexp(1, bits - 1) - 1);
        }
}

/// A number within the reach, ends and cell edges often.
double any_within(double reach, int bits) {
    const int steps = 1 << std::min(bits + 1, 12);
    const int grid = *rc::gen::inRange(-steps, steps + 1);
    if (*rc::gen::inRange(0, 2) == 0) return reach * grid / steps;
    return reach * (*rc::gen::inRange(-1'000'000'000, 1'000'000'001) / 1e9);
}

/// |h/Delta| <= 2^(b-1) is rounded once, and so is the level: at most 2^(b-1) 2^-53 of a cell each.
RC_GTEST_PROP(TokenQuantiserProperty, repaired_errs_by_half_a_step_at_most, ()) {
    const int bits = *rc::gen::inRange(0, 17);
    const double reach = *rc::gen::inRange(1, 1'000'000) / 999.0;
    const double h = any_within(reach, bits);
    const TokenQuantiser quantiser{reach, bits, repaired};
    const double slack = std::ldexp(1.0, bits - 52);
    RC_ASSERT(std::fabs(h - quantiser.quantised(h)) <= quantiser.step() * (0.5 + slack));
    // and is odd but on the edges of cells
    const double cell = h / quantiser.step();
    if (bits > 0 && cell != std::floor(cell)) RC_ASSERT(quantiser.quantised(-h) == -quantiser.quantised(h));
}

/// The mutant of the property above is the printed form: the entry that sets alpha errs by a whole step where
/// it is positive, at every b.
RC_GTEST_PROP(TokenQuantiserProperty, printed_errs_by_a_step_where_alpha_is_set, ()) {
    const int bits = *rc::gen::inRange(1, 17);
    const double reach = *rc::gen::inRange(1, 1'000'000) / 999.0;
    const TokenQuantiser quantiser{reach, bits, printed};
    RC_ASSERT(quantiser.quantised(reach) == (std::ldexp(1.0, bits - 1) - 1) * quantiser.step());
    RC_ASSERT(quantiser.quantised(-reach) == -reach);
    // below the last level and a half it keeps half a step
    const double h = any_within(reach, bits);
    if (h <= reach - quantiser.step() / 2)
        RC_ASSERT(std::fabs(h - quantiser.quantised(h)) <=
                  quantiser.step() * (0.5 + std::ldexp(1.0, bits - 52)));
}

TEST(TokenScale, is_the_largest_ratio_of_live_channels) {
    EXPECT_EQ(token_scale(Vector{1, -6, 3, 100}, Vector{1, 2, 4, 0}), 3);
    EXPECT_EQ(token_scale(Vector{0, 0}, Vector{1, 2}), 0);
    EXPECT_EQ(token_scale(Vector{5}, Vector{0}), 0);
    EXPECT_EQ(token_scale(Vector{}, Vector{}), 0);
}

RC_GTEST_PROP(TokenScale, is_stored_in_a_half, ()) {
    const double alpha = std::ldexp(*rc::gen::inRange(1, 1 << 30), *rc::gen::inRange(-60, -16));
    const Half near = stored_token_scale(alpha, printed);
    const Half above = stored_token_scale(alpha, repaired);
    RC_ASSERT(near.value == nearest_half(alpha).value);
    RC_ASSERT(above.value >= alpha);
    RC_ASSERT(nearest_half(above.value).value == above.value);
    // the half below does not cover alpha
    const double unit = std::ldexp(1.0, std::max(std::ilogb(above.value), -14) - 10);
    const bool power = above.value == std::ldexp(1.0, std::ilogb(above.value)) && above.value > 0x1p-14;
    RC_ASSERT(above.value - (power ? unit / 2 : unit) < alpha);
    RC_ASSERT((near.value == above.value || near.value < alpha));
}

TEST(TokenScale, edges_of_binary16) {
    EXPECT_EQ(half_not_below(0).value, 0);
    EXPECT_EQ(half_not_below(0x1p-30).value, 0x1p-24);
    EXPECT_EQ(half_not_below(-0x1p-30).value, 0);
    EXPECT_EQ(half_not_below(2047.25).value, 2048);
    EXPECT_EQ(half_not_below(-2048.5).value, -2048);
    EXPECT_EQ(half_not_below(65504).value, 65504);
    EXPECT_FALSE(half_not_below(65504).saturated);
    EXPECT_EQ(half_not_below(65504.5).value, 65504);
    EXPECT_TRUE(half_not_below(65504.5).saturated);
    EXPECT_EQ(half_not_below(-70000).value, -65504);
    EXPECT_TRUE(std::isnan(half_not_below(std::nan("")).value));
    EXPECT_EQ(stored_token_scale(0x1p-30, printed).value, 0); // such a token is lost, printed
}

} // namespace
