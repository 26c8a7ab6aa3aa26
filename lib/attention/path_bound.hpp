#pragma once

#include "lib/attention/softmax.hpp"

#include <span>
#include <vector>

namespace kvproof {

/// What the sharp certificate takes of one query head: both softmaxes and what separates their logits.
struct LogitPath {
    std::span<const double> start;  ///< z^, the reader's logits
    std::span<const double> change; ///< Delta = z - z^, computed
    double start_radius = 0;        ///< each z^ is known to this
    double change_radius = 0;       ///< each Delta is known to this
    const Softmax& reader;          ///< alpha^
    const Softmax& exact;           ///< alpha
};

/// An upper bound of 1/Z_min, Z_min = min over theta in [0, 1] of Z_theta = sum alpha^_i^(1-theta)
/// alpha_i^theta.
///
/// log Z_theta = LSE(z^ + theta Delta) - (1 - theta) LSE(z^) - theta LSE(z) is convex and 0 at both ends; its
/// slope is E_{p_theta} Delta - (LSE(z) - LSE(z^)). Two tangents, one on each side of the minimum, meet below
/// it; the next point of contact is where they meet, until the gap is small. Never formed from alpha, which
/// underflows.
[[nodiscard]] double inverse_least_overlap(const LogitPath& path);

/// lambda(p) = lambda_max(sum_i p_i (v_i - c)(v_i - c)') from above, for rows v [T, d_h] and weights p known
/// to `relative` and `absolute` (Softmax). Without a centre, rows are fl(v - c) already, each with one
/// rounding. `squared_norms` are upper bounds of ||v_i - c||^2. The rows of least share count by their trace,
/// as long as that costs less than a part in 1000, and the rest in binary32 (single_gram).
[[nodiscard]] double spread_up(std::span<const double> rows, std::size_t dim, const Softmax& weights,
                               std::span<const double> squared_norms, std::span<const double> centre = {});

} // namespace kvproof
