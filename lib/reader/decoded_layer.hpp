#pragma once

#include "lib/reader/head_vectors.hpp"
#include "lib/reader/whole_read_layer.hpp"

namespace kvproof {

/// A layer whose vectors are decoded once and are the same for every call. It keeps what a call reads, unless
/// a system says otherwise.
class DecodedLayer : public WholeReadLayer {
public:
    /// Starts from the captured vectors, which the constructor of a system replaces by what they decode to.
    explicit DecodedLayer(const CaptureLayer& layer)
        : WholeReadLayer(layer.shape), keys_(layer.shape, layer.k), values_(layer.shape, layer.v) {}

    [[nodiscard]] std::uint64_t stored_bits(int tokens) const override {
        const CallBits bits = call_bits(tokens);
        return bits.payload + bits.overhead;
    }
    [[nodiscard]] std::uint64_t saturated() const final { return saturated_; }

protected:
    HeadVectors keys_;
    HeadVectors values_;
    std::uint64_t saturated_ = 0;

private:
    [[nodiscard]] std::span<const double> key(int kv_head, int token, int /*tokens*/) const final {
        return keys_.at(kv_head, token);
    }
    [[nodiscard]] std::span<const double> value(int kv_head, int token, int /*tokens*/) const final {
        return values_.at(kv_head, token);
    }
};

} // namespace kvproof
