#include "lib/reader/lloyd2.hpp"

#include "lib/capture/calibration.hpp"
#include "lib/codec/half.hpp"
#include "lib/codec/level_quantiser.hpp"
#include "lib/codec/unit_vector_code.hpp"
#include "lib/reader/calibration_layer.hpp"
#include "lib/reader/decoded_layer.hpp"

namespace kvproof {
namespace {

constexpr std::uint64_t code_bits = 2;
/// Four float32 levels, once for keys and once for values.
constexpr std::uint64_t level_table_bits = std::uint64_t{2} * 4 * 32;

/// Transformed vectors to mu + sigma z^, channel by channel.
void quantise_rows(HeadVectors& rows, const CaptureShape& shape, const ChannelStatistics& statistics,
                   const LevelQuantiser& levels) {
    const auto d = static_cast<std::size_t>(shape.dim);
    for (int g = 0; g < shape.kv_heads; ++g)
        for (int j = 0; j < shape.tokens; ++j) {
            const std::span<double> x = rows.at(g, j);
            for (std::size_t c = 0; c < d; ++c) {
                const double mean = statistics.mean[static_cast<std::size_t>(g) * d + c];
                const double scale = statistics.scale[static_cast<std::size_t>(g) * d + c];
                x[c] = scale == 0 ? mean : mean + scale * levels.nearest((x[c] - mean) / scale);
            }
        }
}

class Lloyd2Layer final : public DecodedLayer {
public:
    Lloyd2Layer(const CaptureLayer& layer, const Calibration& calibration, const ReaderSettings& settings)
        : DecodedLayer(layer) {
        const LevelQuantiser levels = gaussian_levels(static_cast<int>(code_bits));
        settings.keys.apply_rows(keys_.entries());
        quantise_rows(keys_, layer.shape, calibration.keys, levels);
        settings.keys.apply_inverse_rows(keys_.entries());
        for (int g = 0; g < layer.shape.kv_heads; ++g)
            for (int j = 0; j < layer.shape.tokens; ++j) correct_norm(keys_.at(g, j), layer.key(g, j));
        settings.values.apply_rows(values_.entries());
        quantise_rows(values_, layer.shape, calibration.values, levels);
        settings.values.apply_inverse_rows(values_.entries());
    }

    [[nodiscard]] std::uint64_t stored_bits(int tokens) const override {
        return DecodedLayer::stored_bits(tokens) - level_table_bits; // which the model keeps once
    }

private:
    void correct_norm(std::span<double> decoded, std::span<const double> key) {
        const Half norm = nearest_half(euclidean_norm(key));
        saturated_ += norm.saturated ? 1 : 0;
        const double length = euclidean_norm(decoded);
        if (length == 0) return;
        for (double& entry : decoded) entry = entry / length * norm.value;
    }

    [[nodiscard]] CallBits call_bits(int tokens) const override {
        constexpr std::uint64_t norm_bits = 16;
        const auto t = static_cast<std::uint64_t>(tokens);
        return {2 * code_bits * scalars() * t,
                norm_bits * heads() * t + calibration_bits(shape()) + level_table_bits};
    }
};

class Lloyd2Reader final : public Reader {
public:
    [[nodiscard]] bool needs_calibration() const override { return true; }
    [[nodiscard]] std::uint64_t shared_bits() const override { return level_table_bits; }
    [[nodiscard]] std::unique_ptr<StoredLayer> encode(const LayerInput& input,
                                                      const ReaderSettings& settings) const override {
        const CaptureLayer& other = required_calibration(input, "lloyd2");
        return std::make_unique<Lloyd2Layer>(input.layer, calibrate(other, settings.keys, settings.values),
                                             settings);
    }
};

} // namespace

std::unique_ptr<Reader> lloyd2_reader() {
    return std::make_unique<Lloyd2Reader>();
}

} // namespace kvproof
