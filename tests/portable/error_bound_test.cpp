// Outward rounding: against exact rationals, and the least step against nextafter.
#include "lib/portable/error_bound.hpp"

#include "tests/exact/generators.hpp"

#include <cmath>
#include <limits>

using namespace kvproof;
using namespace kvproof::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double most = std::numeric_limits<double>::max();

/// Doubles of every magnitude, zeros and neighbours of powers of two among them.
double any_double() {
    switch (pick(0, 5)) {
    case 0: return static_cast<double>(pick(-3, 3));
    case 1:
        return std::ldexp(1 + static_cast<double>(pick(-2, 2)) * 0x1p-52, static_cast<int>(pick(-500, 500)));
    case 2: return static_cast<double>(pick(-9, 9)) * smallest_subnormal;
    default:
        return std::ldexp(static_cast<double>(pick(-(1L << 53), 1L << 53)),
                          static_cast<int>(pick(-600, 450)));
    }
}

bool at_least(double bound, const Rational& exact) {
    return bound == infinity || (bound != -infinity && rational_from(bound) >= exact);
}

/// The bounds hold, and are within two steps of the double nearest to the exact value.
bool tight(double lower, double upper, const Rational& exact) {
    if (!at_least(upper, exact) || !at_least(-lower, -exact)) return false;
    return !(up(up(up(lower))) < upper);
}

} // namespace

TEST(ErrorBound, steps_are_those_of_nextafter) {
    for (const double x : {0.0, -0.0, 1.0, -1.0, 0x1p-1074, -0x1p-1074, 0x1p-1022, -0x1p-1022, 1.5, most,
                           -most, -infinity, std::nextafter(1.0, 0.0), std::nextafter(2.0, 0.0)}) {
        EXPECT_EQ(up(x), std::nextafter(x, infinity)) << x;
        EXPECT_EQ(down(-x), std::nextafter(-x, -infinity)) << x;
    }
    EXPECT_EQ(up(infinity), infinity);
    EXPECT_TRUE(std::isnan(up(std::nan(""))));
}

RC_GTEST_PROP(ErrorBound, operations_enclose_the_exact_result, ()) {
    const double a = any_double();
    const double b = any_double();
    const Rational x = rational_from(a);
    const Rational y = rational_from(b);
    RC_ASSERT(tight(add_down(a, b), add_up(a, b), x + y));
    RC_ASSERT(tight(sub_down(a, b), sub_up(a, b), x - y));
    RC_ASSERT(tight(mul_down(a, b), mul_up(a, b), x * y));
    if (b != 0) RC_ASSERT(tight(div_down(a, b), div_up(a, b), x / y));
    const double root_up = sqrt_up(std::fabs(a));
    const double root_down = sqrt_down(std::fabs(a));
    RC_ASSERT(rational_from(root_up) * rational_from(root_up) >= abs(x));
    RC_ASSERT(rational_from(root_down) * rational_from(root_down) <= abs(x));
}

RC_GTEST_PROP(ErrorBound, scaling_is_exact_or_outward, ()) {
    const double a = any_double();
    const int exponent = static_cast<int>(pick(-1200, 1200));
    const Rational exact = rational_from(a) * power_of_two(exponent);
    RC_ASSERT(tight(scale_down(a, exponent), scale_up(a, exponent), exact));
}

RC_GTEST_PROP(ErrorBound, gamma_is_an_upper_bound, ()) {
    const long n = pick(0, 1) == 0 ? pick(0, 1000) : pick(0, (1L << 53) - 1);
    const Rational nu = Rational(n) * power_of_two(-53);
    const double gamma = gamma_up(static_cast<std::uint64_t>(n));
    RC_ASSERT(at_least(gamma, nu / (1 - nu)));
    RC_ASSERT((n == 0 || !at_least(down(down(gamma)), nu / (1 - nu))));
}

TEST(ErrorBound, zero_stays_zero_and_gamma_ends) {
    EXPECT_EQ(mul_up(0, infinity), 0);
    EXPECT_EQ(add_up(0, 0.1), 0.1);
    EXPECT_EQ(gamma_up(0), 0);
    EXPECT_EQ(gamma_up(std::uint64_t{1} << 53U), infinity);
}

TEST(ErrorBound, rounding_to_nearest_is_no_bound) {
    // what the helpers are for: plain operations lie below the exact result as often as above
    EXPECT_FALSE(at_least(0.1 + 0.7, rational_from(0.1) + rational_from(0.7)) &&
                 at_least(0.1 * 0.3, rational_from(0.1) * rational_from(0.3)) &&
                 at_least(1.0 / 3.0, Rational(1, 3)));
}
