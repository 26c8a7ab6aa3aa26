// Proposition 8 on the numbers of a reader: the depths collect the exact optimum where products are exact,
// and come within two roundings of it everywhere.
#include "lib/allocate/prefix_gain.hpp"
#include "tests/allocate/weights.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::test;

namespace {

template <class Number>
std::vector<Item> exact_items(const Instance<Number>& instance) {
    std::vector<Item> out;
    for (const Number a : instance.weights) {
        out.emplace_back();
        for (const Number delta : instance.gains)
            out.back().push_back({rational_from(double{a}) * rational_from(double{delta})});
    }
    return out;
}

Rational collected(const std::vector<Item>& items, const std::vector<std::uint8_t>& depths) {
    Rational sum = 0;
    for (std::size_t i = 0; i < items.size(); ++i)
        for (std::size_t t = 0; t < depths[i]; ++t) sum += items[i][t].gain;
    return sum;
}

/// The optimum by trying all (W + 1)^N vectors of depths.
Rational by_enumeration(const std::vector<Item>& items, std::size_t from, std::uint64_t budget) {
    if (from == items.size()) return 0;
    Rational best = by_enumeration(items, from + 1, budget);
    Rational gain = 0;
    for (std::size_t t = 0; t < items[from].size() && t < budget; ++t) {
        gain += items[from][t].gain;
        best = std::max(best, Rational(gain + by_enumeration(items, from + 1, budget - t - 1)));
    }
    return best;
}

template <class Number>
Chosen by_threshold(const Instance<Number>& instance) {
    AllocationWorkspace workspace;
    return chosen_by(
        [](auto s, auto t, auto b, auto d, auto& w) { return choose_depths_threshold(s, t, b, d, w); },
        instance, workspace);
}

/// Weights and gains of so few bits that every product is exact.
template <class Number>
Instance<Number> short_instance(std::size_t largest, std::mt19937_64& next) {
    Instance<Number> out;
    out.weights.resize(1 + next() % largest);
    for (Number& a : out.weights) a = static_cast<Number>(next() % 40);
    out.gains.resize(1 + next() % 8);
    for (Number& delta : out.gains) delta = static_cast<Number>(next() % 60);
    std::ranges::sort(out.gains, std::greater<>());
    out.budget = next() % (out.weights.size() * out.gains.size() + 2);
    return out;
}

template <class Number>
void exactly_optimal(std::uint64_t seed) {
    std::mt19937_64 next(seed);
    const Instance<Number> instance = short_instance<Number>(8, next);
    const std::vector<Item> items = exact_items(instance);
    const Rational found = collected(items, by_threshold(instance).depths);
    RC_ASSERT(found == best_gain(items, instance.budget));
    RC_ASSERT(found == greedy_gain(items, instance.budget));
}

RC_GTEST_PROP(ChooseDepthsExact, optimal_where_products_are_exact, (std::uint64_t seed)) {
    exactly_optimal<float>(seed);
    exactly_optimal<double>(seed);
}

RC_GTEST_PROP(ChooseDepthsExact, optimal_among_all_vectors_of_depths, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    Instance<double> instance = short_instance<double>(4, next);
    instance.gains.resize(std::min<std::size_t>(instance.gains.size(), 4));
    const std::vector<Item> items = exact_items(instance);
    RC_ASSERT(collected(items, by_threshold(instance).depths) == by_enumeration(items, 0, instance.budget));
}

/// With u half a unit in the last place, each rounded gain lies between (1 - u) and (1 + u) times the exact
/// one, and the rounded gains taken sum up to the most possible; so the exact gains taken sum up to (1 - u) /
/// (1 + u) of the optimum at least. That holds without subnormal products only.
template <class Number>
void nearly_optimal(std::uint64_t seed) {
    std::mt19937_64 next(seed);
    std::normal_distribution<double> normal;
    Instance<Number> instance{{}, lloyd_gains<Number>(), 0};
    instance.weights.resize(1 + next() % 8);
    // Few mantissas, so that exact gains nearly tie and roundings decide.
    for (Number& a : instance.weights)
        a = next() % 2 == 0 ? Number(normal(next) * normal(next) + 20)
                            : 1 + Number(next() % 4) * std::numeric_limits<Number>::epsilon();
    instance.budget = next() % (instance.weights.size() * 8 + 1);
    const std::vector<Item> items = exact_items(instance);
    const Rational found = collected(items, by_threshold(instance).depths);
    const Rational best = best_gain(items, instance.budget);
    const Rational u = rational_from(double{std::numeric_limits<Number>::epsilon()}) / 2;
    RC_ASSERT(found <= best);
    RC_ASSERT(found * (1 + u) >= best * (1 - u));
}

RC_GTEST_PROP(ChooseDepthsExact, within_two_roundings_of_the_optimum, (std::uint64_t seed)) {
    nearly_optimal<float>(seed);
    nearly_optimal<double>(seed);
}

/// Where gains do not fall, the rule is computed still, and no longer optimal.
TEST(ChooseDepthsExact, rising_gains_lose_optimality) {
    const Instance<double> hidden{{1, 0.25}, {1, 100}, 1};
    const Instance<double> instance{{1, 1.5}, {0.5, 100}, 3};
    const std::vector<Item> items = exact_items(instance);
    EXPECT_EQ(collected(items, by_threshold(instance).depths), greedy_gain(items, 3));
    EXPECT_EQ(by_threshold(hidden).depths, by_heap(hidden).depths);
    // Two items whose second level hides behind different first ones.
    const Instance<double> flat_then_steep{{1, 1}, {1, 100}, 2};
    EXPECT_EQ(by_threshold(flat_then_steep).depths, (std::vector<std::uint8_t>{2, 0}));
}

} // namespace
