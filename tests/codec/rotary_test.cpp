// The rotary encoding: by hand, a rotation, relative positions, and its two ways to pair channels.
#include "lib/codec/rotary.hpp"

#include "tests/record/refusal.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

using Vector = std::vector<double>;

Vector turned(const Rotary& rotary, Vector x, int position) {
    rotary.turn(x, position);
    return x;
}

double inner(const Vector& x, const Vector& y) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
}

TEST(Rotary, by_hand) {
    const double c = std::cos(3.0);
    const double s = std::sin(3.0);
    const Vector x = {1, 2, 3, 4};
    // pair 1 of d_h = 4 is slower by theta^(-1/2) = 1/100
    const double c1 = std::cos(.03);
    const double s1 = std::sin(.03);
    const Vector together = {c - 2 * s, s + 2 * c, 3 * c1 - 4 * s1, 3 * s1 + 4 * c1};
    const Vector apart = {c - 3 * s, 2 * c1 - 4 * s1, s + 3 * c, 2 * s1 + 4 * c1};
    const Vector found = turned(Rotary(RotaryPairs::interleaved, 10000, 4), x, 3);
    const Vector halves = turned(Rotary(RotaryPairs::half, 10000, 4), x, 3);
    // With u = 2^-53: an angle of 3 is off by two roundings of turns, 6 u (pair 0 has no other); that of .03
    // by (6 ln theta + 5) .03 u, less than 2 u; sine and cosine by 4 u more; an entry is a sum of |x| <= 7 of
    // them, 70 u, and rounds by 20 u at most.
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(found[i], together[i], 100 * 0x1p-53);
        EXPECT_NEAR(halves[i], apart[i], 100 * 0x1p-53);
    }
    EXPECT_EQ(turned(Rotary(RotaryPairs::half, 10000, 4), x, 0), x);
}

RC_GTEST_PROP(RotaryProperty, turns_and_brings_back_and_knows_distances_only, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    std::normal_distribution<double> normal;
    const int dim = 2 * (1 + static_cast<int>(next() % 8));
    const Rotary rotary(next() % 2 == 0 ? RotaryPairs::half : RotaryPairs::interleaved, 500, dim);
    Vector q(static_cast<std::size_t>(dim));
    Vector k(q.size());
    for (double& x : q) x = normal(next);
    for (double& x : k) x = normal(next);
    const int i = static_cast<int>(next() % 4000);
    const int j = static_cast<int>(next() % 4000);
    // The speeds are the same throughout; products with positions round, three angles of at most 4000 by 4000
    // 2^-53 each.
    const double slack = 0x1p-39 * (1 + std::sqrt(inner(q, q) * inner(k, k)));
    const Vector back = turned(rotary, turned(rotary, q, i), -i);
    for (std::size_t c = 0; c < q.size(); ++c) RC_ASSERT(std::fabs(back[c] - q[c]) <= slack);
    RC_ASSERT(std::fabs(inner(turned(rotary, q, i), turned(rotary, k, j)) -
                        inner(q, turned(rotary, k, j - i))) <= slack);
}

/// Every angle within the bound that the header derives, against long double: theirs is 2^-64 of the
/// exponent.
RC_GTEST_PROP(RotaryProperty, angles_are_within_the_bound, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const int pairs = 1 + static_cast<int>(next() % 64);
    const int p = static_cast<int>(next() % static_cast<std::uint64_t>(pairs));
    const double theta = std::exp2(static_cast<double>(next() % 4000) / 200 - 2); // 1/4 to 2^18
    const int position = static_cast<int>(next() % 200001) - 100000;
    Vector x(2 * static_cast<std::size_t>(pairs));
    x[2 * static_cast<std::size_t>(p)] = 1;
    const Vector found = turned(Rotary(RotaryPairs::interleaved, theta, 2 * pairs), x, position);
    const long double angle =
        position * std::pow(static_cast<long double>(theta), -2.0L * p / (2.0L * pairs));
    const double bound = (6 * std::fabs(std::log(theta)) + 5) * 0x1p-53 *
                             static_cast<double>(std::fabs(angle)) * (1 + 0x1p-8) +
                         8 * 0x1p-53; // what is left of a turn, cosine and sine
    const double cosine = static_cast<double>(std::cos(angle));
    const double sine = static_cast<double>(std::sin(angle));
    RC_ASSERT(std::fabs(found[2 * static_cast<std::size_t>(p)] - cosine) <= bound);
    RC_ASSERT(std::fabs(found[2 * static_cast<std::size_t>(p) + 1] - sine) <= bound);
}

TEST(Rotary, refuses_what_it_cannot_turn) {
    EXPECT_TRUE(refuses([] { (void)Rotary(RotaryPairs::half, 10000, 3); }, ErrorCode::bad_option,
                        {"dimension of 3", "even"}));
    EXPECT_TRUE(refuses([] { (void)Rotary(RotaryPairs::half, -1, 4); }, ErrorCode::bad_option,
                        {"theta", "positive"}));
}

} // namespace
