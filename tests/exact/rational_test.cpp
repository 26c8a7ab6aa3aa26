// Reading, printing and rounding exact rationals, against the C++ library's own correctly rounded
// conversions.
#include "lib/error.hpp"
#include "tests/exact/generators.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

using namespace kvproof;
using namespace kvproof::test;

namespace {

ErrorCode code_of(const std::string& text) {
    try {
        (void)parse_rational(text);
    } catch (const Error& error) {
        return error.code();
    }
    return ErrorCode::internal; // nothing was thrown
}

constexpr double max64 = std::numeric_limits<double>::max();
constexpr double min64 = std::numeric_limits<double>::min();
constexpr double least64 = std::numeric_limits<double>::denorm_min();
constexpr float max32 = std::numeric_limits<float>::max();
constexpr float min32 = std::numeric_limits<float>::min();
constexpr float least32 = std::numeric_limits<float>::denorm_min();

/// Any finite bit pattern: subnormals and the largest numbers are as likely as 1.
double any_double() {
    for (;;) {
        const double value = std::bit_cast<double>(
            *rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>())));
        if (std::isfinite(value)) return value;
    }
}

std::size_t largest_request = 0;

void* watched_realloc(void* old, std::size_t, std::size_t size) {
    largest_request = std::max(largest_request, size);
    return std::realloc(old, size);
}

void* watched_malloc(std::size_t size) {
    return watched_realloc(nullptr, 0, size);
}

void watched_free(void* old, std::size_t) {
    std::free(old);
}

} // namespace

TEST(Rational, reads_what_the_text_denotes) {
    const std::pair<const char*, Rational> rows[] = {
        {"0", Rational(0)},
        {"-0", Rational(0)},
        {"-0.0e5", Rational(0)},
        {"+1", Rational(1)},
        {"007", Rational(7)}, // not octal
        {"010", Rational(10)},
        {"-08.50", Rational(-17, 2)},
        {"6/4", Rational(3, 2)},
        {"-010/020", Rational(-1, 2)},
        {"0/5", Rational(0)},
        {".5", Rational(1, 2)},
        {"5.", Rational(5)},
        {"1.5e-3", Rational(3, 2000)},
        {"1E+2", Rational(100)},
        {"0.1", Rational(1, 10)},
        {"0x10", Rational(16)},
        {"-0X.8p1", Rational(-1)},
        {"0x1.8p-3", Rational(3, 16)},
        {"0x1e5", Rational(485)}, // e is a digit here
        {"0x1.921fb54442d18p+1", Rational(Integer(884279719003555), Integer(281474976710656))},
        {"1e20000", power(Rational(10), 20000)},
        {"1e-20000", power(Rational(10), -20000)},
    };
    for (const auto& [text, value] : rows) EXPECT_EQ(parse_rational(text), value) << text;
}

TEST(Rational, refuses_what_is_no_number) {
    const std::string bad[] = {"",
                               " ",
                               "-",
                               "+",
                               ".",
                               "e5",
                               "1e",
                               "1e+",
                               "1e+-5",
                               "1e--5",
                               "1/",
                               "/2",
                               "1/0",
                               "1/-2",
                               "1/+2",
                               "1/2/3",
                               "1.5/2",
                               "1/2.5",
                               "1/2e5",
                               "--1",
                               "+-1",
                               "1 ",
                               " 1",
                               "1,5",
                               "1.2.3",
                               "0x",
                               "0xg",
                               "0x1/3",
                               "0x1p",
                               "0x1p+",
                               "1p3",
                               "nan",
                               "inf",
                               "-inf",
                               "1_0",
                               "1'0",
                               "\xc2\xbd",
                               "0x1.8p1.5",
                               "1e5.5",
                               std::string("1\0", 2),
                               std::string("1\0002", 3),
                               "1/00"};
    for (const std::string& text : bad) EXPECT_EQ(code_of(text), ErrorCode::bad_number) << text;
}

