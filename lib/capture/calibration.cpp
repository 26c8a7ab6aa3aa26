#include "lib/capture/calibration.hpp"

#include <cmath>

namespace kvproof {

ChannelStatistics channel_statistics(const std::vector<double>& vectors, int heads, int dim,
                                     const Transform& transform) {
    std::vector<double> rows = vectors;
    transform.apply_rows(rows);
    const auto d = static_cast<std::size_t>(dim);
    const std::size_t tokens = rows.size() / d / static_cast<std::size_t>(heads);
    const auto count = static_cast<double>(tokens);
    ChannelStatistics out{std::vector<double>(heads * d), std::vector<double>(heads * d)};
    for (std::size_t g = 0; g < static_cast<std::size_t>(heads); ++g) {
        const double* const head = rows.data() + g * tokens * d;
        double* const mean = out.mean.data() + g * d;
        double* const scale = out.scale.data() + g * d;
        for (std::size_t j = 0; j < tokens; ++j)
            for (std::size_t c = 0; c < d; ++c) mean[c] += head[j * d + c];
        for (std::size_t c = 0; c < d; ++c) mean[c] /= count;
        for (std::size_t j = 0; j < tokens; ++j)
            for (std::size_t c = 0; c < d; ++c) {
                const double off = head[j * d + c] - mean[c];
                scale[c] += off * off;
            }
        for (std::size_t c = 0; c < d; ++c) scale[c] = std::sqrt(scale[c] / count);
    }
    return out;
}

Calibration calibrate(const CaptureLayer& layer, const Transform& keys, const Transform& values) {
    return {channel_statistics(layer.k, layer.shape.kv_heads, layer.shape.dim, keys),
            channel_statistics(layer.v, layer.shape.kv_heads, layer.shape.dim, values)};
}

} // namespace kvproof
