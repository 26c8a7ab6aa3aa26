#pragma once

#include "lib/codec/codebook.hpp"

#include <string>
#include <string_view>

namespace kvproof {

/// Reads a safetensors file of F32 tensors `boundaries.{t}` [2^t - 1] and `centroids.{t}` [2^t] for t = 0..W
/// and no others, in any order; boundaries.0 has no entries and may be absent. The result has the right
/// counts and finite entries; order and nesting are left to require_valid. Throws Error(bad_file_format) and
/// Error(bad_codebook) that name `source` and the tensor.
[[nodiscard]] Codebook<float> codebook_from_safetensors(std::string_view bytes, const std::string& source);

} // namespace kvproof
