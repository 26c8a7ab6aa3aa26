#pragma once

#include "sim/probe/column.hpp"

#include <span>
#include <vector>

namespace kvproof {

/// One outcome of the public coins: a protocol with its answers, as certificates write it.
struct WeightedProtocol {
    Integer weight; ///< over the sum of all weights: its probability
    Protocol protocol;
    std::vector<Rational> answers; ///< [queries, 2^depth, dim]
};

/// The expected loss of every pair, [sources, queries], from the records, trees and answers alone.
[[nodiscard]] std::vector<Rational> expected_losses(const Family& family,
                                                    std::span<const WeightedProtocol> mixture);

/// A mixture of few images of these columns under the group whose largest expected loss is no more than that
/// of all images alike; with `stop` it may be all of them. `weights` [columns], positive; the queries of the
/// family are distinct.
struct WeightedColumn {
    Rational weight;
    Column column;
};
[[nodiscard]] std::vector<WeightedColumn> few_images(const std::vector<WeightedColumn>& columns,
                                                     const Family& family, const std::vector<Symmetry>& group,
                                                     const StopRequest& stop = {});

} // namespace kvproof
