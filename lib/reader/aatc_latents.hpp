#pragma once

#include "lib/capture/projections.hpp"
#include "lib/codec/whitening.hpp"

#include <vector>

namespace kvproof {

/// The latent channels of one layer's keys or values, as the calibration shows them (AATC V-A, V-B). Channels
/// stand group by group: group n has channels n width .. (n+1) width - 1.
struct AatcLatents {
    std::vector<WhitenedSvd> groups; ///< one for each head group, of its heads' channels together
    std::vector<double> variance;    ///< [G d_h] sigma_c^2: population variance of h_c over the tokens
    std::vector<double> weight;      ///< [G d_h] w_c
    std::vector<double> scale;       ///< [G d_h] s_c: 99th percentile of |h_c| over the tokens

    [[nodiscard]] std::size_t width() const { return groups.front().width; }
    /// h of the rows of one token's heads, [G d_h] both.
    void encode(std::span<const double> heads, std::span<double> h) const;
    void decode(std::span<const double> h, std::span<double> heads) const;
};

/// Keys: h of captured keys turned back to position 0; w_c = (1/Tq) sum over the calibration queries q,
/// turned back too, and the query heads of the group of (B_c q)^2 (Remark 7, appendix B).
[[nodiscard]] AatcLatents aatc_keys(const CaptureLayer& layer, const Projections& projections,
                                    const Rotary& rotary, int head_groups);

/// Values: w_c = sum over the query heads of the group of ||B_c W_O^h||^2.
[[nodiscard]] AatcLatents aatc_values(const CaptureLayer& layer, const Projections& projections,
                                      int head_groups);

/// The number below which `percent` in a hundred of the numbers lie, linear between neighbours in order:
/// place (n - 1) percent / 100. At least one number.
[[nodiscard]] double percentile(std::vector<double> numbers, std::size_t percent);

} // namespace kvproof
