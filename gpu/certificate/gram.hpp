#pragma once
// Gram matrices sum_j x_j x_j' of rows that are made on the way, in double.

#include "gpu/group/group.hpp"

#include <cstddef>
#include <cstdint>

namespace kvproof::gpu {

/// Rows are added up in chunks of so many, and chunks in ascending order: fixed, so that no bit depends on
/// who adds up what.
inline constexpr std::uint32_t gram_chunk = 1024;

[[nodiscard]] KVPROOF_DEVICE std::uint32_t gram_chunks(std::uint32_t rows) {
    return (rows + gram_chunk - 1) / gram_chunk;
}

/// No term of an entry passes through more roundings than this, the product's included.
[[nodiscard]] KVPROOF_DEVICE std::uint32_t gram_roundings(std::uint32_t rows) {
    return (rows < gram_chunk ? rows : gram_chunk) + gram_chunks(rows);
}

namespace gram {
inline constexpr std::uint32_t tile = 8;  ///< a thread holds tile x tile entries
inline constexpr std::uint32_t slab = 16; ///< rows in shared memory at once

[[nodiscard]] KVPROOF_DEVICE std::uint32_t padded(std::uint32_t d) {
    return (d + tile - 1) / tile * tile;
}
} // namespace gram

/// Shared memory that gram_of_chunk asks for, in numbers.
[[nodiscard]] KVPROOF_DEVICE std::uint32_t gram_shared(std::uint32_t d) {
    return gram::slab * gram::padded(d);
}

/// sum of x_j x_j' over the rows begin <= j < end of `rows`, into out [d, d]. `rows.stage(g, first, count,
/// step, to)` writes rows first, ..., first + count - 1 to shared memory, `step` numbers apart; what it
/// leaves beyond d is 0. Each entry is one chain of fused operations, j ascending.
template <Group G, class Rows>
KVPROOF_KERNEL void gram_of_chunk(G& g, const Rows& rows, std::uint32_t d, std::uint32_t begin,
                                  std::uint32_t end, double* out) {
    using gram::slab;
    using gram::tile;
    const std::uint32_t step = gram::padded(d);
    double* const staged = g.template shared<double>(static_cast<int>(gram_shared(d)));
    const std::uint32_t tiles = step / tile;
    const std::uint32_t pairs = tiles * (tiles + 1) / 2; // of tiles, on and below the diagonal
    const auto size = static_cast<std::uint32_t>(g.size());
    for (std::uint32_t round = 0; round < pairs; round += size) { // all threads: they stage together
        const std::uint32_t pair = round + static_cast<std::uint32_t>(g.rank());
        std::uint32_t row = 0;
        while ((row + 1) * (row + 2) / 2 <= pair && row + 1 < tiles) ++row;
        const std::uint32_t column = pair - row * (row + 1) / 2;
        double sums[tile][tile] = {};
        for (std::uint32_t first = begin; first < end; first += slab) {
            const std::uint32_t count = end - first < slab ? end - first : slab;
            rows.stage(g, first, count, step, staged);
            g.sync();
            for (std::uint32_t j = 0; pair < pairs && j < count; ++j) {
                const double* const entries = staged + std::size_t{j} * step;
                const double* const a = entries + std::size_t{row} * tile;
                const double* const b = entries + std::size_t{column} * tile;
                KVPROOF_UNROLL(8)
                for (std::uint32_t r = 0; r < tile; ++r) {
                    KVPROOF_UNROLL(8)
                    for (std::uint32_t c = 0; c < tile; ++c)
                        sums[r][c] = portable::fused(a[r], b[c], sums[r][c]);
                }
            }
            g.sync();
        }
        if (pair >= pairs) continue;
        KVPROOF_UNROLL(8)
        for (std::uint32_t r = 0; r < tile; ++r) {
            KVPROOF_UNROLL(8)
            for (std::uint32_t c = 0; c < tile; ++c) {
                const std::uint32_t i = row * tile + r;
                const std::uint32_t k = column * tile + c;
                if (i >= d || k >= d) continue;
                out[std::size_t{i} * d + k] = sums[r][c];
                if (row != column) out[std::size_t{k} * d + i] = sums[r][c];
            }
        }
    }
}

} // namespace kvproof::gpu
