#pragma once

#include "lib/reader/head_vectors.hpp"
#include "lib/reader/token_window.hpp"
#include "lib/reader/whole_read_layer.hpp"

namespace kvproof {

/// A layer whose calls see the tokens of the TokenWindow whole, as captured, and the others decoded.
class WindowedLayer : public WholeReadLayer {
public:
    /// `keys` and `values`: what the tokens that are coded when all are there decode to; the others are not
    /// looked at.
    WindowedLayer(const CaptureLayer& layer, HeadVectors keys, HeadVectors values)
        : WholeReadLayer(layer.shape), keys_(layer.shape, layer.k), values_(layer.shape, layer.v),
          decoded_keys_(std::move(keys)), decoded_values_(std::move(values)) {}

    [[nodiscard]] std::uint64_t stored_bits(int tokens) const final {
        const CallBits bits = call_bits(tokens);
        return bits.payload + bits.overhead;
    }

protected:
    /// 2 G d_h 16 for each token that a call sees whole.
    [[nodiscard]] std::uint64_t whole_bits(int tokens) const {
        constexpr std::uint64_t half = 16;
        return 2 * half * scalars() * static_cast<std::uint64_t>(tokens - TokenWindow{}.coded(tokens));
    }

private:
    [[nodiscard]] std::span<const double> key(int kv_head, int token, int tokens) const final {
        return (TokenWindow{}.holds(token, tokens) ? keys_ : decoded_keys_).at(kv_head, token);
    }
    [[nodiscard]] std::span<const double> value(int kv_head, int token, int tokens) const final {
        return (TokenWindow{}.holds(token, tokens) ? values_ : decoded_values_).at(kv_head, token);
    }

    HeadVectors keys_;
    HeadVectors values_;
    HeadVectors decoded_keys_;
    HeadVectors decoded_values_;
};

} // namespace kvproof
