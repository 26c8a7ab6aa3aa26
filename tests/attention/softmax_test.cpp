// softmax against enclosures in MPFR.
#include "lib/attention/softmax.hpp"

#include "lib/error.hpp"
#include "lib/exact/interval.hpp"
#include "tests/attention/matrices.hpp"

#include <gtest/gtest.h>

using namespace kvproof;
using namespace kvproof::test;

namespace {

constexpr Bits bits = 256;

/// Enclosures of e^(z_j - z_0), of their sum, and of p_j and LSE from those; logits as rationals.
struct Exact {
    std::vector<Interval> probabilities;
    Interval log_sum_exp{bits};

    explicit Exact(const std::vector<Rational>& logits) {
        const Rational most = *std::ranges::max_element(logits);
        Interval sum(0, bits);
        for (const Rational& z : logits) {
            probabilities.push_back(exp(Interval(Rational(z - most), 1200), bits));
            sum = add(sum, probabilities.back(), bits);
        }
        for (Interval& p : probabilities) p = div(p, sum, bits);
        log_sum_exp = add(Interval(most, 1200), log(sum, bits), 1200);
    }
};

bool within(double value, const Interval& exact, const Interval& radius) {
    const Interval error = abs(sub(Interval::from_double(value), exact, 1200));
    return less_equal(error, radius) == Truth::yes;
}

bool holds(const Softmax& result, const Exact& exact, double relative) {
    const Interval r = Interval::from_double(relative);
    const Interval absolute = Interval::from_double(result.absolute);
    for (std::size_t j = 0; j < result.probabilities.size(); ++j)
        if (!within(result.probabilities[j], exact.probabilities[j],
                    add(mul(r, exact.probabilities[j], bits), absolute, bits)))
            return false;
    return within(result.log_sum_exp, exact.log_sum_exp, Interval::from_double(result.log_sum_exp_radius));
}

std::vector<Rational> rationals(const std::vector<double>& logits) {
    std::vector<Rational> out;
    for (const double z : logits) out.push_back(rational_from(z));
    return out;
}

std::vector<double> random_logits(Numbers& numbers, std::size_t count) {
    const double scale = std::ldexp(1.0, static_cast<int>(numbers.below(11)));
    const double centre = numbers.below(3) == 0 ? 1e6 * numbers.normal() : 0;
    std::vector<double> z = numbers.normals(count);
    for (double& x : z) x = centre + scale * x;
    return z;
}

} // namespace

TEST(Softmax, the_bound_holds_and_is_small) {
    double most = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        Numbers numbers(seed);
        const std::vector<double> z = random_logits(numbers, 1 + numbers.below(60));
        const Softmax result = softmax(z);
        ASSERT_TRUE(holds(result, Exact(rationals(z)), result.relative)) << seed;
        most = std::max(most, result.relative);
    }
    EXPECT_LE(most, 100 * 0x1p-53);
}

TEST(Softmax, half_a_rounding_would_be_too_small_a_bound) {
    std::size_t caught = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Numbers numbers(seed);
        const std::vector<double> z = random_logits(numbers, 30);
        caught += !holds(softmax(z), Exact(rationals(z)), 0x1p-54);
    }
    EXPECT_GT(caught, 10U);
}

TEST(Softmax, the_gap_does_not_spoil_it) {
    // exp of the rounded difference alone is off by half an ulp of the gap: 2^-44 at 700
    Numbers numbers(3);
    std::size_t spoiled = 0;
    for (int trial = 0; trial < 50; ++trial) {
        const std::vector<double> z = {0.1 * numbers.uniform(), -700 - numbers.uniform()};
        const Softmax result = softmax(z);
        const Exact exact(rationals(z));
        ASSERT_TRUE(holds(result, exact, result.relative));
        Softmax naive = result;
        naive.probabilities[1] = std::exp(z[1] - z[0]);
        spoiled += !holds(naive, exact, result.relative);
    }
    EXPECT_GT(spoiled, 25U);
}

