#include "lib/attention/reader_run.hpp"

#include "lib/error.hpp"

#include <utility>

namespace kvproof {

std::unique_ptr<DepthPolicy> readkv_policy(const EncodedLayer& layer, const Rates& rates, bool per_head) {
    return adaptive_policy(rates, layer.code().gain, per_head);
}

ReaderRun::ReaderRun(const CaptureLayer& layer, const Calibration& calibration, const ReaderSetup& setup,
                     const MakePolicy& make_policy)
    : encoded_(layer, calibration, setup.keys, setup.values, setup.code),
      policy_(make_policy(encoded_, setup.rates, setup.per_head)),
      reader_(encoded_, *policy_, setup.keys, setup.values, setup.value_scale) {}

const TwoStageCall& ReaderRun::run(std::span<const double> queries, int tokens) {
    reader_.run(queries, tokens, call_);
    return call_;
}

Calibration plain_calibration(const CaptureShape& shape, double key_scale, double value_scale) {
    const std::size_t count = static_cast<std::size_t>(shape.kv_heads) * static_cast<std::size_t>(shape.dim);
    const std::vector<double> zero(count);
    return {{zero, std::vector<double>(count, key_scale)}, {zero, std::vector<double>(count, value_scale)}};
}

CaptureLayer one_head_layer(int dim, std::vector<double> keys, std::vector<double> values) {
    CaptureLayer out;
    out.shape = {.layers = 1,
                 .query_heads = 1,
                 .kv_heads = 1,
                 .dim = dim,
                 .tokens = static_cast<int>(keys.size()) / dim,
                 .queries = 1};
    out.q.resize(static_cast<std::size_t>(dim));
    out.k = std::move(keys);
    out.v = std::move(values);
    return out;
}

void require_depth(const NestedCode& code, int depth) {
    if (code.depth() < depth)
        throw Error(ErrorCode::unknown_quantity, "found a table of depth " + std::to_string(code.depth()) +
                                                     ", expected depth " + std::to_string(depth));
}

} // namespace kvproof
