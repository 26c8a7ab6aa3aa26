#pragma once

#include "lib/reader/reader.hpp"

namespace kvproof {

/// KIVI (Liu et al., ICML 2024; ReadKV F.2) with 2 or 4 bits. Keys are quantised per channel in groups of 32
/// tokens, values per token in groups of 32 channels; a group has a binary16 scale and offset (see
/// UniformGroup), codes round to even and are taken against the stored scale and offset. Where d_h is no
/// multiple of 32, a token's last group of channels is smaller and still costs 32 bits.
///
/// At a call with t tokens the latest ((t-1) mod 128) + 1 keys are whole: a block of 128 is quantised after
/// the call that fills it; and so are the latest min(t, 128) values. Whole vectors are the captured ones,
/// charged 16 bits a scalar. Throws Error(bad_option) for other bits.
[[nodiscard]] std::unique_ptr<Reader> kivi_reader(int bits);

} // namespace kvproof
