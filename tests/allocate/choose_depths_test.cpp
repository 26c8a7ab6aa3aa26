// ChooseDepths: the heap against the rule as it is written, the threshold against the heap on inputs made of
// ties, zeros, subnormals and huge ranges, and mutants that such inputs must tell from the rule.
#include "lib/allocate/choose_depths.hpp"

#include "tests/allocate/weights.hpp"
#include "tests/record/refusal.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::test;
using namespace kvproof::testing_support;

namespace {

template <class Number>
Chosen by_threshold(const Instance<Number>& instance, AllocationWorkspace& workspace) {
    return chosen_by(
        [](auto s, auto t, auto b, auto d, auto& w) { return choose_depths_threshold(s, t, b, d, w); },
        instance, workspace);
}

template <class Number>
Chosen heap(const Instance<Number>& instance, AllocationWorkspace& workspace) {
    return chosen_by(
        [](auto s, auto t, auto b, auto d, auto& w) { return choose_depths_heap(s, t, b, d, w); }, instance,
        workspace);
}

/// The rule, word by word; `later_first` is a mutant that breaks ties the wrong way.
template <class Number>
Chosen by_rule(const Instance<Number>& instance, bool later_first = false) {
    Chosen out{std::vector<std::uint8_t>(instance.weights.size()), 0};
    for (; out.spent < instance.budget; ++out.spent) {
        Number largest = 0;
        std::size_t owner = 0;
        for (std::size_t i = 0; i < instance.weights.size(); ++i) {
            if (out.depths[i] == instance.gains.size()) continue;
            const Number gain = instance.weights[i] * instance.gains[out.depths[i]];
            if (gain <= 0 || gain < largest || (gain == largest && !later_first)) continue;
            largest = gain;
            owner = i;
        }
        if (!(largest > 0)) break;
        ++out.depths[owner];
    }
    return out;
}

/// A mutant: the threshold without products, a > tau / Delta.
template <class Number>
Chosen by_quotients(const Instance<Number>& instance) {
    std::vector<Number> gains;
    for (const Number a : instance.weights)
        for (const Number delta : instance.gains) gains.push_back(a * delta);
    std::ranges::sort(gains, std::greater<>());
    const Number tau = gains[instance.budget - 1];
    Chosen out{std::vector<std::uint8_t>(instance.weights.size()), 0};
    for (std::size_t i = 0; i < instance.weights.size(); ++i)
        for (const Number delta : instance.gains)
            if (instance.weights[i] >= tau / delta && out.spent < instance.budget) {
                ++out.depths[i];
                ++out.spent;
            }
    return out;
}

template <class Number>
void heap_is_the_rule(std::uint64_t seed) {
    std::mt19937_64 next(seed);
    AllocationWorkspace workspace;
    Instance<Number> instance = hard_instance<Number>(30, next);
    if (next() % 3 == 0) std::shuffle(instance.gains.begin(), instance.gains.end(), next); // any order
    if (next() % 5 == 0 && !instance.gains.empty()) instance.gains[0] = -instance.gains[0];
    const Chosen expected = by_rule(instance);
    RC_ASSERT(heap(instance, workspace) == expected);
    RC_ASSERT(by_threshold(instance, workspace) == expected); // leaves gains that do not fall to the heap
    RC_ASSERT(chosen_by([](auto s, auto t, auto b, auto d, auto& w) { return choose_depths(s, t, b, d, w); },
                        instance, workspace) == expected);
}

RC_GTEST_PROP(ChooseDepths, the_heap_is_the_rule_float, (std::uint64_t seed)) {
    heap_is_the_rule<float>(seed);
}
RC_GTEST_PROP(ChooseDepths, the_heap_is_the_rule_double, (std::uint64_t seed)) {
    heap_is_the_rule<double>(seed);
}

/// Many instances on one workspace: what an earlier call left there must not matter.
template <class Number>
void threshold_is_heap(std::uint64_t seed, std::size_t largest, int instances) {
    std::mt19937_64 next(seed);
    AllocationWorkspace workspace;
    for (int k = 0; k < instances; ++k) {
        const Instance<Number> instance = hard_instance<Number>(largest, next);
        RC_ASSERT(by_threshold(instance, workspace) == heap(instance, workspace));
    }
}

RC_GTEST_PROP(ChooseDepths, threshold_equals_heap_float, (std::uint64_t seed)) {
    threshold_is_heap<float>(seed, 300, 20);
}
RC_GTEST_PROP(ChooseDepths, threshold_equals_heap_double, (std::uint64_t seed)) {
    threshold_is_heap<double>(seed, 300, 20);
}

/// Around the sizes at which the histogram becomes finer.
template <class Number>
void large_instances() {
    std::mt19937_64 next(20260801);
    AllocationWorkspace workspace;
    for (const std::size_t n : {511, 512, 513, 4095, 4096, 4097, 20000})
        for (int k = 0; k < 30; ++k) {
            Instance<Number> instance{hard_weights<Number>(n, next), falling_gains<Number>(next), 0};
            instance.budget = next() % (n * instance.gains.size() + 2);
            ASSERT_EQ(by_threshold(instance, workspace), heap(instance, workspace)) << n << " " << k;
        }
}

TEST(ChooseDepths, threshold_equals_heap_on_large_instances) {
    large_instances<float>();
    large_instances<double>();
}

/// Every budget, so that every gain is once the last one taken.
template <class Number>
void every_budget(std::uint64_t seed) {
    std::mt19937_64 next(seed);
    AllocationWorkspace workspace;
    Instance<Number> instance = hard_instance<Number>(12, next);
    std::uint64_t last = 0;
    std::vector<std::uint8_t> before(instance.weights.size());
    for (instance.budget = 0; instance.budget <= 12 * 13; ++instance.budget) {
        const Chosen chosen = by_threshold(instance, workspace);
        RC_ASSERT(chosen == heap(instance, workspace));
        RC_ASSERT(chosen.spent ==
                  std::accumulate(chosen.depths.begin(), chosen.depths.end(), std::uint64_t{0}));
        RC_ASSERT(chosen.spent <= instance.budget);
        RC_ASSERT((chosen.spent == last || chosen.spent == last + 1));
        for (std::size_t i = 0; i < before.size(); ++i) RC_ASSERT(chosen.depths[i] >= before[i]);
        last = chosen.spent;
        before = chosen.depths;
    }
}

RC_GTEST_PROP(ChooseDepths, a_larger_budget_only_adds, (std::uint64_t seed)) {
    every_budget<float>(seed);
    every_budget<double>(seed);
}

TEST(ChooseDepths, ties_go_to_the_lower_item_then_to_the_lower_level) {
    AllocationWorkspace workspace;
    const Instance<double> equal{{1, 1, 1}, {0.5, 0.25}, 2};
    EXPECT_EQ(by_threshold(equal, workspace), (Chosen{{1, 1, 0}, 2}));
    EXPECT_EQ(by_rule(equal, true), (Chosen{{0, 1, 1}, 2})); // the mutant
    const Instance<double> across{{1, 2}, {0.5, 0.25}, 2};   // 2 * .25 = 1 * .5: item 0 first
    EXPECT_EQ(by_threshold(across, workspace), (Chosen{{1, 1}, 2}));
    EXPECT_EQ(by_rule(across, true), (Chosen{{0, 2}, 2}));
    const Instance<double> flat{{1, 1}, {0.5, 0.5, 0.5}, 4}; // one item to its end before the next
    EXPECT_EQ(by_threshold(flat, workspace), (Chosen{{3, 1}, 4}));
}

TEST(ChooseDepths, only_positive_gains_are_bought) {
    AllocationWorkspace workspace;
    const Instance<float> zeros{{0.0F, -0.0F, 1}, {0.5F, 0}, 6};
    EXPECT_EQ(by_threshold(zeros, workspace), (Chosen{{0, 0, 1}, 1}));
    EXPECT_EQ(heap(zeros, workspace), (Chosen{{0, 0, 1}, 1}));
    // The least subnormal times 0.63 is itself, times 0.25 is 0.
    const float least = std::numeric_limits<float>::denorm_min();
    const Instance<float> subnormal{{least, 2 * least}, lloyd_gains<float>(), 16};
    EXPECT_EQ(by_threshold(subnormal, workspace), by_rule(subnormal));
    EXPECT_EQ(by_threshold(subnormal, workspace).depths, (std::vector<std::uint8_t>{1, 1}));
    EXPECT_EQ(by_threshold(Instance<double>{{}, {1}, 3}, workspace), (Chosen{{}, 0}));
    EXPECT_EQ(by_threshold(Instance<double>{{1, 2}, {}, 3}, workspace), (Chosen{{0, 0}, 0}));
}

/// The mutants must fail on the inputs that these tests draw; else the tests would prove nothing.
TEST(ChooseDepths, the_inputs_tell_mutants_from_the_rule) {
    std::mt19937_64 next(7);
    int wrong_ties = 0;
    int wrong_quotients = 0;
    for (int k = 0; k < 2000; ++k) {
        const Instance<float> instance = hard_instance<float>(30, next);
        wrong_ties += by_rule(instance) != by_rule(instance, true) ? 1 : 0;
        const Instance<float> near{hard_weights<float>(200, next), lloyd_gains<float>(), 1 + next() % 1600};
        wrong_quotients += by_rule(near) != by_quotients(near) ? 1 : 0;
    }
    EXPECT_GT(wrong_ties, 100);
    EXPECT_GT(wrong_quotients, 100);
}

template <class Number>
void refuses_bad_numbers() {
    using limits = std::numeric_limits<Number>;
    AllocationWorkspace workspace;
    const auto each = [&](const Instance<Number>& instance, const std::vector<std::string>& parts) {
        EXPECT_TRUE(refuses([&] { (void)heap(instance, workspace); }, ErrorCode::bad_weight, parts));
        EXPECT_TRUE(refuses([&] { (void)by_threshold(instance, workspace); }, ErrorCode::bad_weight, parts));
    };
    for (const std::uint64_t budget : {0, 3, 1000}) {
        each({{1, limits::quiet_NaN()}, {1}, budget}, {"weights[1]", "NaN"});
        each({{1, -limits::quiet_NaN()}, {1}, budget}, {"weights[1]", "NaN"});
        each({{limits::infinity(), 1}, {1}, budget}, {"weights[0]", "infinity"});
        each({{1, -1}, {1}, budget}, {"weights[1]", "negative"});
        each({{1, -limits::denorm_min()}, {1}, budget}, {"weights[1]", "negative"});
        each({{1, 1}, {1, limits::quiet_NaN()}, budget}, {"gains[1]", "NaN"});
        each({{1, 1}, {-limits::infinity()}, budget}, {"gains[0]", "-infinity"});
        each({{1, limits::max()}, {2, 1}, budget}, {"overflows"});
    }
    std::vector<std::uint8_t> depths(3);
    const std::vector<Number> two(2, 1);
    EXPECT_TRUE(refuses([&] { (void)choose_depths(two, two, 1, depths, workspace); }, ErrorCode::internal,
                        {"3 depths for 2 weights"}));
    const std::vector<Number> many(256, 1);
    EXPECT_TRUE(refuses([&] { (void)choose_depths(two, many, 1, std::span(depths).first(2), workspace); },
                        ErrorCode::internal, {"256 levels"}));
}

TEST(ChooseDepths, bad_numbers_are_refused_by_name) {
    refuses_bad_numbers<float>();
    refuses_bad_numbers<double>();
}

} // namespace
