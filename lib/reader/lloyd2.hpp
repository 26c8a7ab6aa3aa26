#pragma once

#include "lib/reader/reader.hpp"

namespace kvproof {

/// Lloyd-2, norm-corrected (ReadKV F.2): ReadKV's transforms and standardisation, but two bits a scalar from
/// the optimal four levels of N(0, 1), not nested. z = (x' - mu) / sigma in double; a z on a boundary goes
/// up; a channel of zero scale decodes to its mean.
///
/// Which norm is stored the paper does not say. Here: the binary16 Euclidean norm of the key as captured
/// (the transform keeps it), and the decoded key mu + sigma z^ is scaled to it; a decoded key of 0 stays 0.
/// Values are not corrected. Calibration (means and scales, in double, charged at 16 bits) and two tables of
/// four float32 levels are charged a call.
[[nodiscard]] std::unique_ptr<Reader> lloyd2_reader();

} // namespace kvproof