TEST(Softmax, hard_inputs) {
    const std::vector<std::vector<double>> cases = {
        {0},
        {-1e300},
        std::vector<double>(4096, 3.25),
        {0, -800},
        {800, 0, 0},
        {0, -745.2, -745.1, -744, -708.5, -708.3},
        {1e300, -1e300, 0},
        {0x1p1000, -0x1p1000},
        {0x1p-1074, 0, -0x1p-1074},
    };
    for (const std::vector<double>& z : cases) {
        const Softmax result = softmax(z);
        EXPECT_TRUE(holds(result, Exact(rationals(z)), result.relative)) << z.size() << " " << z.front();
    }
    EXPECT_EQ(softmax(std::vector<double>{-7}).probabilities[0], 1);
    Numbers numbers(4);
    const std::vector<double> many = random_logits(numbers, 4096);
    const Softmax result = softmax(many);
    EXPECT_TRUE(holds(result, Exact(rationals(many)), result.relative));
    EXPECT_LE(result.relative, 150 * 0x1p-53);
}

TEST(Softmax, logits_within_the_radius) {
    std::size_t needed = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Numbers numbers(seed);
        const double radius = std::ldexp(1.0, 1 - static_cast<int>(numbers.below(40)));
        const std::vector<double> z = random_logits(numbers, 1 + numbers.below(20));
        std::vector<Rational> truth = rationals(z);
        for (Rational& x : truth) // ends of the range as well as points inside
            x += rational_from(radius) * Rational(static_cast<long>(numbers.below(5)) - 2, 2);
        const Softmax result = softmax(z, radius);
        ASSERT_TRUE(holds(result, Exact(truth), result.relative)) << seed;
        needed += !holds(softmax(z), Exact(truth), softmax(z).relative);
    }
    EXPECT_GT(needed, 50U);
}

TEST(Softmax, bits_do_not_depend_on_the_instructions) {
    Numbers numbers(5);
    for (const std::size_t count : {1U, 7U, 8U, 256U, 257U, 1000U}) {
        const std::vector<double> z = random_logits(numbers, count);
        const Softmax expected = softmax(z);
        for (const Instructions instructions : available_instructions()) {
            const Softmax result = softmax(z, 0, instructions);
            EXPECT_EQ(result.probabilities, expected.probabilities);
            EXPECT_EQ(result.log_sum_exp, expected.log_sum_exp);
        }
    }
}

TEST(Softmax, refused_input) {
    const std::vector<double> good = {1, 2};
    EXPECT_THROW(static_cast<void>(softmax({})), Error);
    EXPECT_THROW(static_cast<void>(softmax(std::vector<double>{1, std::nan("")})), Error);
    EXPECT_THROW(static_cast<void>(softmax(std::vector<double>{1, -HUGE_VAL})), Error);
    EXPECT_THROW(static_cast<void>(softmax(std::vector<double>{1, -0x1.8p1000})), Error);
    EXPECT_NO_THROW(static_cast<void>(softmax(std::vector<double>{1, -0x1p1000})));
    EXPECT_THROW(static_cast<void>(softmax(good, -1)), Error);
    EXPECT_THROW(static_cast<void>(softmax(good, std::nan(""))), Error);
}

/// A relative bound is good for turning p~ into a bound of p only up to 1/2: beyond that the softmax says
/// that nothing is known, in a form that no product with a weight of 0 can undo.
TEST(Softmax, of_logits_that_nothing_is_known_of) {
    const std::vector<double> good = {1, 2};
    for (const double radius : {.21, 1.0, 1e23, HUGE_VAL}) {
        const Softmax open = softmax(good, radius);
        EXPECT_EQ(open.relative, 0) << radius;
        EXPECT_EQ(open.absolute, 1) << radius;
    }
    const Softmax narrow = softmax(good, .1);
    EXPECT_GT(narrow.relative, .2);
    EXPECT_LE(narrow.relative, .5);
    EXPECT_LT(narrow.absolute, 1e-300);
}
