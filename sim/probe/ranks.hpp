#pragma once

#include "lib/exact/rational.hpp"

#include <cstdint>
#include <vector>

namespace kvproof {

/// Losses by their numbers among the values that occur: what a search compares.
struct Ranked {
    std::vector<Rational> values;                  ///< ascending, without repeats; values[0] = 0
    std::vector<std::vector<std::uint32_t>> ranks; ///< of each table's entries
};

/// No entry is negative.
[[nodiscard]] Ranked ranked(const std::vector<std::vector<Rational>>& tables);

} // namespace kvproof
