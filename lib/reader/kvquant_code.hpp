#pragma once

#include "lib/codec/level_quantiser.hpp"
#include "lib/reader/head_vectors.hpp"

#include <cstdint>
#include <vector>

namespace kvproof {

/// An offset and a scale: z = (x - offset) / scale lies mostly in [-1, 1].
struct NormalRange {
    double offset = 0;
    double scale = 0; ///< 0 where nothing varies: every x decodes to the offset

    /// 0 at the offset of a range of scale 0, +-infinity elsewhere.
    [[nodiscard]] double normalised(double x) const;
    [[nodiscard]] double decoded(double level) const { return offset + scale * level; }
};

/// What KVQuant learns from a calibration layer.
struct KvquantCalibration {
    std::vector<NormalRange> key_ranges; ///< [G, d_h]
    LevelQuantiser key_levels;
    LevelQuantiser value_levels;
};

/// See kvquant.hpp for every choice made here. 1 <= bits <= 8.
[[nodiscard]] KvquantCalibration calibrate_kvquant(const CaptureLayer& calibration, int bits);

/// How many of a token's G d_h keys, and of its values, are kept whole: 1% rounded up.
[[nodiscard]] int kvquant_outliers(const CaptureShape& shape);

/// Replaces the vectors of every token but the first by what their codes say, outliers excepted. Values
/// return how many numbers their binary16 fields could not hold.
void quantise_keys(HeadVectors& keys, const CaptureShape& shape, const KvquantCalibration& calibration);
std::uint64_t quantise_values(HeadVectors& values, const CaptureShape& shape, const LevelQuantiser& levels);

} // namespace kvproof
