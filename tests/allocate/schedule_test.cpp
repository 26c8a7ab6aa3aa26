// The restrictions of the GPU reader (ReadKV F.8) and the two-depth control (F.6), against their definitions.
#include "lib/allocate/schedule.hpp"

#include "tests/allocate/weights.hpp"
#include "tests/record/refusal.hpp"

#include <gtest/gtest.h>
#include <numeric>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::test;
using namespace kvproof::testing_support;

namespace {

using Depths = std::vector<std::uint8_t>;

Schedule scheduled(const std::vector<double>& weights, std::size_t heads, const char* rate,
                   const SchedulePolicy& policy, const std::vector<double>& gains = lloyd_gains<double>()) {
    AllocationWorkspace workspace;
    return schedule_prefixes(weights, heads, gains, parse_rational(rate), policy, workspace);
}

std::vector<double> some_weights(std::size_t n, std::mt19937_64& next) {
    std::vector<double> out = hard_weights<double>(n, next);
    for (double& x : out) x = std::min(x, 1e30);
    return out;
}

TEST(Budget, the_floor_is_exact) {
    EXPECT_EQ(budget_for(parse_rational("2.3"), 1000, "R"), 2300U);
    EXPECT_EQ(budget_for(parse_rational("0.29"), 100, "R"), 29U); // in double 0.29 * 100 is below 29
    EXPECT_EQ(static_cast<int>(0.29 * 100), 28);
    EXPECT_EQ(budget_for(parse_rational("2.999"), 333, "R"), 998U);
    EXPECT_EQ(budget_for(parse_rational("1/3"), 9, "R"), 3U);
    EXPECT_EQ(budget_for(Rational(0), 9, "R"), 0U);
    EXPECT_TRUE(refuses([] { (void)budget_for(parse_rational("-0.5"), 9, "R_K"); }, ErrorCode::bad_option,
                        {"R_K", "found -1/2"}));
    EXPECT_TRUE(refuses([] { (void)budget_for(parse_rational("1e18"), 1000, "R_V"); }, ErrorCode::bad_option,
                        {"R_V", "2^63"}));
}

/// Without restrictions it is ChooseDepths; per head it is ChooseDepths on each head; a minimum is
/// ChooseDepths on the levels behind it. Pairs are ChooseDepths on sums. Here: every combination.
RC_GTEST_PROP(ScheduleProperty, every_policy_is_what_it_says, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const std::size_t heads = 1 + next() % 3;
    const std::size_t tokens = 1 + next() % 9;
    const SchedulePolicy policy{static_cast<unsigned>(next() % 3), next() % 2 == 0, next() % 2 == 0};
    const std::vector<double> weights = some_weights(heads * tokens, next);
    const Rational rate = policy.minimum + Rational(static_cast<long>(next() % 60), 10);
    AllocationWorkspace workspace;
    const Schedule found = schedule_prefixes(weights, heads, lloyd_gains<double>(), rate, policy, workspace);

    // A second way: every head's list of items, each an index list of tokens; depths by the heap.
    std::vector<std::vector<std::size_t>> items;
    for (std::size_t g = 0; g < heads; ++g)
        for (std::size_t j = 0; j < tokens; ++j) {
            if (policy.paired && j % 2 == 1)
                items.back().push_back(g * tokens + j);
            else
                items.push_back({g * tokens + j});
        }
    const std::size_t blocks = policy.per_head ? heads : 1;
    const std::size_t size = items.size() / blocks;
    Depths expected(weights.size());
    std::uint64_t spent = 0;
    std::uint64_t requested = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
        Instance<double> instance;
        for (std::size_t i = b * size; i < (b + 1) * size; ++i) {
            double sum = 0;
            for (const std::size_t token : items[i]) sum += weights[token];
            instance.weights.push_back(sum);
        }
        const std::vector<double> gains = lloyd_gains<double>();
        instance.gains.assign(gains.begin() + policy.minimum, gains.end());
        const auto budget = floor(Rational(rate * static_cast<long>(size))).convert_to<std::uint64_t>();
        instance.budget = budget - policy.minimum * size;
        const Chosen chosen = by_heap(instance);
        for (std::size_t i = 0; i < size; ++i)
            for (const std::size_t token : items[b * size + i])
                expected[token] = static_cast<std::uint8_t>(chosen.depths[i] + policy.minimum);
        spent += chosen.spent + policy.minimum * size;
        requested += budget;
    }
    RC_ASSERT(found.depths == expected);
    RC_ASSERT(found.spent == spent);
    RC_ASSERT(found.requested == requested);
    RC_ASSERT(found.spent <= found.requested);
}

