#pragma once

#include <cstdint>
#include <vector>

namespace kvproof {

/// A clique of the graph with more than `bound` vertices, ascending: the first that a branch and bound with
/// greedy colourings finds. Empty where there is none. `neighbours` [n], n <= 64.
[[nodiscard]] std::vector<int> clique_above(const std::vector<std::uint64_t>& neighbours, std::size_t bound);

} // namespace kvproof
