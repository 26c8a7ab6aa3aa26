#pragma once

#include "lib/codec/token_quantiser.hpp"
#include "lib/reader/aatc_latents.hpp"

#include <cstdint>

namespace kvproof {

/// One layer's keys or values and what AATC's quantiser makes of them, every token coded: h_c becomes h_c +
/// e_c with the step Delta_ic = token_scale[i] unit[c]. One head group.
struct QuantisedTokens {
    std::size_t channels = 0;        ///< G d_h
    std::vector<double> token_scale; ///< [T] alpha_i as stored
    std::vector<double> unit;        ///< [channels] 2 s_c 2^-b
    std::vector<double> relative;    ///< [T, channels] e/Delta; NaN where there is no step or no bit
    std::vector<double>
        power; ///< [channels] mean over tokens of (e/Delta)^2, those without bits (e = -h) too
    std::vector<double> assumed; ///< [channels] 1/12, and `power` where there is no bit
    std::vector<double> errors;  ///< [G, T, d_h] decoded less captured, in the capture's coordinates
};

enum class CacheSide { keys, values };

/// `rotary` turns keys; values have none. `bits` [channels].
[[nodiscard]] QuantisedTokens quantise_tokens(const CaptureLayer& layer, CacheSide side,
                                              const AatcLatents& latents,
                                              const std::vector<std::uint8_t>& bits, TokenCode form,
                                              const Rotary& rotary);

/// B_g' diag(unit^2 power) B_g [d_h, d_h] of a KV head: the error of its vector has the covariance
/// token_scale[i]^2 times this if the errors of channels are uncorrelated, before the rotary encoding.
[[nodiscard]] std::vector<double> head_covariance(const QuantisedTokens& tokens, const AatcLatents& latents,
                                                  const std::vector<double>& power, int kv_head, int dim);

} // namespace kvproof