// Absurd sizes must not cost memory. The least long was once negated into itself, passed the check and read
// as 1.
TEST(Rational, refuses_absurd_exponents_before_spending_memory) {
    void* (*old_malloc)(std::size_t);
    void* (*old_realloc)(void*, std::size_t, std::size_t);
    void (*old_free)(void*, std::size_t);
    mp_get_memory_functions(&old_malloc, &old_realloc, &old_free);
    mp_set_memory_functions(watched_malloc, watched_realloc, watched_free);
    largest_request = 0;
    for (const char* text :
         {"1e20001", "1e-20001", "1e999999999", "-1e-999999999", "0x1p999999999", "0x1p-20001",
          "1e9223372036854775807", "1e-9223372036854775808", "1e99999999999999999999999"})
        EXPECT_EQ(code_of(text), ErrorCode::number_too_large) << text;
    EXPECT_EQ(code_of(std::string(20001, '1')), ErrorCode::number_too_large);
    EXPECT_LT(largest_request, 4096U);
    mp_set_memory_functions(old_malloc, old_realloc, old_free);
    EXPECT_EQ(parse_rational(std::string(20000, '0')), 0); // the longest text is still read
}

RC_GTEST_PROP(Rational, printing_and_reading_return_the_value, ()) {
    const Rational value = *any_rational();
    const std::string text = to_string(value);
    RC_ASSERT(parse_rational(text) == value);
    RC_ASSERT((text.find('/') == std::string::npos) == (denominator(value) == 1));
    RC_ASSERT(text == to_string(Rational(numerator(value) * 6, denominator(value) * 6))); // lowest terms
}

RC_GTEST_PROP(Rational, reads_the_c_librarys_decimals_and_hex_floats, ()) {
    const double value = any_double();
    char text[2000];
    std::snprintf(text, sizeof text, "%a", value);
    RC_ASSERT(parse_rational(text) == rational_from(value));
    std::snprintf(text, sizeof text, "%.1074f", value); // every digit of any double
    RC_ASSERT(parse_rational(text) == rational_from(value));
}

RC_GTEST_PROP(Rational, decimals_round_as_from_chars_does, ()) {
    std::string text = std::to_string(pick(0, 1L << 62)) + "." + std::to_string(pick(0, 1L << 62)) + "e" +
                       std::to_string(pick(0, 1) == 0 ? pick(-360, 280) : pick(-30, 20));
    double expected = 0;
    (void)std::from_chars(text.data(), text.data() + text.size(), expected);
    const Rational value = parse_rational(text);
    RC_LOG() << text;
    if (value > rational_from(least64) / 2)
        RC_ASSERT(nearest_float64(value) == expected); // else out of range
    RC_ASSERT(nearest_float64(-value) == -nearest_float64(value));
    float single = 0;
    const auto status = std::from_chars(text.data(), text.data() + text.size(), single).ec;
    if (status == std::errc()) RC_ASSERT(nearest_float32(value) == single);
}

RC_GTEST_PROP(Rational, floats_return_as_they_went, ()) {
    const double value = any_double();
    RC_ASSERT(std::bit_cast<std::uint64_t>(nearest_float64(rational_from(value)) + 0.0) ==
              std::bit_cast<std::uint64_t>(value + 0.0)); // + 0.0: -0 and 0 are one rational
    const auto narrowed = static_cast<float>(value);
    if (std::isfinite(narrowed)) RC_ASSERT(nearest_float32(rational_from(value)) == narrowed);
    const auto single = std::bit_cast<float>(static_cast<std::uint32_t>(pick(0, 0xffffffffL)));
    if (std::isfinite(single)) RC_ASSERT(nearest_float32(rational_from(single)) == single);
}

// Halfway between neighbours: to the even one; a hair beside: to the nearer one.
RC_GTEST_PROP(Rational, ties_go_to_even, ()) {
    const double from = any_double();
    const double to = std::nextafter(from, max64);
    RC_PRE(from != max64);
    const Rational middle = (rational_from(from) + rational_from(to)) / 2;
    const double even = (std::bit_cast<std::uint64_t>(from) & 1U) == 0 ? from : to;
    RC_ASSERT(nearest_float64(middle) == even);
    const Rational hair = power_of_two(-1200);
    RC_ASSERT(nearest_float64(middle - hair) == from);
    RC_ASSERT(nearest_float64(middle + hair) == to);
}

