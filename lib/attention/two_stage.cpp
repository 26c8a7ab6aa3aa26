#include "lib/attention/two_stage.hpp"

#include "lib/attention/softmax.hpp"
#include "lib/attention/vector_kernels.hpp"

#include <cmath>
#include <utility>

namespace kvproof {

TwoStageReader::TwoStageReader(const EncodedLayer& layer, const DepthPolicy& policy, Transform keys,
                               Transform values, ValueScale value_scale)
    : layer_(layer), policy_(policy), keys_(std::move(keys)), values_(std::move(values)) {
    const CaptureShape& shape = layer.shape();
    for (int g = 0; g < shape.kv_heads; ++g) {
        double sum = 0;
        for (int c = 0; c < shape.dim; ++c) {
            const double scale = layer.calibration().values.scale[g * shape.dim + c];
            sum += scale * scale;
        }
        value_scales_.push_back(value_scale == ValueScale::unit ? 1 : sum);
    }
}

void TwoStageReader::run(std::span<const double> queries, int tokens, TwoStageCall& call) const {
    call.tokens = tokens;
    call.queries.assign(queries.begin(), queries.end());
    keys_.apply_rows(call.queries);
    read_keys(call);
    read_values(call);
}

void TwoStageReader::read_keys(TwoStageCall& call) const {
    const CaptureShape& shape = layer_.shape();
    const auto d = static_cast<std::size_t>(shape.dim);
    const auto groups = static_cast<std::size_t>(shape.kv_heads);
    const auto tokens = static_cast<std::size_t>(call.tokens);
    const std::size_t sharing = static_cast<std::size_t>(shape.query_heads) / groups;

    // a^K_{g,c} = sum_h (q'_{h,c} sigma_{g,c})^2, h ascending (ReadKV 3.2, Eq. 2)
    call.key_weights.assign(groups * d, 0);
    for (std::size_t h = 0; h < groups * sharing; ++h)
        for (std::size_t c = 0; c < d; ++c) {
            const std::size_t at = h / sharing * d + c;
            const double scaled = call.queries[h * d + c] * layer_.calibration().keys.scale[at];
            call.key_weights[at] += scaled * scaled;
        }
    call.key_schedule = policy_.choose({Stage::keys, groups, call.key_weights}, call.workspace);

    call.key_bits = 0;
    call.keys.resize(groups * d * tokens);
    call.logits.assign(groups * sharing * tokens, 0);
    for (std::size_t g = 0; g < groups; ++g) {
        double* const keys = call.keys.data() + g * d * tokens;
        for (std::size_t c = 0; c < d; ++c)
            call.key_bits +=
                layer_.read_key_channel(static_cast<int>(g), static_cast<int>(c),
                                        call.key_schedule.depths[g * d + c], call.tokens, keys + c * tokens);
        add_weighted_columns(call.logits.data() + g * sharing * tokens, call.queries.data() + g * sharing * d,
                             sharing, {keys, tokens, d, tokens});
    }
    const double root = std::sqrt(static_cast<double>(d));
    divide(call.logits.data(), root, call.logits.size());
    call.attention.clear();
    for (std::size_t h = 0; h < groups * sharing; ++h)
        call.attention.push_back(softmax(std::span(call.logits).subspan(h * tokens, tokens)));
}

void TwoStageReader::read_values(TwoStageCall& call) const {
    const CaptureShape& shape = layer_.shape();
    const auto d = static_cast<std::size_t>(shape.dim);
    const auto groups = static_cast<std::size_t>(shape.kv_heads);
    const auto tokens = static_cast<std::size_t>(call.tokens);
    const std::size_t sharing = static_cast<std::size_t>(shape.query_heads) / groups;

    // a^V_{g,j} = s_g sum_h alpha^_{h,j}^2, h ascending (ReadKV 3.2, Eq. 3)
    call.value_weights.assign(groups * tokens, 0);
    for (std::size_t h = 0; h < groups * sharing; ++h) {
        double* const weights = call.value_weights.data() + h / sharing * tokens;
        add_squares(weights, call.attention[h].probabilities.data(), tokens);
    }
    for (std::size_t g = 0; g < groups; ++g)
        if (value_scales_[g] != 1)
            for (std::size_t j = 0; j < tokens; ++j) call.value_weights[g * tokens + j] *= value_scales_[g];
    call.value_schedule = policy_.choose({Stage::values, groups, call.value_weights}, call.workspace);

    call.value_bits = 0;
    if (policy_.paired() && tokens % 2 == 1) // the padding of each head's last pair
        for (std::size_t g = 0; g < groups; ++g)
            call.value_bits += d * call.value_schedule.depths[(g + 1) * tokens - 1];
    call.values.resize(groups * tokens * d);
    call.outputs.assign(groups * sharing * d, 0);
    for (std::size_t g = 0; g < groups; ++g)
        for (std::size_t j = 0; j < tokens; ++j) {
            double* const row = call.values.data() + (g * tokens + j) * d;
            call.value_bits += layer_.read_value_token(static_cast<int>(g), static_cast<int>(j),
                                                       call.value_schedule.depths[g * tokens + j], row);
        }
    std::vector<const double*> weights;
    for (const Softmax& attention : call.attention) weights.push_back(attention.probabilities.data());
    for (std::size_t g = 0; g < groups; ++g)
        add_weighted_rows(call.outputs.data() + g * sharing * d,
                          std::span(weights).subspan(g * sharing, sharing),
                          call.values.data() + g * tokens * d, tokens, d);
}

std::vector<double> TwoStageReader::outputs(const TwoStageCall& call) const {
    std::vector<double> out = call.outputs;
    values_.apply_inverse_rows(out);
    return out;
}

} // namespace kvproof
