#pragma once

#include "lib/capture/capture.hpp"
#include "lib/codec/transform.hpp"

namespace kvproof {

/// Mean and population standard deviation of every channel of every KV head, over all tokens: [G, d_h],
/// row-major.
struct ChannelStatistics {
    std::vector<double> mean;
    std::vector<double> scale;
};

/// What the codec knows of a layer before it sees the cache (ReadKV 3.1, D.1), in transformed coordinates.
struct Calibration {
    ChannelStatistics keys;
    ChannelStatistics values;
};

/// The statistics of vectors given as [G, T, d_h], each transformed first. Two passes, tokens in order, so
/// the same bits everywhere.
[[nodiscard]] ChannelStatistics channel_statistics(const std::vector<double>& vectors, int heads, int dim,
                                                   const Transform& transform);

/// Of a layer of a calibration capture.
[[nodiscard]] Calibration calibrate(const CaptureLayer& layer, const Transform& keys,
                                    const Transform& values);

} // namespace kvproof
