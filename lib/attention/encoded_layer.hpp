#pragma once

#include "lib/capture/calibration.hpp"
#include "lib/codec/bit_planes.hpp"
#include "lib/codec/nested_code.hpp"

#include <cstdint>
#include <vector>

namespace kvproof {

/// One layer's keys and values as ReadKV stores them (3.1): transformed, standardised by the calibration,
/// each scalar as the path of its cell, the paths as bit planes. A key channel's planes run over tokens, a
/// value token's over channels, so that a prefix of depth t is t planes and no more.
class EncodedLayer {
public:
    /// Encodes all tokens to the depth of the code, at most 8.
    EncodedLayer(const CaptureLayer& layer, const Calibration& calibration, const Transform& keys,
                 const Transform& values, const NestedCode& code);

    [[nodiscard]] const CaptureShape& shape() const { return shape_; }
    [[nodiscard]] int stored_depth() const { return code_.depth(); }
    [[nodiscard]] const NestedCode& code() const { return code_; }
    [[nodiscard]] const Calibration& calibration() const { return calibration_; }

    /// Reads t bits of channel c of KV head g for the first `tokens` tokens: writes mu + sigma Q_t, the
    /// reconstructions, each product and sum rounded. Returns the bits touched: t * tokens.
    std::uint64_t read_key_channel(int g, int c, int t, int tokens, double* out) const;
    /// Reads t bits of each channel of value token j: d_h reconstructions. Returns t * d_h.
    std::uint64_t read_value_token(int g, int j, int t, double* out) const;

    /// The stored planes: of channel c of KV head g over tokens, of value token j over channels.
    [[nodiscard]] const BitPlanes& key_planes(int g, int c) const {
        return keys_[static_cast<std::size_t>(g) * shape_.dim + c];
    }
    [[nodiscard]] const BitPlanes& value_planes(int g, int j) const {
        return values_[static_cast<std::size_t>(g) * shape_.tokens + j];
    }

    /// Flips one stored bit: tests show with it which bits a call looks at.
    void flip_key_bit(int g, int c, int token, int plane);
    void flip_value_bit(int g, int j, int channel, int plane);

private:
    CaptureShape shape_;
    NestedCode code_;
    Calibration calibration_;
    std::vector<std::vector<double>> centroids_; // by depth, as doubles
    std::vector<BitPlanes> keys_;                // [G, d_h]
    std::vector<BitPlanes> values_;              // [G, T]
};

} // namespace kvproof
