#include "lib/attention/encoded_layer.hpp"

#include "lib/codec/bulk_encoder.hpp"

#include <algorithm>

namespace kvproof {
namespace {

/// out[i] = mean + scale * centroid[prefix[i]]
void reconstruct(const std::uint8_t* prefixes, std::size_t count, const double* centroids, double mean,
                 double scale, double* out) {
    for (std::size_t i = 0; i < count; ++i) out[i] = mean + scale * centroids[prefixes[i]];
}

} // namespace

EncodedLayer::EncodedLayer(const CaptureLayer& layer, const Calibration& calibration, const Transform& keys,
                           const Transform& values, const NestedCode& code)
    : shape_(layer.shape), code_(code), calibration_(calibration) {
    for (const auto& level : code.codebook.centroids) centroids_.emplace_back(level.begin(), level.end());
    const auto d = static_cast<std::size_t>(shape_.dim);
    const auto tokens = static_cast<std::size_t>(shape_.tokens);
    const auto heads = static_cast<std::size_t>(shape_.kv_heads);
    const BulkEncoder encoder(code.codebook);

    std::vector<double> rows = layer.k;
    keys.apply_rows(rows);
    std::vector<double> channel(tokens);
    std::vector<std::uint8_t> codes(tokens);
    for (std::size_t g = 0; g < heads; ++g)
        for (std::size_t c = 0; c < d; ++c) {
            for (std::size_t j = 0; j < tokens; ++j) channel[j] = rows[(g * tokens + j) * d + c];
            encoder.encode_channel(channel, calibration.keys.mean[g * d + c],
                                   calibration.keys.scale[g * d + c], codes);
            keys_.push_back(BitPlanes::pack(codes, code.depth()));
        }

    rows = layer.v;
    values.apply_rows(rows);
    codes.resize(d);
    for (std::size_t g = 0; g < heads; ++g) {
        const std::span mean = std::span(calibration.values.mean).subspan(g * d, d);
        const std::span scale = std::span(calibration.values.scale).subspan(g * d, d);
        for (std::size_t j = 0; j < tokens; ++j) {
            encoder.encode_token(std::span(rows).subspan((g * tokens + j) * d, d), mean, scale, codes);
            values_.push_back(BitPlanes::pack(codes, code.depth()));
        }
    }
}

std::uint64_t EncodedLayer::read_key_channel(int g, int c, int t, int tokens, double* out) const {
    const std::size_t at = static_cast<std::size_t>(g) * shape_.dim + c;
    const auto count = static_cast<std::size_t>(tokens);
    const double mean = calibration_.keys.mean[at];
    const double scale = calibration_.keys.scale[at];
    if (t == 0) {
        std::fill_n(out, count, mean + scale * centroids_[0][0]);
        return 0;
    }
    thread_local std::vector<std::uint8_t> prefixes;
    prefixes.resize(count);
    const std::uint64_t touched = keys_[at].read_prefix(t, count, prefixes);
    reconstruct(prefixes.data(), count, centroids_[t].data(), mean, scale, out);
    return touched;
}

std::uint64_t EncodedLayer::read_value_token(int g, int j, int t, double* out) const {
    const auto d = static_cast<std::size_t>(shape_.dim);
    const double* const mean = calibration_.values.mean.data() + g * d;
    const double* const scale = calibration_.values.scale.data() + g * d;
    if (t == 0) {
        for (std::size_t c = 0; c < d; ++c) out[c] = mean[c] + scale[c] * centroids_[0][0];
        return 0;
    }
    thread_local std::vector<std::uint8_t> prefixes;
    prefixes.resize(d);
    const std::uint64_t touched =
        values_[static_cast<std::size_t>(g) * shape_.tokens + j].read_prefix(t, d, prefixes);
    const double* const centroids = centroids_[t].data();
    for (std::size_t c = 0; c < d; ++c) out[c] = mean[c] + scale[c] * centroids[prefixes[c]];
    return touched;
}

void EncodedLayer::flip_key_bit(int g, int c, int token, int plane) {
    keys_[static_cast<std::size_t>(g) * shape_.dim + c].flip(plane, static_cast<std::size_t>(token));
}

void EncodedLayer::flip_value_bit(int g, int j, int channel, int plane) {
    values_[static_cast<std::size_t>(g) * shape_.tokens + j].flip(plane, static_cast<std::size_t>(channel));
}

} // namespace kvproof
