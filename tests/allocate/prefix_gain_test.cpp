// Proposition 8 and E.2.1: greedy against the dynamic program, the dynamic program against every vector of
// depths.
#include "tests/allocate/instances.hpp"

using namespace kvproof;
using namespace kvproof::test;

namespace {

/// The optimum by trying every vector of depths.
Rational by_enumeration(const std::vector<Item>& items, std::size_t from, long budget) {
    if (from == items.size()) return 0;
    Rational best = by_enumeration(items, from + 1, budget);
    Rational gain = 0;
    for (const Refinement& refinement : items[from]) {
        gain += refinement.gain;
        budget -= static_cast<long>(refinement.cost);
        if (budget < 0) break;
        best = std::max(best, Rational(gain + by_enumeration(items, from + 1, budget)));
    }
    return best;
}

std::vector<Rational> gains_of(const std::vector<Item>& items) {
    std::vector<Rational> gains;
    for (const Item& item : items)
        for (const Refinement& refinement : item) gains.push_back(refinement.gain);
    return gains;
}

/// Greedy of the wrong kind: takes the smallest positive gain.
Rational timid_gain(const std::vector<Item>& items, unsigned long budget) {
    std::vector<std::size_t> depths(items.size());
    Rational sum = 0;
    for (; budget > 0; --budget) {
        const Refinement* least = nullptr;
        std::size_t owner = 0;
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (depths[i] == items[i].size() || items[i][depths[i]].gain <= 0) continue;
            if (least != nullptr && items[i][depths[i]].gain >= least->gain) continue;
            least = &items[i][depths[i]];
            owner = i;
        }
        if (least == nullptr) break;
        sum += least->gain;
        ++depths[owner];
    }
    return sum;
}

} // namespace

RC_GTEST_PROP(PrefixGain, the_dynamic_program_finds_the_optimum, ()) {
    const std::vector<Item> items = any_items(pick(0, 1) == 0);
    const auto budget = pick(0, 14);
    RC_ASSERT(best_gain(items, static_cast<unsigned long>(budget)) == by_enumeration(items, 0, budget));
}

RC_GTEST_PROP(PrefixGain, greedy_is_optimal_for_falling_gains_at_every_budget, ()) {
    const std::vector<Item> items = falling_items();
    for (unsigned long budget = 0; budget <= 17; ++budget)
        RC_ASSERT(greedy_gain(items, budget) == best_gain(items, budget));
}

RC_GTEST_PROP(PrefixGain, the_best_set_of_falling_gains_is_prefix_closed, ()) {
    const std::vector<Item> items = falling_items();
    const auto budget = static_cast<unsigned long>(pick(0, 17));
    RC_ASSERT(largest_gains(gains_of(items), budget) == best_gain(items, budget));
}

RC_GTEST_PROP(PrefixGain, greedy_depths_are_feasible_and_no_set_is_better, ()) {
    const std::vector<Item> items = any_items(true);
    const auto budget = static_cast<unsigned long>(pick(0, 17));
    const Rational best = best_gain(items, budget);
    RC_ASSERT(greedy_gain(items, budget) <= best);
    RC_ASSERT(best <= largest_gains(gains_of(items), budget));
}

RC_GTEST_PROP(PrefixGain, the_order_of_items_does_not_matter, ()) {
    std::vector<Item> items = any_items(pick(0, 1) == 0);
    const auto budget = static_cast<unsigned long>(pick(0, 14));
    const Rational before = best_gain(items, budget);
    std::ranges::reverse(items);
    RC_ASSERT(best_gain(items, budget) == before);
}

TEST(PrefixGain, hypotheses_of_proposition_8_are_needed) {
    const std::vector<Item> hidden = {{{0}, {100}}, {{1}, {1}}};
    EXPECT_EQ(greedy_gain(hidden, 2), 2);
    EXPECT_EQ(best_gain(hidden, 2), 100);
    const std::vector<Item> priced = {{{3, 2}}, {{2, 1}}, {{2, 1}}};
    EXPECT_EQ(greedy_gain(priced, 2), 3);
    EXPECT_EQ(best_gain(priced, 2), 4);
}

TEST(PrefixGain, stops_where_no_gain_is_left) {
    EXPECT_EQ(greedy_gain({{{5}, {0}, {7}}}, 3), 5); // 0 is not positive: what lies behind is not reached
    EXPECT_EQ(greedy_gain({}, 3), 0);
    EXPECT_EQ(best_gain({{}, {}}, 1000000), 0);
    EXPECT_EQ(largest_gains({-1, 2, 0, 3}, 4), 5);
}

TEST(PrefixGain, another_rule_is_told_from_greedy) {
    const std::vector<Item> items = {{{3}, {1}}, {{2}, {2}}};
    EXPECT_NE(timid_gain(items, 2), best_gain(items, 2));
    EXPECT_EQ(greedy_gain(items, 2), best_gain(items, 2));
}
