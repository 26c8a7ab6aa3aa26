// Numbers of every dtype: 16-bit ones exhaustively against a formula that works on the value as a rational,
// the others bit for bit, and what is refused among them.
#include "lib/capture/float_array.hpp"

#include "lib/exact/rational.hpp"
#include "tests/capture/files.hpp"

#include <cmath>
#include <limits>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

/// What a binary interchange format of this many exponent and fraction bits says: an exact rational.
std::optional<Rational> value_of(unsigned bits, unsigned exponent_bits, unsigned fraction_bits) {
    const unsigned fraction = bits % (1U << fraction_bits);
    const unsigned exponent = (bits >> fraction_bits) % (1U << exponent_bits);
    const bool negative = (bits >> (fraction_bits + exponent_bits)) != 0;
    if (exponent + 1 == 1U << exponent_bits) return std::nullopt; // infinities and NaNs
    const long bias = (1L << (exponent_bits - 1)) - 1;
    const Rational steps = exponent == 0 ? Rational(fraction) : Rational(fraction + (1U << fraction_bits));
    const long scale =
        (exponent == 0 ? 1 : static_cast<long>(exponent)) - bias - static_cast<long>(fraction_bits);
    const Rational size = steps * power(Rational(2), scale);
    return negative ? Rational(-size) : size;
}

Tensor tensor_of(const std::string& dtype, const Shape& shape, const std::string& bytes) {
    return float_tensor(TensorView{"layers.0.k", dtype, shape, bytes}, "file");
}

/// All 65536 patterns of a 16-bit dtype; `numpy` names it in .npy, if it is there.
void test_every_pattern(const std::string& dtype, const char* numpy, unsigned exponent_bits,
                        unsigned fraction_bits) {
    std::vector<std::uint16_t> finite;
    std::vector<Rational> expected;
    for (unsigned bits = 0; bits < 65536; ++bits) {
        const auto value = value_of(bits, exponent_bits, fraction_bits);
        if (value) {
            finite.push_back(static_cast<std::uint16_t>(bits));
            expected.push_back(*value);
            continue;
        }
        const std::string bytes = bytes_of(std::vector<std::uint16_t>{0, static_cast<std::uint16_t>(bits)});
        EXPECT_TRUE(refuses([&] { (void)tensor_of(dtype, {2}, bytes); }, ErrorCode::bad_capture,
                            {"file", "layers.0.k", "[1]"}))
            << bits;
    }
    const std::string bytes = bytes_of(finite);
    const Tensor out = tensor_of(dtype, {finite.size()}, bytes);
    ASSERT_EQ(out.values.size(), finite.size());
    for (std::size_t i = 0; i < finite.size(); ++i) {
        ASSERT_EQ(rational_from(out.values[i]), expected[i]) << finite[i];
        ASSERT_EQ(std::signbit(out.values[i]), finite[i] >= 0x8000) << finite[i]; // -0 too
    }
    if (numpy == nullptr) return;
    EXPECT_EQ(float_tensor(NpyView{numpy, false, {finite.size()}, bytes}, "file").values, out.values);
}

TEST(FloatArray, decodes_every_binary16_pattern) {
    test_every_pattern("F16", "<f2", 5, 10);
}

TEST(FloatArray, decodes_every_bfloat16_pattern) {
    test_every_pattern("BF16", nullptr, 8, 7);
}

/// The formula itself, on patterns whose values stand in the IEEE 754 standard.
TEST(FloatArray, formula_knows_the_standard) {
    EXPECT_EQ(*value_of(0x3C00, 5, 10), 1);
    EXPECT_EQ(*value_of(0xC000, 5, 10), -2);
    EXPECT_EQ(*value_of(0x7BFF, 5, 10), 65504);
    EXPECT_EQ(*value_of(0x0001, 5, 10), power(Rational(2), -24));
    EXPECT_EQ(*value_of(0x03FF, 5, 10), Rational(1023) * power(Rational(2), -24));
    EXPECT_EQ(*value_of(0x3F80, 8, 7), 1);
    EXPECT_EQ(*value_of(0x0001, 8, 7), power(Rational(2), -133));
    EXPECT_FALSE(value_of(0x7C00, 5, 10));
    EXPECT_NE(*value_of(0x3C01, 5, 10), *value_of(0x3C01, 8, 7)); // the formats differ
}

