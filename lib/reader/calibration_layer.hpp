#pragma once

#include "lib/reader/reader.hpp"

#include <string>

namespace kvproof {

/// Throws Error(bad_option) naming the reader where the calibration has other KV heads or another head
/// dimension than the cache.
void require_same_heads(const CaptureShape& calibration, const CaptureShape& cache,
                        const std::string& reader);

/// The calibration layer of the input. Throws Error(bad_option) naming the reader where none was given or its
/// KV heads or head dimension are not the layer's.
[[nodiscard]] const CaptureLayer& required_calibration(const LayerInput& input, const std::string& reader);

/// What a layer's means and scales of key and value channels cost at 16 bits each: 4 G d_h 16 (not stated in
/// the paper, inferred from its printed digits).
[[nodiscard]] std::uint64_t calibration_bits(const CaptureShape& shape);

/// What the decoder tables of the nested code cost: the 511 binary32 centroids of depths 0 to 8, whatever W
/// is, once for keys and once for values (inferred likewise).
inline constexpr std::uint64_t tree_table_bits = std::uint64_t{2} * 511 * 32;

} // namespace kvproof
