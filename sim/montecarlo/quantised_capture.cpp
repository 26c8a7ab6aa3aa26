#include "sim/montecarlo/quantised_capture.hpp"

#include "lib/reader/aatc_allocation.hpp"

#include <algorithm>

namespace kvproof {
namespace {

/// Of keys or of values, layer by layer.
struct Learnt {
    std::vector<AatcLatents> layers;
    std::vector<std::vector<std::uint8_t>> bits;
};

void share_out(Learnt& learnt, const QuantiserChoice& choice) {
    std::vector<AatcLayerChannels> layers;
    for (const AatcLatents& latents : learnt.layers) {
        AatcLayerChannels channels{latents.variance, latents.weight, {}};
        for (const double scale : latents.scale) channels.live.push_back(scale > 0 ? 1 : 0);
        layers.push_back(std::move(channels));
        learnt.bits.emplace_back(latents.scale.size(), static_cast<std::uint8_t>(choice.bits));
    }
    if (choice.equal) return;
    AatcRule rule;
    rule.average = choice.bits;
    learnt.bits = aatc_bits(layers, rule);
}

/// trace(C' M C) for the covariance M of a head's value error.
double projected_power(const std::vector<double>& covariance, const HeadOutput& head, std::size_t d) {
    double out = 0;
    std::vector<double> column(d);
    for (std::size_t j = 0; j < d; ++j) {
        for (std::size_t c = 0; c < d; ++c) column[c] = head.projection[c * d + j];
        for (std::size_t i = 0; i < d; ++i)
            out += column[i] * eightfold_dot(covariance.data() + i * d, column.data(), d);
    }
    return out;
}

/// Appends a layer.
void predict(NoiseModel& model, const QueryRows& rows, int layer, const QuantisedLayer& tokens,
             const std::array<const AatcLatents*, 2>& latents, std::vector<double> QuantisedTokens::*power) {
    const CaptureShape& shape = rows.shape();
    const auto covariance = [&](std::size_t side, int kv_head) {
        return head_covariance(tokens[side], *latents[side], tokens[side].*power, kv_head, shape.dim);
    };
    for (int g = 0; g < shape.kv_heads; ++g) {
        const std::vector<double> own = covariance(0, g);
        model.keys.insert(model.keys.end(), own.begin(), own.end());
    }
    for (int h = 0; h < shape.query_heads; ++h) {
        const int g = shape.kv_head_of(h);
        const QueryRow any{.layer = layer, .head = h, .kv_head = g, .query = 0, .tokens = 0};
        model.values.push_back(
            projected_power(covariance(1, g), rows.head(any), static_cast<std::size_t>(shape.dim)));
    }
}

} // namespace

QuantisedCapture::QuantisedCapture(std::shared_ptr<const QueryRows> rows, const CaptureSource& calibration,
                                   const QuantiserChoice& choice)
    : rows_(std::move(rows)), rotary_(required_rotary(calibration, "aatc")) {
    Learnt keys;
    Learnt values;
    for (int l = 0; l < rows_->shape().layers; ++l) {
        const CaptureLayer layer = calibration.layer(l);
        const Projections projections = required_projections(calibration, l, "aatc");
        keys.layers.push_back(aatc_keys(layer, projections, rotary_, 1));
        values.layers.push_back(aatc_values(layer, projections, 1));
    }
    share_out(keys, choice);
    share_out(values, choice);
    for (int l = 0; l < rows_->shape().layers; ++l) {
        const auto at = static_cast<std::size_t>(l);
        const CaptureLayer& layer = rows_->layer(l);
        layers_.push_back(
            {quantise_tokens(layer, CacheSide::keys, keys.layers[at], keys.bits[at], choice.form, rotary_),
             quantise_tokens(layer, CacheSide::values, values.layers[at], values.bits[at], choice.form,
                             rotary_)});
        const std::array<const AatcLatents*, 2> latents{&keys.layers[at], &values.layers[at]};
        predict(measured_, *rows_, l, layers_.back(), latents, &QuantisedTokens::power);
        predict(assumed_, *rows_, l, layers_.back(), latents, &QuantisedTokens::assumed);
    }
}

const double* QuantisedCapture::error(CacheSide side, const QueryRow& row, std::size_t token) const {
    const CaptureShape& shape = rows_->shape();
    const QuantisedTokens& all = layer(row.layer)[side == CacheSide::keys ? 0 : 1];
    return all.errors.data() +
           (static_cast<std::size_t>(row.kv_head) * static_cast<std::size_t>(shape.tokens) + token) *
               static_cast<std::size_t>(shape.dim);
}

QuantisedCapture::Terms QuantisedCapture::terms(const QueryRow& row, const DecodeStep& step,
                                                const NoiseModel& model) const {
    const std::size_t d = step.dim;
    const CaptureShape& shape = rows_->shape();
    const QuantisedLayer& tokens = layer(row.layer);
    const auto layer_at = static_cast<std::size_t>(row.layer);
    const double* covariance =
        model.keys.data() +
        (layer_at * static_cast<std::size_t>(shape.kv_heads) + static_cast<std::size_t>(row.kv_head)) * d * d;
    Terms out;
    std::vector<double> turned(d);
    std::vector<double> image(d);
    for (std::size_t i = 0; i < step.tokens; ++i) {
        const double of_value = step.weights[i] * tokens[1].token_scale[i];
        out.value += of_value * of_value;
        turned = step.query;
        rotary_.turn(turned, -static_cast<int>(i));
        std::ranges::fill(image, 0.0);
        for (std::size_t c = 0; c < d; ++c)
            for (std::size_t j = 0; j < d; ++j) image[j] += turned[c] * covariance[c * d + j];
        const double variance = eightfold_dot(turned.data(), image.data(), d);
        const double of_key = step.weights[i] * tokens[0].token_scale[i];
        out.key += of_key * of_key * step.distances[i] * variance;
    }
    out.value *= model.values[layer_at * static_cast<std::size_t>(shape.query_heads) +
                              static_cast<std::size_t>(row.head)];
    return out;
}

} // namespace kvproof
