#pragma once

#include "lib/attention/softmax.hpp"

#include <span>

namespace kvproof {

/// lambda(p) = lambda_max(sum_i p_i (v_i - c)(v_i - c)') from above, for rows v [T, d_h] and weights p known
/// to `relative` and `absolute` (Softmax). Without a centre, rows are fl(v - c) already, each with one
/// rounding. `squared_norms` are upper bounds of ||v_i - c||^2. The rows of least share count by their trace,
/// as long as that costs less than a part in 1000, and the rest in binary32 (single_gram).
[[nodiscard]] double spread_up(std::span<const double> rows, std::size_t dim, const Softmax& weights,
                               std::span<const double> squared_norms, std::span<const double> centre = {});

} // namespace kvproof
