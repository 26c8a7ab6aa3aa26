#pragma once

#include "sim/probe/encoder_search.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace kvproof {

/// The best partitions of a few sources into at most `parts` sets, where the losses of the sets add: what a
/// record can do that is read whole, or by a reader that must not see the query. By dynamic programming over
/// the sets: h_k(S) is the least over the part T of S that holds its first source of table(T) + h_(k-1)(S -
/// T). Cost: about parts 3^(n-1) additions.
class PartitionSearch {
public:
    /// `table` [2^n]: as TreeSearch has it.
    PartitionSearch(const std::vector<std::int64_t>& table, int sources, int parts);

    [[nodiscard]] std::int64_t least() const { return least_; }

    /// Each partition that loses at most `window` more than the least, once: its sets in order of their first
    /// source. `visit` returns true to end this.
    void visit(std::int64_t window,
               const std::function<bool(const std::vector<std::uint32_t>&)>& visit) const;

private:
    [[nodiscard]] std::int64_t best(std::uint32_t set, int parts) const;

    const std::vector<std::int64_t>& table_;
    std::uint32_t everyone_;
    int parts_;
    std::vector<std::vector<std::int64_t>> of_rest_; ///< [parts][2^(n-1)]: h_k of the sets without source 0
    std::int64_t least_ = 0;
};

} // namespace kvproof
