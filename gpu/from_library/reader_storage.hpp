#pragma once

#include "gpu/reader/reader_layer.hpp"
#include "lib/attention/encoded_layer.hpp"
#include "lib/reader/reader.hpp"

#include <vector>

namespace kvproof::gpu {

/// A calibration in the numbers that a device works with: each rounded to binary32. A layer encoded with it
/// is the same layer on the processor and on the device.
[[nodiscard]] Calibration single_calibration(const Calibration& calibration);

/// The arrays of a ReaderLayer, in host memory.
struct ReaderStorage {
    /// Takes over the planes of an encoded layer; its calibration must be a single_calibration (else it is
    /// rounded here, and the reconstructions differ).
    ReaderStorage(const EncodedLayer& layer, ValueScale scaling);

    std::vector<std::uint32_t> key_planes;
    std::vector<std::uint32_t> value_planes;
    std::vector<float> key_mean;
    std::vector<float> key_scale;
    std::vector<float> value_mean;
    std::vector<float> value_scale;
    std::vector<float> value_factor;
    std::vector<float> centroids;
    std::vector<float> gains; ///< Delta_1, ..., Delta_W, rounded to binary32
    CaptureShape shape;
    std::uint32_t depth = 0;

    /// Valid as long as this object stays where it is.
    [[nodiscard]] ReaderLayer view() const;
};

} // namespace kvproof::gpu
