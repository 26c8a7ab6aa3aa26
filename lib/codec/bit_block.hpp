#pragma once
// 64 codes of 8 bits and their 8 planes: the same 512 bits in two orders.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace kvproof {

/// Either eight planes (row k: bit k of code i at bit i), or 64 codes, byte i of the array in memory.
using BitBlock = std::array<std::uint64_t, 8>;

static_assert(std::endian::native == std::endian::little, "the order of bytes in words is that of memory");

namespace detail {

/// Byte g of row k and byte k of row g change places, by blocks of 4 by 4, 2 by 2 and single bytes.
inline void swap_bytes(BitBlock& rows) {
    constexpr std::uint64_t low[3] = {0x00000000ffffffff, 0x0000ffff0000ffff, 0x00ff00ff00ff00ff};
    for (std::size_t step = 4, s = 0; step > 0; step /= 2, ++s)
        for (std::size_t k = 0; k < 8; ++k) {
            if ((k & step) != 0) continue;
            const std::uint64_t other = ((rows[k] >> (8 * step)) ^ rows[k + step]) & low[s];
            rows[k] ^= other << (8 * step);
            rows[k + step] ^= other;
        }
}

/// In each word, bit m of byte k and bit k of byte m change places, in the same way.
inline void swap_bits(BitBlock& words) {
    for (std::uint64_t& x : words) {
        std::uint64_t other = (x ^ (x >> 28)) & 0x00000000f0f0f0f0;
        x ^= other ^ (other << 28);
        other = (x ^ (x >> 14)) & 0x0000cccc0000cccc;
        x ^= other ^ (other << 14);
        other = (x ^ (x >> 7)) & 0x00aa00aa00aa00aa;
        x ^= other ^ (other << 7);
    }
}

} // namespace detail

inline void planes_to_codes(BitBlock& block) {
    detail::swap_bytes(block);
    detail::swap_bits(block);
}

inline void codes_to_planes(BitBlock& block) {
    detail::swap_bits(block);
    detail::swap_bytes(block);
}

} // namespace kvproof
