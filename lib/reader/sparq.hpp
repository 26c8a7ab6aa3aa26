#pragma once

#include "lib/reader/sparq_layer.hpp"

namespace kvproof {

/// SparQ(r, k) (Ribar et al., ICML 2024; ReadKV F.2) on a cache of 16-bit scalars, which are the captured
/// numbers: the r query-selected channels of every key, then k past tokens and the current one whole, and a
/// running mean of all values (state of 16 bits a channel, kept in double). See sparq_layer.hpp. Throws
/// Error(bad_option) on options out of range; encode throws it where r exceeds d_h.
[[nodiscard]] std::unique_ptr<Reader> sparq_reader(const SparqOptions& options);

/// The same selection on a nested code of depth 8 (ReadKV F.2): channels are chosen and scored in the
/// transformed coordinates, where the code lives, on prefixes of depth 2; selected tokens are read at depth
/// 8. The running mean is that of the captured values, since a value is still whole when it joins the mean.
/// Needs calibration and a codebook of depth 8 or more.
[[nodiscard]] std::unique_ptr<Reader> sparq_nested_reader(const SparqOptions& options);

} // namespace kvproof
