#pragma once

#include "lib/codec/codebook.hpp"

#include <string>

namespace kvproof {

/// The bytes of a codebook file. Every writer takes a codebook that require_valid accepts, and gives equal
/// bytes for equal codebooks on every machine and in every locale. -0 is written as 0. Reading an export and
/// writing it again gives the same bytes; reading it gives the same codebook, except that .npy holds no
/// boundaries (see codebook_from_npy).

/// The layout of `kvproof table lloyd --format json` without what only the normal law knows (distortion,
/// gain, epsilon). Entries are the shortest decimals that round to the binary32 entry.
[[nodiscard]] std::string codebook_to_json(const Codebook<float>& codebook);

/// Rows `t,kind,index,value` with kind boundary or centroid and shortest decimals, depth 0 first.
[[nodiscard]] std::string codebook_to_csv(const Codebook<float>& codebook);

/// A C99 and C++17 header of arrays kvproof_lloyd_boundaries_T and kvproof_lloyd_centroids_T in hex float
/// literals, which are exact. C has no empty arrays, so there is no kvproof_lloyd_boundaries_0.
[[nodiscard]] std::string codebook_to_c_header(const Codebook<float>& codebook);

/// F32 tensors boundaries.0, ..., boundaries.W, centroids.0, ..., centroids.W.
[[nodiscard]] std::string codebook_to_safetensors(const Codebook<float>& codebook);

/// The 2^(W+1) - 1 centroids by depth, dtype <f4, depth 0 first.
[[nodiscard]] std::string codebook_to_npy(const Codebook<float>& codebook);

} // namespace kvproof