RC_GTEST_PROP(FloatArray, keeps_every_binary64_and_binary32_bit, (std::vector<double> numbers)) {
    std::vector<double> usable;
    std::vector<float> singles;
    for (const double x : numbers)
        if (std::abs(x) <= largest_value) {
            usable.push_back(x);
            singles.push_back(static_cast<float>(x));
        }
    const Shape shape = {usable.size()};
    const std::string bytes = bytes_of(usable);
    const std::string single_bytes = bytes_of(singles);
    RC_ASSERT(bytes_of(tensor_of("F64", shape, bytes).values) == bytes);
    RC_ASSERT(bytes_of(float_tensor(NpyView{"<f8", false, shape, bytes}, "file").values) == bytes);
    const std::vector<double> widened(singles.begin(), singles.end());
    RC_ASSERT(tensor_of("F32", shape, single_bytes).values == widened);
    RC_ASSERT(float_tensor(NpyView{"<f4", false, shape, single_bytes}, "file").values == widened);
    std::string reversed;
    for (const double x : usable) {
        const std::string one = bytes_of(std::vector<double>{x});
        reversed.append(one.rbegin(), one.rend());
    }
    RC_ASSERT(bytes_of(float_tensor(NpyView{">f8", false, shape, reversed}, "file").values) == bytes);
}

/// Column-major order against the definition: entry (i, j, k) lies at i + a (j + b k).
RC_GTEST_PROP(FloatArray, brings_columns_into_rows, ()) {
    const auto side = [] { return static_cast<std::size_t>(*rc::gen::inRange(1, 6)); };
    const std::size_t a = side();
    const std::size_t b = side();
    const std::size_t c = side();
    const std::string bytes = bytes_of(counted({a, b, c}));
    const Tensor out = float_tensor(NpyView{"<f4", true, {a, b, c}, bytes}, "file");
    for (std::size_t i = 0; i < a; ++i)
        for (std::size_t j = 0; j < b; ++j)
            for (std::size_t k = 0; k < c; ++k)
                RC_ASSERT(out.values[(i * b + j) * c + k] == static_cast<double>(1 + i + a * (j + b * k)));
}

TEST(FloatArray, refuses_what_is_no_usable_number) {
    const auto of = [](double x) { return bytes_of(std::vector<double>{1, x}); };
    for (const double x :
         {std::nan(""), HUGE_VAL, -HUGE_VAL, std::nextafter(largest_value, HUGE_VAL), -1e39}) {
        const std::string bytes = of(x);
        EXPECT_TRUE(refuses(
            [&] {
                (void)tensor_of("F64", {1, 2}, bytes);
            },
            ErrorCode::bad_capture, {"file", "layers.0.k", "[0, 1]"}))
            << x;
        EXPECT_TRUE(refuses(
            [&] {
                (void)float_tensor(NpyView{"<f8", false, {1, 2}, bytes}, "file");
            },
            ErrorCode::bad_capture, {"file", "[0, 1]"}))
            << x;
    }
    const std::string edge = of(-largest_value);
    EXPECT_EQ(tensor_of("F64", {2}, edge).values[1], -static_cast<double>(std::numeric_limits<float>::max()));
    const std::string four(4, '\0');
    for (const char* dtype : {"I32", "U32", "BOOL"})
        EXPECT_TRUE(refuses([&] { (void)tensor_of(dtype, {1}, four); }, ErrorCode::bad_capture,
                            {"layers.0.k", dtype, "F16, BF16, F32 or F64"}));
    for (const char* dtype : {"<i4", "|u1", "<c8", "|b1"})
        EXPECT_TRUE(refuses(
            [&] {
                (void)float_tensor(NpyView{dtype, false, {1}, four}, "file");
            },
            ErrorCode::bad_capture, {"file", dtype}));
}

} // namespace
