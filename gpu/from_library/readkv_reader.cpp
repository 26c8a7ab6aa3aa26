#include "gpu/from_library/readkv_reader.hpp"

#include "lib/allocate/schedule.hpp"
#include "lib/attention/encoded_layer.hpp"
#include "lib/error.hpp"
#include "lib/reader/calibration_layer.hpp"
#include "lib/reader/protected_reader.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kvproof::gpu {

namespace {

NestedCode stored_code(const System& system, const ReaderSettings& settings) {
    if (system.stored > settings.code.depth())
        throw Error(ErrorCode::bad_option, "reader \"" + system.name + "\": found a codebook of depth " +
                                               std::to_string(settings.code.depth()) +
                                               ", expected at least " + std::to_string(system.stored));
    return cut(settings.code, static_cast<int>(system.stored));
}

ReaderStorage encode_layer(const System& system, const LayerInput& input, const ReaderSettings& settings) {
    const Calibration calibration =
        calibrate(required_calibration(input, system.name), settings.keys, settings.values);
    return ReaderStorage(EncodedLayer(input.layer, single_calibration(calibration), settings.keys,
                                      settings.values, stored_code(system, settings)),
                         settings.value_scale);
}

class BodyReader final : public Reader {
public:
    BodyReader(System system, ServeLayer serve) : system_(std::move(system)), serve_(std::move(serve)) {}

    [[nodiscard]] bool needs_calibration() const override { return true; }
    [[nodiscard]] std::uint64_t shared_bits() const override { return tree_table_bits; }
    [[nodiscard]] std::unique_ptr<StoredLayer> encode(const LayerInput& input,
                                                      const ReaderSettings& settings) const override {
        return std::make_unique<BodyLayer>(system_, input, settings, serve_, false);
    }

private:
    System system_;
    ServeLayer serve_;
};

} // namespace

BodyLayer::BodyLayer(const System& system, const LayerInput& input, const ReaderSettings& settings,
                     const ServeLayer& serve, bool certificates)
    : system_(system), settings_(settings), storage_(encode_layer(system, input, settings)),
      distortions_(stored_code(system, settings).distortion) {
    if (certificates) {
        const CaptureShape& shape = input.layer.shape;
        const auto d = static_cast<std::size_t>(shape.dim);
        const auto tokens = static_cast<std::size_t>(shape.tokens);
        std::vector<double> rows = input.layer.k;
        settings.keys.apply_rows(rows);
        keys_.resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) // [G, T, d_h] to [G, d_h, T]
            keys_[(i / (tokens * d) * d + i % d) * tokens + i / d % tokens] = static_cast<float>(rows[i]);
        rows = input.layer.v;
        settings.values.apply_rows(rows);
        values_.assign(rows.begin(), rows.end());
    }
    call_ = serve(storage_.view(), certificates ? ExactVectors{keys_.data(), values_.data()} : ExactVectors{},
                  distortions_);
}

std::uint64_t BodyLayer::pool_budget(bool values, int tokens) const {
    const CaptureShape& shape = storage_.shape;
    const std::uint64_t heads = settings_.pool == Pool::head ? 1 : shape.kv_heads;
    const std::uint64_t items = heads * static_cast<std::uint64_t>(values ? tokens : shape.dim);
    return std::min(items * storage_.depth,
                    budget_for(values ? system_.value_rate : system_.key_rate, items, system_.name));
}

std::uint64_t BodyLayer::budget(bool values, int tokens) const {
    return pool_budget(values, tokens) *
           (settings_.pool == Pool::head ? static_cast<std::uint64_t>(storage_.shape.kv_heads) : 1);
}

std::vector<float> BodyLayer::transformed(std::span<const double> queries) const {
    std::vector<double> rows(queries.begin(), queries.end());
    settings_.keys.apply_rows(rows);
    return {rows.begin(), rows.end()};
}

ReaderReply BodyLayer::reply(const std::vector<float>& transformed, int tokens) const {
    return call_({.queries = transformed,
                  .tokens = static_cast<std::uint32_t>(tokens),
                  .key_budget = static_cast<std::uint32_t>(pool_budget(false, tokens)),
                  .value_budget = static_cast<std::uint32_t>(pool_budget(true, tokens)),
                  .pool_per_head = settings_.pool == Pool::head});
}

std::uint64_t BodyLayer::payload_bits(const ReaderReply& reply, int tokens) const {
    const auto sum = [](const std::vector<std::uint8_t>& depths) {
        return std::accumulate(depths.begin(), depths.end(), std::uint64_t{0});
    };
    return sum(reply.key_depths) * static_cast<std::uint64_t>(tokens) +
           sum(reply.value_depths) * static_cast<std::uint64_t>(storage_.shape.dim);
}

std::uint64_t BodyLayer::overhead_bits() const {
    return calibration_bits(storage_.shape) + tree_table_bits;
}

Answer BodyLayer::answer(std::span<const double> queries, int tokens) const {
    const ReaderReply call = reply(transformed(queries), tokens);
    std::vector<double> outputs(call.outputs.begin(), call.outputs.end());
    settings_.values.apply_inverse_rows(outputs);
    return {std::move(outputs), payload_bits(call, tokens), overhead_bits()};
}

std::uint64_t BodyLayer::stored_bits(int tokens) const {
    const CaptureShape& shape = storage_.shape;
    return 2 * static_cast<std::uint64_t>(tokens) * shape.kv_heads * shape.dim * storage_.depth +
           calibration_bits(shape);
}

std::unique_ptr<Reader> readkv_by_bodies(const System& system, int layers, ServeLayer serve) {
    if (system.kind != System::Kind::readkv)
        throw Error(ErrorCode::bad_option, "--device: found cuda for the reader " + system.name +
                                               ", expected readkv:W,R or readkv:W,RK,RV");
    auto reader = std::make_unique<BodyReader>(system, std::move(serve));
    return system.protect ? protected_reader(std::move(reader), layers) : std::move(reader);
}

} // namespace kvproof::gpu
