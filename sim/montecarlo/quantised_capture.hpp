#pragma once

#include "sim/montecarlo/quantised_tokens.hpp"
#include "sim/montecarlo/query_rows.hpp"

#include <array>
#include <memory>

namespace kvproof {

/// What AATC's quantiser is given.
struct QuantiserChoice {
    int bits = 4; ///< of every channel, or their average
    TokenCode form = TokenCode::printed;
    bool equal = true; ///< else water-filling over all layers, nothing normalised
};

/// A layer's keys and values.
using QuantisedLayer = std::array<QuantisedTokens, 2>;

/// What the white-noise model predicts of errors of token scale 1.
struct NoiseModel {
    std::vector<double> keys;   ///< [L, G, d_h, d_h] covariance of a key's error before the rotary encoding
    std::vector<double> values; ///< [L, H] E||delta v W_O||^2
};

/// A whole capture with every token quantised: no window is kept whole. Transforms, scales and water-filling
/// come from a calibration capture, as AATC has it; one head group.
class QuantisedCapture {
public:
    /// Throws Error(bad_capture) where something is missing; both captures have the same sizes.
    QuantisedCapture(std::shared_ptr<const QueryRows> rows, const CaptureSource& calibration,
                     const QuantiserChoice& choice);

    [[nodiscard]] const QueryRows& rows() const { return *rows_; }
    [[nodiscard]] const QuantisedLayer& layer(int index) const {
        return layers_[static_cast<std::size_t>(index)];
    }
    /// Decoded less captured [d_h] of the row's KV head at a token.
    [[nodiscard]] const double* error(CacheSide side, const QueryRow& row, std::size_t token) const;
    /// With the mean square error that each channel has on this capture.
    [[nodiscard]] const NoiseModel& measured() const { return measured_; }
    /// With Delta^2/12.
    [[nodiscard]] const NoiseModel& assumed() const { return assumed_; }

    /// D_K and D_V.
    struct Terms {
        double key = 0;
        double value = 0;

        [[nodiscard]] double sum() const { return key + value; }
    };
    /// E (delta k_ic)^2 is the model's, with the token's own scale. The query is turned to each key's
    /// position, where the errors' covariance is known.
    [[nodiscard]] Terms terms(const QueryRow& row, const DecodeStep& step, const NoiseModel& model) const;

private:
    std::shared_ptr<const QueryRows> rows_;
    Rotary rotary_;
    std::vector<QuantisedLayer> layers_;
    NoiseModel measured_;
    NoiseModel assumed_;
};

} // namespace kvproof
