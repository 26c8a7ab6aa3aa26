#pragma once

#include "lib/reader/reader.hpp"

namespace kvproof {

/// The reference: exact attention in double over the captured vectors, 16 bits charged for each scalar
/// (ReadKV A.1). It does not round to 16 bits, so that it is the truth that errors are measured against.
[[nodiscard]] std::unique_ptr<Reader> dense_reader();

/// Bits of a 16-bit cache of this shape: 2 G d_h 16 a token.
[[nodiscard]] std::uint64_t dense_bits(const CaptureShape& shape, int tokens);

} // namespace kvproof
