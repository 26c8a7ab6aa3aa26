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

/// lambda(p) = lambda_max(sum_i p_i (v_i - c)(v_i - c)') from above, for the rows of fl(v - c) [T, d_h], each
/// with one rounding, and weights p known to `relative` and `absolute` (Softmax). The rows of least weight
/// count by their trace, as long as that costs less than a part in 10^4: attention is peaked, and most rows
/// need no d_h^2 operations.
[[nodiscard]] double spread_up(std::span<const double> centred, std::size_t dim, const Softmax& weights,
                               std::span<const double> squared_norms);

} // namespace kvproof