TEST(Rational, ends_of_the_formats) {
    for (const double value : {max64, min64, least64, std::nextafter(min64, 0.0), 0.0, 1.0}) {
        EXPECT_EQ(nearest_float64(rational_from(value)), value);
        EXPECT_EQ(nearest_float64(rational_from(-value)), -value);
    }
    for (const float value : {max32, min32, least32, std::nextafter(min32, 0.0F)})
        EXPECT_EQ(nearest_float32(rational_from(value)), value);
    const Rational half_least = power_of_two(-1075);
    EXPECT_EQ(nearest_float64(half_least), 0.0); // a tie, 0 is even
    EXPECT_EQ(nearest_float64(half_least + power_of_two(-2000)), least64);
    EXPECT_EQ(nearest_float64(3 * half_least), 2 * least64);
    EXPECT_EQ(nearest_float32(power_of_two(-150)), 0.0F);
    EXPECT_EQ(nearest_float32(power_of_two(-150) + power_of_two(-2000)), least32);
    // Overflow begins halfway between the largest number and the next one there would be.
    const Rational over64 = rational_from(max64) + power_of_two(970);
    EXPECT_EQ(nearest_float64(over64 - power_of_two(-9)), max64);
    EXPECT_THROW((void)nearest_float64(over64), Error);
    EXPECT_THROW((void)nearest_float64(-over64), Error);
    EXPECT_THROW((void)nearest_float64(power(Rational(10), 20000)), Error);
    const Rational over32 = rational_from(max32) + power_of_two(103);
    EXPECT_EQ(nearest_float32(over32 - power_of_two(-9)), max32);
    EXPECT_THROW((void)nearest_float32(over32), Error);
    EXPECT_THROW((void)rational_from(std::numeric_limits<double>::infinity()), Error);
    EXPECT_THROW((void)rational_from(std::numeric_limits<double>::quiet_NaN()), Error);
}

// Rounded in one step: a detour through binary64 would round 1 + 2^-24 + 2^-60 to 1 + 2^-24 and then to 1.
TEST(Rational, float32_is_not_rounded_twice) {
    const Rational value = 1 + power_of_two(-24) + power_of_two(-60);
    EXPECT_EQ(rational_from(nearest_float32(value)), 1 + power_of_two(-23));
    EXPECT_EQ(static_cast<float>(nearest_float64(value)), 1.0F);
}

RC_GTEST_PROP(Rational, floor_and_power, ()) {
    const Rational value = *any_rational(100);
    const Rational whole(floor(value));
    RC_ASSERT(denominator(whole) == 1);
    RC_ASSERT((whole <= value && value < whole + 1));
    const long m = pick(-6, 6), n = pick(-6, 6);
    if (value == 0) {
        RC_ASSERT(power(value, std::labs(n)) == (n == 0 ? 1 : 0));
        RC_ASSERT_THROWS_AS((void)power(value, -1), Error);
        return;
    }
    RC_ASSERT(power(value, m) * power(value, n) == power(value, m + n));
    RC_ASSERT(power(value, 1) == value);
    RC_ASSERT(denominator(power(value, n)) > 0);
}

RC_GTEST_PROP(Rational, shared_floats_are_what_every_member_rounds_to, ()) {
    const Rational value = *any_rational(60);
    const Bits bits = *any_bits();
    const Interval x(value, bits);
    const auto single = shared_float32(x);
    const auto twice = shared_float64(x);
    for (const Rational& member : members(x)) {
        if (single) RC_ASSERT(nearest_float32(member) == *single);
        if (twice) RC_ASSERT(nearest_float64(member) == *twice);
    }
    if (!twice) RC_ASSERT(nearest_float64(x.lower_rational()) != nearest_float64(x.upper_rational()));
    RC_ASSERT(!shared_float32(Interval::undefined()) && !shared_float64(Interval::whole()));
}
