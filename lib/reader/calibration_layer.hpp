#pragma once

#include "lib/reader/reader.hpp"

#include <string>

namespace kvproof {

/// The calibration layer of the input. Throws Error(bad_option) naming the reader where none was given or its
/// KV heads or head dimension are not the layer's.
[[nodiscard]] const CaptureLayer& required_calibration(const LayerInput& input, const std::string& reader);

/// What a layer's means and scales of key and value channels cost at 16 bits each: 4 G d_h 16 (not stated in
/// the paper, inferred from its printed digits).
[[nodiscard]] std::uint64_t calibration_bits(const CaptureShape& shape);

} // namespace kvproof