TEST(Schedule, pairs_are_absolute_and_padding_is_charged) {
    // Tokens 0-1, 2-3 and 4 with padding; R = 1: floor(1 * 3) = 3 pair increments.
    const std::vector<double> flat = {1, 1};
    EXPECT_EQ(scheduled({0, 3, 1, 1, 5}, 1, "1", {.paired = true}, flat).depths, (Depths{1, 1, 0, 0, 2}));
    const Schedule even = scheduled({3, 1, 1, 5}, 1, "1", {.paired = true}, flat);
    EXPECT_EQ(even.requested, 2U);
    EXPECT_EQ(even.depths, (Depths{0, 0, 2, 2}));
    const Schedule odd = scheduled({9}, 1, "1.5", {.paired = true}, flat);
    EXPECT_EQ(odd.requested, 1U); // floor(1.5 * 1)
    EXPECT_EQ(odd.spent, 1U);
    // Heads do not share a pair: with three tokens each, pairs are (0,1) (2,-) | (3,4) (5,-).
    EXPECT_EQ(scheduled({1, 1, 0, 9, 0, 0}, 2, "0.5", {.paired = true}, flat).depths,
              (Depths{0, 0, 0, 2, 2, 0}));
}

TEST(Schedule, pooled_and_per_head_budgets_differ) {
    const std::vector<double> weights = {8, 8, 1, 1};
    EXPECT_EQ(scheduled(weights, 2, "1", {}, {1, 0.5}).depths, (Depths{2, 2, 0, 0}));
    EXPECT_EQ(scheduled(weights, 2, "1", {.per_head = true}, {1, 0.5}).depths, (Depths{1, 1, 1, 1}));
    EXPECT_EQ(scheduled(weights, 2, "1.25", {}, {1, 0.5}).requested, 5U);
    EXPECT_EQ(scheduled(weights, 2, "1.25", {.per_head = true}, {1, 0.5}).requested, 4U); // 2 floor(2.5)
}

TEST(Schedule, the_minimum_is_spent_first) {
    const std::vector<double> weights = {8, 4, 0, 1};
    const Schedule found = scheduled(weights, 1, "1.5", {.minimum = 1});
    EXPECT_EQ(found.depths, (Depths{2, 2, 1, 1})); // a weight of 0 has depth 1 too
    EXPECT_EQ(found.spent, 6U);
    EXPECT_EQ(scheduled(weights, 1, "1", {.minimum = 1}).depths, (Depths{1, 1, 1, 1})); // F.8: uniform
    EXPECT_TRUE(refuses([&] { (void)scheduled(weights, 1, "0.99", {.minimum = 1}); }, ErrorCode::bad_option,
                        {"budget of 3", "at least 4", "minimum depth is 1"}));
    EXPECT_TRUE(refuses([&] { (void)scheduled(weights, 1, "10", {.minimum = 9}); }, ErrorCode::bad_option,
                        {"minimum depth of 9", "stored depth 8"}));
    EXPECT_TRUE(refuses([&] { (void)scheduled(weights, 3, "1", {}); }, ErrorCode::internal,
                        {"4 weights", "3 heads"}));
}

/// Against sorting; and equal weights in order.
RC_GTEST_PROP(ScheduleProperty, two_levels_go_to_the_largest_weights, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const std::size_t n = next() % 20;
    const std::vector<double> weights = some_weights(n, next);
    const auto low = static_cast<unsigned>(next() % 3);
    const auto deep = low + 1 + static_cast<unsigned>(next() % 8);
    const std::uint64_t budget = low * n + next() % (10 * n + 1);
    const Schedule found = two_level_schedule(weights, low, deep, budget);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t i, std::size_t j) { return weights[i] > weights[j]; });
    Depths expected(n, static_cast<std::uint8_t>(low));
    std::uint64_t rest = budget - low * n;
    for (std::size_t k = 0; k < n && rest >= deep - low; ++k, rest -= deep - low)
        expected[order[k]] = static_cast<std::uint8_t>(deep);
    RC_ASSERT(found.depths == expected);
    RC_ASSERT(found.spent == std::accumulate(expected.begin(), expected.end(), std::uint64_t{0}));
    RC_ASSERT(found.requested == budget);
}

TEST(Schedule, two_levels_by_hand) {
    EXPECT_EQ(two_level_schedule(std::vector<double>{1, 3, 3, 2}, 0, 8, 17).depths, (Depths{0, 8, 8, 0}));
    EXPECT_EQ(two_level_schedule(std::vector<float>{3, 3, 3}, 1, 8, 10).depths, (Depths{8, 1, 1}));
    EXPECT_EQ(two_level_schedule(std::vector<float>{3, 3, 3}, 1, 8, 9).spent, 3U); // 6 left, 7 needed
    EXPECT_EQ(two_level_schedule(std::vector<double>{0, 0}, 0, 8, 100).depths, (Depths{8, 8}));
    const std::vector<double> two = {1, 2};
    EXPECT_TRUE(refuses([&] { (void)two_level_schedule(two, 2, 8, 3); }, ErrorCode::bad_option,
                        {"budget of 3", "at least 4"}));
    EXPECT_TRUE(
        refuses([&] { (void)two_level_schedule(two, 8, 8, 99); }, ErrorCode::bad_option, {"8 and 8"}));
    EXPECT_TRUE(refuses(
        [] {
            (void)two_level_schedule(std::vector<double>{1, -2}, 0, 8, 3);
        },
        ErrorCode::bad_weight, {"weights[1]"}));
}

} // namespace
