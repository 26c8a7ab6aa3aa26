#pragma once

#include "lib/exact/interval.hpp"

#include <vector>

namespace kvproof {

/// The optimal (not nested) Lloyd-Max quantiser of N(0, 1) with 2^t levels: what the progressive tree gives
/// up is measured against it. Boundaries b_i are midpoints of neighbouring centroids: F_i(b) = 2 b_i - c_i -
/// c_{i+1} = 0.
///
/// Why it exists where it is said to be, and is unique. The row sums of F's Jacobian are Var_i + Var_{i+1} >
/// 0 (the variances of the normal law within the two cells; see lloyd_tree.hpp for d/ds c = 1 - Var), its
/// off-diagonal entries are not positive: every average of such matrices over a segment is strictly
/// diagonally dominant, so F is injective and a stationary quantiser is unique, hence optimal and symmetric
/// about 0. If the row sums are at least delta on the box of radius rho around a point b and |F(b)|_max <
/// delta rho, the zero lies in that box (follow F = (1 - s) F(b) from b: the path moves by at most |F(b)|_max
/// / delta). The construction computes delta and |F(b)|_max as enclosures.
struct LloydMax {
    std::vector<Interval> boundaries; ///< 2^t - 1, ascending
    std::vector<Interval> centroids;  ///< 2^t, ascending
    Interval distortion;
    Interval dominance; ///< delta: a lower bound of the row sums
    Interval residual;  ///< |F(b)|_max at the point that was certified
};

/// Encloses the quantiser with 2^t levels, 1 <= t <= 10, to this relative accuracy.
/// Throws Error(depth_out_of_range).
[[nodiscard]] LloydMax lloyd_max(int t, Bits accuracy);

} // namespace kvproof
