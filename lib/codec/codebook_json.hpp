#pragma once

#include "lib/codec/codebook.hpp"

#include <string>
#include <string_view>

namespace kvproof {

/// Reads what `kvproof table lloyd --format json` prints:
///   {"table": "lloyd", "depth": W, "levels": [{"t": 0, "boundaries": [], "centroids": ["0"]}, ...]}
/// with one level for each depth 0..W, in order. Entries are strings or JSON numbers that denote a decimal,
/// a fraction or a hex float, of at most 2000 characters and three digits of exponent; each is read exactly
/// from its text and rounded once to nearest binary32, ties to even. Other members (distortion, gain,
/// epsilon) are passed over; level 0 may lack boundaries. The result has the right counts; order and nesting
/// are left to require_valid. Throws Error(bad_file_format) and Error(bad_codebook) that name `source` and
/// the entry.
[[nodiscard]] Codebook<float> codebook_from_json(std::string_view text, const std::string& source);

} // namespace kvproof
