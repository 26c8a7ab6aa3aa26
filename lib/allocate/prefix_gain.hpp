#pragma once

#include "lib/exact/rational.hpp"

#include <vector>

namespace kvproof {

/// One more level of an item: what it takes off the distortion, and what it costs.
struct Refinement {
    Rational gain;
    unsigned long cost = 1;
};

/// The refinements of an item in the order in which they can be read.
using Item = std::vector<Refinement>;

/// What ChooseDepths collects (ReadKV 3.3): from depth 0, again and again the refinement of largest positive
/// gain among those that come next in some item and that the budget still covers; of equal gains, the first
/// item's.
[[nodiscard]] Rational greedy_gain(const std::vector<Item>& items, unsigned long budget);

/// The most that any depths within the budget collect (ReadKV E.2.1), by a dynamic program over items and
/// budgets: items * refinements * min(budget, total cost) additions.
[[nodiscard]] Rational best_gain(const std::vector<Item>& items, unsigned long budget);

/// The largest sum of at most `count` of the gains, whether or not what comes before them is taken.
[[nodiscard]] Rational largest_gains(std::vector<Rational> gains, unsigned long count);

} // namespace kvproof
