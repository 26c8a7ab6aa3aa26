#pragma once

#include "lib/codec/codebook.hpp"

#include <string>
#include <string_view>

namespace kvproof {

/// Gives a tree of centroids the boundaries of a Lloyd tree: the split of cell i at depth t is the midpoint
/// of its two children's centroids, the exact one rounded once to nearest binary32, ties to even; the other
/// boundaries of depth t + 1 are those of depth t. `centroids` holds 2^t finite entries for each depth.
[[nodiscard]] Codebook<float> with_midpoint_boundaries(std::vector<std::vector<float>> centroids);

/// Reads a .npy file, dtype <f4, of the 2^(W+1) - 1 centroids by depth, depth 0 first, and derives the
/// boundaries by with_midpoint_boundaries. The file holds no boundaries, so a codebook whose own boundaries
/// are not those midpoints comes back from its .npy with other boundaries (its centroids are kept bit for
/// bit; the correctly rounded float32 Lloyd table differs in last places, since its midpoints were rounded
/// from more digits). Order is left to require_valid. Throws Error(bad_file_format) and Error(bad_codebook)
/// that name `source` and the entry.
[[nodiscard]] Codebook<float> codebook_from_npy(std::string_view bytes, const std::string& source);

} // namespace kvproof
