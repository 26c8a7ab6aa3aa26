// binary16 numbers and their bits, all of them.
#include "lib/codec/half_bits.hpp"

#include "lib/codec/half.hpp"

#include <cmath>
#include <gtest/gtest.h>

using namespace kvproof;

namespace {

TEST(HalfBits, every_finite_number_comes_back) {
    double before = -1;
    for (unsigned bits = 0; bits < 0x7c00; ++bits) {
        const double value = half_value(static_cast<std::uint16_t>(bits));
        EXPECT_GT(value, before); // the numbers ascend with their bits
        before = value;
        ASSERT_EQ(half_bits(value), bits);
        ASSERT_EQ(half_bits(-value), bits + 0x8000);
        ASSERT_EQ(nearest_half(value).value, value);
        ASSERT_EQ(half_value(static_cast<std::uint16_t>(bits + 0x8000)), -value);
    }
    EXPECT_EQ(before, largest_half);
}

TEST(HalfBits, known_numbers) {
    EXPECT_EQ(half_bits(1), 0x3c00);
    EXPECT_EQ(half_bits(-2), 0xc000);
    EXPECT_EQ(half_bits(65504), 0x7bff);
    EXPECT_EQ(half_bits(0x1p-24), 1);
    EXPECT_EQ(half_value(0x3555), 0x1.554p-2);
    EXPECT_TRUE(std::isinf(half_value(0x7c00)));
    EXPECT_TRUE(std::isnan(half_value(0x7e00)));
}

} // namespace
