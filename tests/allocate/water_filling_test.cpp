// Proposition 9: the exact optimum against weak duality from below and feasible depths from above.
#include "lib/allocate/water_filling.hpp"

#include "tests/allocate/instances.hpp"

using namespace kvproof;
using namespace kvproof::test;

namespace {

constexpr Bits bits = 160;

Interval number(const Rational& x) {
    return Interval(x, bits);
}

Interval log4(const Rational& x) {
    return div(log(number(x), bits), log(number(4), bits), bits);
}

/// What the item spends at tau: min{W, max{0, log4(a/tau)}}.
Interval depth_at(const Rational& a, const Rational& tau, unsigned long deepest) {
    if (a <= tau) return Interval();
    if (a >= tau * power(Rational(4), static_cast<long>(deepest))) return number(deepest);
    return log4(a / tau);
}

/// Weak duality: for every tau > 0, sum of min over t of (a 4^-t + tau ln 4 t), less tau ln 4 B, is at most
/// C_W(B).
Interval dual(const std::vector<Rational>& weights, unsigned long deepest, unsigned long budget,
              const Rational& tau) {
    Interval spent = neg(number(budget));
    Interval distortion;
    for (const Rational& a : weights) {
        if (a == 0) continue;
        const Interval t = depth_at(a, tau, deepest);
        spent = add(spent, t, bits);
        distortion = add(distortion, mul(number(a), pow(number(4), neg(t), bits), bits), bits);
    }
    const Interval price = mul(number(tau), log(number(4), bits), bits);
    return add(distortion, mul(price, spent, bits), bits);
}

bool certainly_below(const Interval& x, const Interval& y) {
    return less(y, x) == Truth::no;
}

} // namespace

RC_GTEST_PROP(WaterFilling, no_dual_bound_lies_above, ()) {
    const std::vector<Rational> weights = any_weights(1, 5);
    const auto deepest = static_cast<unsigned long>(pick(1, 5));
    const auto budget = static_cast<unsigned long>(pick(0, 20));
    const Interval optimum = water_filling(weights, deepest, budget).enclose(bits);
    for (int i = 0; i < 5; ++i) {
        const Rational tau = Rational(pick(1, 400), pick(1, 40)) * power_of_two(pick(-16, 6));
        RC_ASSERT(less(optimum, dual(weights, deepest, budget, tau)) != Truth::yes);
    }
}

/// The dual bound at the optimum's own tau meets it: no feasible depths do better.
RC_GTEST_PROP(WaterFilling, the_dual_bound_at_tau_meets_it, ()) {
    const std::vector<Rational> weights = any_weights(1, 5);
    const auto deepest = static_cast<unsigned long>(pick(1, 5));
    const auto budget = static_cast<unsigned long>(pick(1, 20));
    const WaterFilling optimum = water_filling(weights, deepest, budget);
    if (optimum.active == 0) return;
    const Interval tau = pow(number(optimum.power), number(Rational(1, optimum.active)), bits);
    const Interval bound = dual(weights, deepest, budget, tau.lower_rational());
    // log4 has the slope 1/(tau ln 4), so the rounding of tau costs about 2^-bits times the sizes involved.
    const Interval gap = sub(optimum.enclose(bits), bound, bits);
    RC_ASSERT(less(abs(gap), mul(number(power_of_two(-100)), optimum.enclose(bits), bits)) == Truth::yes);
}

RC_GTEST_PROP(WaterFilling, no_feasible_depths_lie_below, ()) {
    const std::vector<Rational> weights = any_weights(1, 5);
    const auto deepest = static_cast<unsigned long>(pick(1, 5));
    const auto budget = static_cast<unsigned long>(pick(0, 20));
    // Half-integer depths, so that 4^-t is a power of two.
    long left = 2 * static_cast<long>(budget);
    Rational distortion = 0;
    for (const Rational& a : weights) {
        const long halves = pick(0, std::min(left, 2 * static_cast<long>(deepest)));
        left -= halves;
        distortion += a * power_of_two(-halves);
    }
    const WaterFilling optimum = water_filling(weights, deepest, budget);
    const auto exact = optimum.exact();
    if (exact)
        RC_ASSERT(*exact <= distortion);
    else
        RC_ASSERT(less(number(distortion), optimum.enclose(bits)) != Truth::yes);
}

RC_GTEST_PROP(WaterFilling, scales_with_the_weights_and_ignores_zeros_and_order, ()) {
    std::vector<Rational> weights = any_weights(1, 5);
    const auto deepest = static_cast<unsigned long>(pick(1, 5));
    const auto budget = static_cast<unsigned long>(pick(0, 20));
    const WaterFilling before = water_filling(weights, deepest, budget);
    std::ranges::reverse(weights);
    weights.emplace_back(0);
    for (Rational& a : weights) a *= 3;
    const WaterFilling after = water_filling(weights, deepest, budget);
    RC_ASSERT(after.clipped == 3 * before.clipped);
    RC_ASSERT(after.active == before.active);
    if (before.active > 0)
        RC_ASSERT(after.power == power(Rational(3), static_cast<long>(before.active)) * before.power);
}

RC_GTEST_PROP(WaterFilling, equal_weights_share_the_budget, ()) {
    const long items = pick(1, 9);
    const long deepest = pick(1, 6);
    const long budget = pick(1, items * deepest - (items * deepest > 1 ? 1 : 0));
    const WaterFilling optimum =
        water_filling(std::vector<Rational>(static_cast<std::size_t>(items), 7),
                      static_cast<unsigned long>(deepest), static_cast<unsigned long>(budget));
    const Interval each = pow(number(4), number(Rational(-budget, items)), bits);
    RC_ASSERT(equal(optimum.enclose(bits), mul(number(7 * items), each, bits)) != Truth::no);
}

TEST(WaterFilling, knows_rational_optima) {
    EXPECT_EQ(water_filling({4, 1}, 2, 3).exact(), Rational(1, 2)); // depths 2 and 1, tau = 1/4
    EXPECT_EQ(water_filling({4, 1}, 2, 0).exact(), 5);
    EXPECT_EQ(water_filling({4, 1}, 2, 4).exact(), Rational(5, 16));
    EXPECT_EQ(water_filling({65, 1, 0}, 3, 3).exact(), Rational(65, 64) + 1); // tau anywhere in [1, 65/64]
    EXPECT_EQ(water_filling({}, 3, 1).exact(), 0);
    EXPECT_FALSE(water_filling({1, 1, 1}, 2, 1).exact().has_value()); // 3 4^(-1/3)
}

/// A value that is a little too small or too large is told from the optimum by the two kinds of bound.
TEST(WaterFilling, a_wrong_value_is_told_apart) {
    const std::vector<Rational> weights = {9, 5, 2};
    const Interval optimum = water_filling(weights, 3, 4).enclose(bits);
    const Interval little = number(power_of_two(-60));
    const WaterFilling exact = water_filling(weights, 3, 4);
    const Rational tau = pow(number(exact.power), number(Rational(1, exact.active)), bits).lower_rational();
    EXPECT_EQ(less(sub(optimum, little, bits), dual(weights, 3, 4, tau)), Truth::yes);
    EXPECT_TRUE(certainly_below(dual(weights, 3, 4, tau), add(optimum, little, bits)));
}
