#pragma once

#include "lib/portable/exp.hpp"

#include <cstdint>

namespace kvproof::portable {

/// Ten rounds of Philox4x32 (Salmon et al., SC 2011) on a counter under a key, in place: the bits of
/// philox_10 (lib/random), here as code that devices and vectorised loops may include.
KVPROOF_DEVICE void philox_rounds(std::uint32_t (&c)[4], std::uint32_t k0, std::uint32_t k1) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p = std::uint64_t{0xD2511F53} * c[0];
        const std::uint64_t q = std::uint64_t{0xCD9E8D57} * c[2];
        c[0] = static_cast<std::uint32_t>(q >> 32U) ^ c[1] ^ k0;
        c[1] = static_cast<std::uint32_t>(q);
        c[2] = static_cast<std::uint32_t>(p >> 32U) ^ c[3] ^ k1;
        c[3] = static_cast<std::uint32_t>(p);
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
}

/// The same for `n` counters at once, word by word: c[w][i] is word w of counter i.
template <int n>
KVPROOF_DEVICE void philox_rounds(std::uint32_t (&c)[4][n], std::uint32_t k0, std::uint32_t k1) {
    for (int round = 0; round < 10; ++round) {
        for (int i = 0; i < n; ++i) {
            const std::uint64_t p = std::uint64_t{0xD2511F53} * c[0][i];
            const std::uint64_t q = std::uint64_t{0xCD9E8D57} * c[2][i];
            c[0][i] = static_cast<std::uint32_t>(q >> 32U) ^ c[1][i] ^ k0;
            c[1][i] = static_cast<std::uint32_t>(q);
            c[2][i] = static_cast<std::uint32_t>(p >> 32U) ^ c[3][i] ^ k1;
            c[3][i] = static_cast<std::uint32_t>(p);
        }
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
}

} // namespace kvproof::portable
