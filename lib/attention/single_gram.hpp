#pragma once

#include "lib/attention/gram.hpp"

#include <cstdint>
#include <span>

namespace kvproof {

/// Rows y_j = e_j - c of a row-major matrix and their weights, w_j in [0, 1].
struct WeightedRows {
    const double* rows = nullptr; ///< e_j: [T, dim], below 2^500 in magnitude
    std::size_t dim = 0;
    std::span<const double> centre = {};   ///< c; empty: zero, and each e_j has one rounding already
    std::span<const double> weights = {};  ///< [T]
    std::span<const std::uint32_t> chosen; ///< the rows that count
    double largest_norm = 0;               ///< at least every ||y_j||, up to rounding
};

/// sum of w_j y_j y_j' over the chosen rows, for the exact y_j, with products and sums of blocks in binary32:
/// half the time of column_gram, and an error bound of some 1e-5 of the trace, which still is a bound. For
/// figures that need three digits.
[[nodiscard]] Gram single_gram(const WeightedRows& input, Instructions instructions = best_instructions());

} // namespace kvproof
