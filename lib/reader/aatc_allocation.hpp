#pragma once

#include "lib/exact/rational.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kvproof {

/// What decides the bits of one layer's keys or values.
struct AatcLayerChannels {
    std::vector<double> variance; ///< sigma_c^2
    std::vector<double> weight;   ///< w_c
    std::vector<char> live;       ///< whether the channel may have bits: s_c > 0
};

/// How AATC shares out bits (V-B, appendix E).
struct AatcRule {
    Rational average;               ///< bits of a channel, over all layers
    std::size_t fixed_layers = 0;   ///< so many of the first layers have a budget of their own
    Rational fixed;                 ///< average bits of a channel there
    bool normalise = false;         ///< sigma^2 by each layer's own 95th percentile, over its live channels
    bool normalise_weights = false; ///< w too
};

/// Bits of every channel, [layer][channel], 0 to 16, that minimise the sum of w sigma^2 4^-b over all layers
/// with sum b <= floor(average L n): increments of gain (3/4) w sigma^2 4^-b, the largest first, equal gains
/// to the lower layer and channel (choose_depths); increments without gain are not spent. Fixed layers have
/// budgets of their own, floor(fixed l n) for the first l of them, which count in that of all. All layers
/// have as many channels n. Throws Error(bad_weight) where a weight or a variance is no number to compare.
[[nodiscard]] std::vector<std::vector<std::uint8_t>> aatc_bits(const std::vector<AatcLayerChannels>& layers,
                                                               const AatcRule& rule);

/// How many of `layers` layers (of a model, ascending indices) are fixed: those among the model's first
/// three, but no more than half of all, and no more than leave the others a budget that is not negative. The
/// paper's models have 28 and 32 layers, where this is three; one of four layers could not pay for them.
[[nodiscard]] std::size_t aatc_fixed_layers(std::span<const int> layers, const Rational& average,
                                            const Rational& fixed);

} // namespace kvproof
