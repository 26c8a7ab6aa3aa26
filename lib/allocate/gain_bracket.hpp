#pragma once

#include "lib/allocate/weight_histogram.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace kvproof {

/// Where the B-th largest gain can be, said of each level by coarse keys of weights: at level t an item's
/// gain is above it for sure from `upper[t]` on, and below it for sure under `lower[t]`. Neither falls with
/// t.
struct GainBracket {
    std::array<std::int32_t, 255> lower;
    std::array<std::int32_t, 255> upper;
    std::uint64_t above = 0; ///< pairs of an item and a level from `upper` on; less than B
};

/// For positive gains Delta_t that do not rise with t, and 1 <= budget < number of positive gains.
template <class Number>
[[nodiscard]] GainBracket gain_bracket(const WeightHistogram<Number>& histogram,
                                       std::span<const Number> gains, std::uint64_t budget);

} // namespace kvproof
