#include "lib/reader/prefix_reader.hpp"

#include "lib/error.hpp"
#include "lib/reader/calibration_layer.hpp"

#include <algorithm>

namespace kvproof {
std::uint64_t PrefixReader::shared_bits() const {
    return tree_table_bits;
}

std::unique_ptr<StoredLayer> PrefixReader::encode(const LayerInput& input,
                                                  const ReaderSettings& settings) const {
    if (stored_ > settings.code.depth())
        throw Error(ErrorCode::bad_option, "reader \"" + name_ + "\": found a codebook of depth " +
                                               std::to_string(settings.code.depth()) +
                                               ", expected at least " + std::to_string(stored_));
    const Calibration calibration =
        calibrate(required_calibration(input, name_), settings.keys, settings.values);
    const NestedCode stored = cut(settings.code, stored_);
    return std::make_unique<PrefixLayer>(input.layer, calibration, settings, stored,
                                         policy_(input, settings, stored));
}

PrefixLayer::PrefixLayer(const CaptureLayer& layer, const Calibration& calibration,
                         const ReaderSettings& settings, const NestedCode& stored,
                         std::unique_ptr<DepthPolicy> policy)
    : encoded_(layer, calibration, settings.keys, settings.values, stored), policy_(std::move(policy)),
      reader_(encoded_, *policy_, settings.keys, settings.values, settings.value_scale) {}

Answer PrefixLayer::answer(std::span<const double> queries, int tokens) const {
    TwoStageCall call;
    reader_.run(queries, tokens, call);
    return {reader_.outputs(call), call.key_bits + call.value_bits, call_overhead()};
}

std::uint64_t PrefixLayer::call_overhead() const {
    return calibration_bits(encoded_.shape()) + tree_table_bits;
}

std::uint64_t PrefixLayer::stored_bits(int tokens) const {
    const CaptureShape& shape = encoded_.shape();
    const std::uint64_t padding =
        policy_->paired() ? tokens % 2 : 0; // an odd last value token is kept as a pair
    return (2 * static_cast<std::uint64_t>(tokens) + padding) * shape.kv_heads * shape.dim *
               encoded_.stored_depth() +
           calibration_bits(shape);
}

std::unique_ptr<DepthPolicy> policy_from_calibration(const LayerInput& input, const ReaderSettings& settings,
                                                     const NestedCode& stored, const Rates& rates) {
    const CaptureLayer& layer = required_calibration(input, "calibration");
    const CaptureShape& shape = layer.shape;
    if (shape.queries == 0)
        throw Error(ErrorCode::bad_capture,
                    "reader \"calibration\": found a calibration capture without queries, expected some");
    const auto d = static_cast<std::size_t>(shape.dim);
    const auto groups = static_cast<std::size_t>(shape.kv_heads);
    const std::size_t sharing = static_cast<std::size_t>(shape.query_heads) / groups;
    const Calibration calibration = calibrate(layer, settings.keys, settings.values);

    std::vector<double> key_weights(groups * d);
    std::vector<double> queries = layer.q; // [H, Tq, d_h]
    settings.keys.apply_rows(queries);
    const auto rows = static_cast<std::size_t>(shape.queries);
    for (std::size_t h = 0; h < groups * sharing; ++h)
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t c = 0; c < d; ++c) {
                const std::size_t at = h / sharing * d + c;
                const double scaled = queries[(h * rows + i) * d + c] * calibration.keys.scale[at];
                key_weights[at] += scaled * scaled / static_cast<double>(rows);
            }

    // one pass over the calibration layer itself gives the mean attention weight of a token
    const bool per_head = settings.pool == Pool::head;
    const PrefixLayer trial(
        layer, calibration, settings, stored,
        calibrated_policy(rates, stored.gain, per_head, key_weights, std::vector<double>(groups, 0)));
    std::vector<double> value_weights(groups);
    TwoStageCall call;
    std::vector<double> row(shape.query_heads * d);
    for (int i = 0; i < shape.queries; ++i) {
        for (std::size_t h = 0; h < groups * sharing; ++h) {
            const auto query = layer.query(static_cast<int>(h), i);
            std::copy(query.begin(), query.end(), row.begin() + static_cast<std::ptrdiff_t>(h * d));
        }
        const int tokens = shape.position(i) + 1;
        trial.reader().run(row, tokens, call);
        for (std::size_t g = 0; g < groups; ++g) {
            double sum = 0;
            for (int j = 0; j < tokens; ++j) sum += call.value_weights[g * tokens + j];
            value_weights[g] += sum / tokens / shape.queries;
        }
    }
    return calibrated_policy(rates, stored.gain, per_head, key_weights, value_weights);
}

} // namespace kvproof
