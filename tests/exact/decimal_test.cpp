// Printed decimals: bounds are rounded outward and no further than one unit of the last digit, shared digits
// are shared by all members, and no locale changes a byte.
#include "lib/exact/decimal.hpp"
#include "tests/exact/generators.hpp"

#include <algorithm>
#include <clocale>
#include <locale>

using namespace kvproof;
using namespace kvproof::test;

namespace {

/// k with 10^(k-1) <= |value| < 10^k; value != 0.
long decimal_exponent(const Rational& value) {
    const Rational size = abs(value);
    // an estimate from the bit lengths, then corrected
    long k = (static_cast<long>(msb(numerator(size))) - static_cast<long>(msb(denominator(size)))) * 3 / 10;
    while (power(Rational(10), k) <= size) ++k;
    while (power(Rational(10), k - 1) > size) --k;
    return k;
}

/// One unit of the last of `digits` significant digits.
Rational unit_of(const Rational& value, int digits) {
    return power(Rational(10), decimal_exponent(value) - digits);
}

Rational truncated(const Rational& value, int digits) {
    if (value == 0) return value;
    const Rational unit = unit_of(value, digits);
    const Rational whole(floor(abs(value) / unit));
    return (value < 0 ? -unit : unit) * whole;
}

/// Digits of the mantissa without leading zeros.
std::size_t significant_digits(const std::string& text) {
    std::string digits;
    for (const char c : text.substr(0, text.find('e')))
        if (c >= '0' && c <= '9') digits += c;
    const std::size_t first = digits.find_first_not_of('0');
    return first == std::string::npos ? 0 : digits.size() - first;
}

struct GermanNumbers : std::numpunct<char> {
    [[nodiscard]] char do_decimal_point() const override { return ','; }
    [[nodiscard]] char do_thousands_sep() const override { return '.'; }
    [[nodiscard]] std::string do_grouping() const override { return "\3"; }
};

} // namespace

RC_GTEST_PROP(Decimal, bounds_are_outward_and_tight, ()) {
    const Interval x = *bounded_interval();
    const int digits = static_cast<int>(pick(1, 60));
    const Rational a = x.lower_rational(), b = x.upper_rational();
    const Rational low = parse_rational(lower_decimal(x, digits));
    const Rational high = parse_rational(upper_decimal(x, digits));
    RC_ASSERT(low <= a);
    RC_ASSERT(high >= b);
    RC_ASSERT((a == 0 ? low == 0 : a - low < unit_of(a, digits)));
    RC_ASSERT((b == 0 ? high == 0 : high - b < unit_of(b, digits)));
    // no more digits than were asked for: the value lies on the grid of that many digits
    RC_ASSERT(truncated(low, digits) == low);
    RC_ASSERT(truncated(high, digits) == high);
}

RC_GTEST_PROP(Decimal, bounds_mirror_each_other, ()) {
    const Interval x = *bounded_interval();
    const int digits = static_cast<int>(pick(1, 60));
    const std::string high = upper_decimal(neg(x), digits);
    std::string mirrored = high[0] == '-' ? high.substr(1) : high == "0" ? "0" : "-" + high;
    RC_ASSERT(lower_decimal(x, digits) == mirrored);
}

RC_GTEST_PROP(Decimal, shared_digits_are_a_maximal_common_prefix, ()) {
    // Near neighbours, so that there is something to share.
    const Rational a = *any_rational(200);
    const Rational b = a + (pick(0, 3) == 0 ? Rational(0) : Rational(a * power(Rational(10), -pick(0, 50))));
    const Interval x = ordered(a, b, *any_bits());
    const int limit = static_cast<int>(pick(1, 60));
    const int shared = shared_digits(x, limit);
    const std::string text = shared_decimal(x, limit);
    RC_ASSERT((0 <= shared && shared <= limit));
    RC_ASSERT(text.empty() == (shared == 0));
    if (shared > 0) {
        for (const Rational& member : members(x))
            RC_ASSERT(truncated(member, shared) == parse_rational(text));
        if (!x.is_point()) RC_ASSERT(significant_digits(text) == static_cast<std::size_t>(shared));
    }
    if (shared < limit)
        RC_ASSERT(truncated(x.lower_rational(), shared + 1) != truncated(x.upper_rational(), shared + 1));
}

