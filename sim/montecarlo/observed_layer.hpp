#pragma once

#include "lib/attention/two_stage.hpp"

#include <memory>
#include <vector>

namespace kvproof {

/// A layer of a capture as ReadKV stores it, beside what the cache held, in transformed coordinates (ReadKV
/// E.3): what score and error are taken from.
struct ObservedLayer {
    ObservedLayer(const CaptureLayer& full, const CaptureLayer& calibration, const Transform& key_transform,
                  const Transform& value_transform, const NestedCode& code);

    CaptureLayer layer;
    EncodedLayer encoded;
    std::vector<double> keys;   ///< k' = U_K k: [G, T, d_h]
    std::vector<double> values; ///< v' = U_V v: [G, T, d_h]
};

/// Energies of one KV head's observation, sums over the query heads that share it.
struct Energies {
    double error = 0;    ///< exact: sum_h ||z_h - z^_h||^2, or sum_h ||E_V' alpha^_h||^2
    double diagonal = 0; ///< without interactions: sum_h A_{K,h}, or sum_h A_{V,h}
    double score = 0;    ///< the calibrated objective: sum_h S_{K,h}, or sum_h S_{V,h}
    /// (error - diagonal) / error: the signed share of the interactions; NaN without error.
    [[nodiscard]] double interaction() const;
};

/// Of the logits of a call (ReadKV 3.2, Eq. 2, against E.3's exact residuals).
[[nodiscard]] Energies key_energies(const ObservedLayer& layer, const TwoStageCall& call,
                                    std::size_t kv_head);
/// Of the values that a call read, weighted by its own attention (Eq. 3).
[[nodiscard]] Energies value_energies(const ObservedLayer& layer, const TwoStageReader& reader,
                                      const TwoStageCall& call, std::size_t kv_head);
/// sum_h ||o_h - o^_h||^2, o from the cache at full precision.
[[nodiscard]] double output_error(const ObservedLayer& layer, const TwoStageCall& call, std::size_t kv_head);

/// Kendall's tau-a of two rankings: of all pairs, the share in the same order less the share in opposite
/// order; a tie in either counts as neither. In [-1, 1]; NaN for fewer than two.
[[nodiscard]] double kendall_tau(const std::vector<double>& a, const std::vector<double>& b);

} // namespace kvproof
