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
    // With u = 2^-53: an angle of 3 is off by two roundings of turns, 6 u (the other, of .03, by less); sine
    // and cosine by 4 u more; an entry is a sum of |x| <= 7 of them, 70 u, and rounds by 20 u at most.
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
    // an angle of 4000 is known to 4000 2^-53, and so is the turned vector
    const double slack = 0x1p-40 * (1 + std::sqrt(inner(q, q) * inner(k, k)));
    const Vector back = turned(rotary, turned(rotary, q, i), -i);
    for (std::size_t c = 0; c < q.size(); ++c) RC_ASSERT(std::fabs(back[c] - q[c]) <= slack);
    RC_ASSERT(std::fabs(inner(turned(rotary, q, i), turned(rotary, k, j)) -
                        inner(q, turned(rotary, k, j - i))) <= slack);
}

TEST(Rotary, refuses_what_it_cannot_turn) {
    EXPECT_TRUE(refuses([] { (void)Rotary(RotaryPairs::half, 10000, 3); }, ErrorCode::bad_option,
                        {"dimension of 3", "even"}));
    EXPECT_TRUE(refuses([] { (void)Rotary(RotaryPairs::half, -1, 4); }, ErrorCode::bad_option,
                        {"theta", "positive"}));
}

} // namespace
