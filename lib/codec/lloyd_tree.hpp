#pragma once

#include "lib/codec/codebook.hpp"
#include "lib/codec/gaussian.hpp"

#include <cstdint>
#include <optional>

namespace kvproof {

inline constexpr int default_depth = 8;
inline constexpr int deepest_tree = 12;

/// What the normal law says about one depth of the tree, beside its boundaries and centroids.
struct LloydLevel {
    std::vector<Interval> probabilities; ///< of the 2^t cells
    Interval distortion;                 ///< D(t) = E(Z - Q_t(Z))^2
    std::optional<Interval> gain;        ///< Delta_t = D(t-1) - D(t), from depth 1 on
};

/// The progressive Gaussian Lloyd tree (ReadKV 3.1, D.1) as enclosures. A cell (l, u) splits at the m with
/// 2 m = c(l, m) + c(m, u).
///
/// Why every split exists and is unique. Let f(m) = 2 m - c(l, m) - c(m, u). Shifting both ends of a cell by
/// s tilts its law exponentially, so d/ds c(a + s, b + s) = 1 - Var(Z | a < Z < b); and c rises in either
/// end. Hence f' >= Var(Z | l < Z < m) + Var(Z | m < Z < u) > 0: f has at most one zero. f falls in l and in
/// u, so with l in [l1, l2] and u in [u1, u2] the two signs f(m1; l1, u1) < 0 < f(m2; l2, u2) enclose the
/// zero in (m1, m2) whatever the true l and u are. Those signs are what the construction computes, once per
/// split.
struct LloydTree {
    Codebook<Interval> codebook;
    std::vector<LloydLevel> levels;
    Bits working_bits = 0; ///< the precision of the arithmetic

    [[nodiscard]] int depth() const { return codebook.depth(); }
};

/// Encloses the tree so that every boundary, centroid, probability, distortion and gain has at least this
/// relative accuracy. Cost grows as 2^depth splits, each a few exp and erfc at the working precision. Throws
/// Error(depth_out_of_range) unless 0 <= depth <= 12.
[[nodiscard]] LloydTree lloyd_tree(int depth, Bits accuracy);

/// The worst relative accuracy, in bits, among all boundaries, centroids, probabilities, distortions and
/// gains.
[[nodiscard]] Bits least_accuracy(const LloydTree& tree);

/// Decides anew, by the error function instead of the tail and without anything the construction stored, that
/// the split of cell `cell` at depth t exists within its enclosure and whatever its parents' ends are.
[[nodiscard]] Truth split_exists(const Codebook<Interval>& tree, int t, std::size_t cell, Bits bits);

/// How many of the tree's 2^depth - 1 splits split_exists decides with yes.
[[nodiscard]] std::uint64_t existing_splits(const Codebook<Interval>& tree, Bits bits);

/// The tree's entries rounded once to nearest binary32, ties to even. Raises the precision until both ends of
/// each enclosure round alike.
[[nodiscard]] Codebook<float> float32_codebook(int depth);
/// The same from a tree that is there already; nothing where some enclosure's ends round apart.
[[nodiscard]] std::optional<Codebook<float>> float32_codebook(const LloydTree& tree);

} // namespace kvproof
