#pragma once

#include "lib/exact/interval.hpp"

#include <cstdint>
#include <vector>

namespace kvproof {

/// A nested binary scalar quantiser (ReadKV 3.1, D.1). Depth t has 2^t cells: boundaries[t] holds their 2^t -
/// 1 inner boundaries, ascending, centroids[t] the 2^t reconstruction values. The boundaries of depth t are
/// every second boundary of depth t + 1; the split of cell i at depth t is boundaries[t + 1][2 i].
///
/// Number is Interval (the exact Gaussian Lloyd tree), float (its rounding, or a user's file) or Rational.
template <class Number>
struct Codebook {
    std::vector<std::vector<Number>> boundaries;
    std::vector<std::vector<Number>> centroids;

    /// The deepest level, W.
    [[nodiscard]] int depth() const { return static_cast<int>(centroids.size()) - 1; }
};

/// The W-bit code of z: a walk down the tree. A value equal to a boundary goes to the upper child. This is
/// not nearest-centroid search, which differs from depth 3 on. Number must be totally ordered; z is not NaN.
template <class Number>
[[nodiscard]] std::uint32_t encode(const Codebook<Number>& codebook, const Number& z) {
    std::uint32_t cell = 0;
    for (int t = 0; t < codebook.depth(); ++t) {
        const bool upper = !(z < codebook.boundaries[t + 1][2 * cell]);
        cell = 2 * cell + (upper ? 1 : 0);
    }
    return cell;
}

/// The reconstruction of the first t bits of a W-bit code: Q_t. Depth 0 gives the mean.
template <class Number>
[[nodiscard]] const Number& decode(const Codebook<Number>& codebook, std::uint32_t code, int t) {
    return codebook.centroids[t][code >> (codebook.depth() - t)];
}

/// Every entry as the exact rational that it is.
[[nodiscard]] Codebook<Rational> exact_codebook(const Codebook<float>& codebook);

/// Throws Error(bad_codebook), naming `source` and the first offending entry, unless: depth is 1..12, counts
/// are 2^t - 1 and 2^t, all entries are finite, boundaries ascend strictly and are nested, and every centroid
/// lies in its closed cell.
void require_valid(const Codebook<float>& codebook, const std::string& source);

} // namespace kvproof
