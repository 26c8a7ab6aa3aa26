#pragma once
// What the two-stage reader finds in a device's memory: plain pointers, nothing owned.

#include "gpu/allocate/gain_table.hpp"

#include <cstddef>
#include <cstdint>

namespace kvproof::gpu {

/// The most bits a stored scalar has, W.
inline constexpr std::uint32_t most_depth = 8;

/// One layer as ReadKV stores it (3.1), in binary32. Planes are words of 32 bits: bit i % 32 of word i / 32
/// belongs to item i, and plane 0 is the first bit of every path. The transforms are the caller's: keys,
/// values, queries and outputs are all in transformed coordinates.
struct ReaderLayer {
    std::uint32_t kv_heads = 0;                  ///< G
    std::uint32_t query_heads = 0;               ///< H, a multiple of G
    std::uint32_t dim = 0;                       ///< d_h
    std::uint32_t tokens = 0;                    ///< stored, at least those of a call
    std::uint32_t depth = 0;                     ///< W, at most most_depth
    const std::uint32_t* key_planes = nullptr;   ///< over tokens: [G, d_h, W, words(tokens)]
    const std::uint32_t* value_planes = nullptr; ///< over channels: [G, tokens, W, words(d_h)]
    const float* key_mean = nullptr;             ///< mu: [G, d_h]
    const float* key_scale = nullptr;            ///< sigma: [G, d_h]
    const float* value_mean = nullptr;           ///< [G, d_h]
    const float* value_scale = nullptr;          ///< [G, d_h]
    const float* value_factor = nullptr;         ///< s_g: [G]
    const float* centroids = nullptr;            ///< of depth t from 2^t - 1 on: [2^(W+1) - 1]
    GainTable gains = {};                        ///< Delta_1, ..., Delta_W

    [[nodiscard]] KVPROOF_DEVICE static std::uint32_t words(std::uint32_t items) { return (items + 31) / 32; }
    [[nodiscard]] KVPROOF_DEVICE std::uint32_t sharing() const { return query_heads / kv_heads; }

    [[nodiscard]] KVPROOF_DEVICE const std::uint32_t* key_channel(std::uint32_t g, std::uint32_t c) const {
        return key_planes + (std::size_t{g} * dim + c) * depth * words(tokens);
    }
    [[nodiscard]] KVPROOF_DEVICE const std::uint32_t* value_token(std::uint32_t g, std::uint32_t j) const {
        return value_planes + (std::size_t{g} * tokens + j) * depth * words(dim);
    }
};

/// One attention call over a layer: what it is asked with, and room for all that it produces on its way.
struct ReaderCall {
    const ReaderLayer* layer = nullptr;
    std::uint32_t tokens = 0;             ///< T >= 1, the visible ones
    std::uint32_t key_budget = 0;         ///< increments, of each pool
    std::uint32_t value_budget = 0;       ///< likewise
    bool pool_per_head = false;           ///< a pool for each KV head; else one for all
    const float* queries = nullptr;       ///< q' = U_K q: [H, d_h]
    float* key_weights = nullptr;         ///< a^K: [G, d_h]
    std::uint8_t* key_depths = nullptr;   ///< t^K: [G, d_h]
    float* logits = nullptr;              ///< z^: [H, T]
    float* attention = nullptr;           ///< alpha^: [H, T]
    float* value_weights = nullptr;       ///< a^V: [G, T]
    std::uint8_t* value_depths = nullptr; ///< t^V: [G, T]
    float* partial_outputs = nullptr;     ///< of tiles of tokens: [H, tiles(T), d_h]
    float* outputs = nullptr;             ///< o^: [H, d_h]
    std::uint32_t* spent = nullptr;       ///< of each pool, or bad_instance: [2, G], keys and values
    std::uint32_t* scratch = nullptr;     ///< a word for each item: [G, max(d_h, T)]

    /// Tokens in a tile of the output's sum: fixed, so that no bit depends on who adds up which.
    static constexpr std::uint32_t tile = 256;
    [[nodiscard]] KVPROOF_DEVICE static std::uint32_t tiles(std::uint32_t tokens) {
        return (tokens + tile - 1) / tile;
    }
};

/// The first t bits of an item's path, as a number: `planes` are `stride` words apart.
[[nodiscard]] KVPROOF_DEVICE std::uint32_t prefix_of(const std::uint32_t* planes, std::uint32_t stride,
                                                     std::uint32_t t, std::uint32_t item) {
    std::uint32_t prefix = 0;
    const std::uint32_t* word = planes + item / 32;
    for (std::uint32_t p = 0; p < t; ++p, word += stride) prefix = prefix << 1U | (*word >> (item % 32) & 1U);
    return prefix;
}

/// The prefixes of items item, ..., item + 3, one to a byte, the first one lowest: `item` is a multiple of 4
/// and t at most 8. The product puts bits 0 to 3 at the ends of four bytes; none of its sums carries.
[[nodiscard]] KVPROOF_DEVICE std::uint32_t four_prefixes(const std::uint32_t* planes, std::uint32_t stride,
                                                         std::uint32_t t, std::uint32_t item) {
    std::uint32_t prefixes = 0;
    const std::uint32_t* word = planes + item / 32;
    for (std::uint32_t p = 0; p < t; ++p, word += stride)
        prefixes = prefixes << 1U | ((*word >> (item % 32) & 15U) * 0x00204081U & 0x01010101U);
    return prefixes;
}

/// mu + sigma Q_t of a prefix, rounded once. `centroids` begin with depth 0.
[[nodiscard]] KVPROOF_DEVICE float reconstruct(const float* centroids, std::uint32_t t, std::uint32_t prefix,
                                               float mean, float scale) {
    return portable::fused(scale, centroids[(1U << t) - 1 + prefix], mean);
}

} // namespace kvproof::gpu
