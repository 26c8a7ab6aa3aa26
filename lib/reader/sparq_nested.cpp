#include "lib/capture/calibration.hpp"
#include "lib/error.hpp"
#include "lib/reader/calibration_layer.hpp"
#include "lib/reader/sparq.hpp"

namespace kvproof {
namespace {

constexpr int scoring_depth = 2;
constexpr int selected_depth = 8;

/// z is rounded in double and compared with the boundaries exactly: every float32 is a double.
Codebook<double> in_double(const Codebook<float>& codebook) {
    Codebook<double> out;
    for (const auto& level : codebook.boundaries) out.boundaries.emplace_back(level.begin(), level.end());
    for (const auto& level : codebook.centroids) out.centroids.emplace_back(level.begin(), level.end());
    return out;
}

/// A layer's vectors of one kind, decoded at two depths, in transformed coordinates.
struct Decoded {
    HeadVectors coarse;
    HeadVectors fine;
};

Decoded decoded(const CaptureShape& shape, const std::vector<double>& vectors, const Transform& transform,
                const ChannelStatistics& statistics, const Codebook<double>& codebook) {
    Decoded out{HeadVectors(shape, vectors), HeadVectors(shape, vectors)};
    transform.apply_rows(out.fine.entries());
    for (int g = 0; g < shape.kv_heads; ++g)
        for (int j = 0; j < shape.tokens; ++j)
            for (std::size_t c = 0; c < static_cast<std::size_t>(shape.dim); ++c) {
                const std::size_t channel = static_cast<std::size_t>(g) * shape.dim + c;
                const double mean = statistics.mean[channel];
                const double scale = statistics.scale[channel];
                double& fine = out.fine.at(g, j)[c];
                double& coarse = out.coarse.at(g, j)[c];
                if (scale == 0) { // the mean, at every depth
                    fine = coarse = mean;
                    continue;
                }
                const std::uint32_t code = encode(codebook, (fine - mean) / scale);
                fine = mean + scale * decode(codebook, code, selected_depth);
                coarse = mean + scale * decode(codebook, code, scoring_depth);
            }
    return out;
}

class SparqNestedReader final : public Reader {
public:
    explicit SparqNestedReader(const SparqOptions& options) : options_(options) {}
    [[nodiscard]] bool needs_calibration() const override { return true; }
    [[nodiscard]] std::uint64_t shared_bits() const override { return tree_table_bits; }
    [[nodiscard]] std::unique_ptr<StoredLayer> encode(const LayerInput& input,
                                                      const ReaderSettings& settings) const override {
        if (settings.code.codebook.depth() < selected_depth)
            throw Error(ErrorCode::bad_option, "reader \"sparq-nested\": found a codebook of depth " +
                                                   std::to_string(settings.code.codebook.depth()) +
                                                   ", expected at least 8");
        const CaptureLayer& layer = input.layer;
        const Calibration calibration =
            calibrate(required_calibration(input, "sparq-nested"), settings.keys, settings.values);
        const Codebook<double> codebook = in_double(settings.code.codebook);
        Decoded keys = decoded(layer.shape, layer.k, settings.keys, calibration.keys, codebook);
        Decoded values = decoded(layer.shape, layer.v, settings.values, calibration.values, codebook);
        settings.keys.apply_inverse_rows(keys.fine.entries());
        settings.values.apply_inverse_rows(values.fine.entries());
        return sparq_layer({.shape = layer.shape,
                            .transform = settings.keys,
                            .scored = std::move(keys.coarse),
                            .keys = std::move(keys.fine),
                            .values = std::move(values.fine),
                            .means = running_means(layer),
                            .scoring_bits = scoring_depth,
                            .selected_bits = selected_depth,
                            .call_overhead = calibration_bits(layer.shape) + tree_table_bits,
                            .layer_overhead = calibration_bits(layer.shape)},
                           options_, "sparq-nested");
    }

private:
    SparqOptions options_;
};

} // namespace

std::unique_ptr<Reader> sparq_nested_reader(const SparqOptions& options) {
    require_valid(options, "sparq-nested");
    return std::make_unique<SparqNestedReader>(options);
}

} // namespace kvproof
