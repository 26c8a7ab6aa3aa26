#pragma once

#include "sim/montecarlo/drawn_noise.hpp"
#include "sim/montecarlo/output_remainder.hpp"

namespace kvproof {

/// How large the white noise of a capture is.
struct NoiseChoice {
    NoiseLaw law = NoiseLaw::uniform;
    bool quantiser = true; ///< Delta/sqrt(12) of each token and channel, else the same for all
    int bits = 4;          ///< of that quantiser
    double keys = 1;       ///< factor, or sigma_K
    double values = 1;     ///< factor, or sigma_V
};

/// For every layer and KV head [L, G]. Of the quantiser: sigma_ic = Delta_ic / sqrt(12), Delta_ic = 2 alpha_i
/// s_c / 2^b in the channels of the capture, head by head; s_c is the 99th percentile of |x_c| over the
/// tokens, alpha_i = max_c |x_ic| / s_c as AATC's repaired form stores it.
[[nodiscard]] std::vector<NoiseSizes> noise_sizes(const QueryRows& rows, const NoiseChoice& choice);

} // namespace kvproof
