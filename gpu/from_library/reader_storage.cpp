#include "gpu/from_library/reader_storage.hpp"

#include <span>

namespace kvproof::gpu {
namespace {

std::vector<float> singles(const std::vector<double>& numbers) {
    std::vector<float> out;
    out.reserve(numbers.size());
    for (const double x : numbers) out.push_back(static_cast<float>(x));
    return out;
}

void round_numbers(std::vector<double>& numbers) {
    for (double& x : numbers) x = static_cast<float>(x);
}

/// Each word of 64 bits as two of 32, the lower one first; the last may be one too many.
void append_planes(std::vector<std::uint32_t>& out, const BitPlanes& planes) {
    const std::size_t words = (planes.size() + 31) / 32;
    for (int p = 0; p < planes.depth(); ++p) {
        const std::span<const std::uint64_t> plane = planes.plane(p);
        for (std::size_t w = 0; w < words; ++w)
            out.push_back(static_cast<std::uint32_t>(plane[w / 2] >> (w % 2 * 32)));
    }
}

} // namespace

Calibration single_calibration(const Calibration& calibration) {
    Calibration out = calibration;
    for (ChannelStatistics* const part : {&out.keys, &out.values}) {
        round_numbers(part->mean);
        round_numbers(part->scale);
    }
    return out;
}

ReaderStorage::ReaderStorage(const EncodedLayer& layer, ValueScale scaling)
    : key_mean(singles(layer.calibration().keys.mean)), key_scale(singles(layer.calibration().keys.scale)),
      value_mean(singles(layer.calibration().values.mean)),
      value_scale(singles(layer.calibration().values.scale)), gains(singles(layer.code().gain)),
      shape(layer.shape()), depth(static_cast<std::uint32_t>(layer.stored_depth())) {
    for (const auto& level : layer.code().codebook.centroids)
        centroids.insert(centroids.end(), level.begin(), level.end());
    for (int g = 0; g < shape.kv_heads; ++g) {
        for (int c = 0; c < shape.dim; ++c) append_planes(key_planes, layer.key_planes(g, c));
        for (int j = 0; j < shape.tokens; ++j) append_planes(value_planes, layer.value_planes(g, j));
        double sum = 0;
        for (int c = 0; c < shape.dim; ++c) {
            const double scale = layer.calibration().values.scale[g * shape.dim + c];
            sum += scale * scale;
        }
        value_factor.push_back(scaling == ValueScale::unit ? 1 : static_cast<float>(sum));
    }
}

ReaderLayer ReaderStorage::view() const {
    return {.kv_heads = static_cast<std::uint32_t>(shape.kv_heads),
            .query_heads = static_cast<std::uint32_t>(shape.query_heads),
            .dim = static_cast<std::uint32_t>(shape.dim),
            .tokens = static_cast<std::uint32_t>(shape.tokens),
            .depth = depth,
            .key_planes = key_planes.data(),
            .value_planes = value_planes.data(),
            .key_mean = key_mean.data(),
            .key_scale = key_scale.data(),
            .value_mean = value_mean.data(),
            .value_scale = value_scale.data(),
            .value_factor = value_factor.data(),
            .centroids = centroids.data(),
            .gains = gain_table(gains)};
}

} // namespace kvproof::gpu
