#pragma once

#include "lib/portable/exp.hpp"

#include <cstdint>

namespace kvproof::portable {

/// Ten rounds of Philox4x32 (Salmon et al., SC 2011) on a counter under a key, in place: the bits of
/// philox_10 (lib/random), here as code that devices and vectorised loops may include.
KVPROOF_DEVICE void philox_rounds(std::uint32_t& c0, std::uint32_t& c1, std::uint32_t& c2, std::uint32_t& c3,
                                  std::uint32_t k0, std::uint32_t k1) {
    KVPROOF_UNROLL(10) // else a loop over counters is not vectorised
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p = std::uint64_t{0xD2511F53} * c0;
        const std::uint64_t q = std::uint64_t{0xCD9E8D57} * c2;
        c0 = static_cast<std::uint32_t>(q >> 32U) ^ c1 ^ k0;
        c1 = static_cast<std::uint32_t>(q);
        c2 = static_cast<std::uint32_t>(p >> 32U) ^ c3 ^ k1;
        c3 = static_cast<std::uint32_t>(p);
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
}

} // namespace kvproof::portable
