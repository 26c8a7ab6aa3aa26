#pragma once

namespace kvproof {

// What several rules of accounting share.

inline constexpr long half_size = 16; ///< bits of an fp16 or bf16 number

/// AATC's experiments keep 4 first and 128 latest tokens whole, of which 16 leave at once.
inline constexpr long aatc_window = 4 + 128;
inline constexpr long aatc_step = 16;

} // namespace kvproof
