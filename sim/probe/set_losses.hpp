#pragma once

#include "sim/probe/family.hpp"

#include <cstdint>
#include <vector>

namespace kvproof {

/// The losses of all sets of sources for all queries, as ranks among the values that occur: what a search
/// compares. For families of at most `most_sources` sources, since there are 2^n sets.
struct SetLosses {
    static constexpr int most_sources = 16;

    std::vector<Rational> values; ///< ascending; values[0] = 0
    std::vector<std::vector<std::uint32_t>>
        ranks;                 ///< for each query that differs from the earlier ones: [2^n]
    std::vector<int> table_of; ///< [queries]: which of these tables is the query's

    /// The worst query of each set: what a reader faces whose path must not see the query.
    [[nodiscard]] std::vector<std::uint32_t> joint() const;
};

/// Throws Error(bad_option) for a family with more sources.
[[nodiscard]] SetLosses set_losses(const Family& family);

} // namespace kvproof