TEST(Decimal, known_texts) {
    const Interval third(Rational(1, 3), 200);
    EXPECT_EQ(lower_decimal(third, 5), "0.33333");
    EXPECT_EQ(upper_decimal(third, 5), "0.33334");
    EXPECT_EQ(lower_decimal(neg(third), 5), "-0.33334");
    EXPECT_EQ(upper_decimal(neg(third), 5), "-0.33333");
    EXPECT_EQ(shared_decimal(third, 7), "0.3333333");
    EXPECT_EQ(shared_decimal(pi(128), 30), "3.14159265358979323846264338327");
    EXPECT_EQ(lower_decimal(Interval(Rational(1, 4), 53), 20), "0.25");
    EXPECT_EQ(shared_decimal(Interval(Rational(1, 4), 53), 20), "0.25");
    EXPECT_EQ(shared_decimal(Interval(Rational(12300), 53), 20), "12300");
    EXPECT_EQ(upper_decimal(Interval(Rational(1999), 53), 1), "2000"); // carries
    EXPECT_EQ(lower_decimal(Interval(), 5), "0");
    EXPECT_EQ(shared_decimal(Interval(), 5), "0");
    EXPECT_EQ(lower_decimal(Interval(power(Rational(10), 30), 200), 5), "1e30");
    EXPECT_EQ(lower_decimal(Interval(Rational(15) * power(Rational(10), -10), 200), 3), "1.49e-9");
    EXPECT_EQ(lower_decimal(Interval::whole(), 5), "-inf");
    EXPECT_EQ(upper_decimal(Interval::whole(), 5), "inf");
    EXPECT_EQ(upper_decimal(Interval::undefined(), 5), "nan");
    EXPECT_EQ(shared_decimal(Interval::whole(), 5), "");
    EXPECT_EQ(shared_decimal(Interval::undefined(), 5), "");
    EXPECT_EQ(shared_decimal(Interval::between(Rational(-1), Rational(1), 53), 5), "");
    EXPECT_EQ(shared_decimal(Interval::between(Rational(0), Rational(1), 53), 5), "");
}

// [1234, 1299] was once printed as 1200, two digits that no member has among them.
TEST(Decimal, zeros_before_the_point_are_not_shared_digits) {
    EXPECT_EQ(shared_decimal(Interval::between(Rational(1234), Rational(1299), 53), 9), "1.2e3");
    EXPECT_EQ(shared_decimal(Interval::between(Rational(-1999), Rational(-1000), 53), 9), "-1e3");
    EXPECT_EQ(shared_decimal(Interval::between(Rational(12345, 10), Rational(12349, 10), 53), 9), "1234");
}

TEST(Decimal, locales_change_nothing) {
    const auto print_and_read = [] {
        const Interval x(Rational(1234567, 512), 64);
        const Interval far(power(Rational(10), 40) / 7, 64);
        return std::vector<std::string>{lower_decimal(x, 12),
                                        upper_decimal(far, 12),
                                        shared_decimal(x, 12),
                                        lower_decimal(far, 1),
                                        to_string(Rational(1234567, 89)),
                                        to_string(parse_rational("1234.5e-2")),
                                        to_string(parse_rational("0x1.8p+1000"))};
    };
    const auto expected = print_and_read();
    EXPECT_EQ(expected[0], "2411.26367187");
    const std::locale before = std::locale::global(std::locale(std::locale::classic(), new GermanNumbers));
    const char* const named = std::setlocale(LC_ALL, "de_DE.UTF-8"); // where it is installed
    EXPECT_EQ(print_and_read(), expected) << (named == nullptr ? "without de_DE" : named);
    EXPECT_THROW((void)parse_rational("1,5"), std::exception);
    std::setlocale(LC_ALL, "C");
    std::locale::global(before);
}
