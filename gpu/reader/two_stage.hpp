#pragma once
// The two-stage reader (ReadKV 3.2, Algorithm 1) as kernel bodies, one for each stretch between two points at
// which all of a call must have met. In binary32, with u = 2^-24; every sum over tokens or channels has an
// order of its own, so no bit depends on the width.

#include "gpu/allocate/choose_depths.hpp"
#include "gpu/allocate/scratch_items.hpp"
#include "gpu/group/strands.hpp"
#include "gpu/reader/reader_layer.hpp"
#include "lib/portable/exp.hpp"

#include <cmath>

namespace kvproof::gpu {

/// Query heads that a thread decodes for at once.
inline constexpr std::uint32_t heads_at_once = 8;

/// a^K_{g,c} = sum_h (q'_{h,c} sigma_{g,c})^2, h ascending (ReadKV 3.2, Eq. 2), each operation rounded: the
/// products that the allocation on the processor sees.
template <Group G>
KVPROOF_KERNEL void key_weights(G& g, const ReaderCall& call) {
    const ReaderLayer& layer = *call.layer;
    const std::uint32_t all = layer.kv_heads * layer.dim;
    for (auto i = static_cast<std::uint32_t>(g.rank()); i < all; i += static_cast<std::uint32_t>(g.size())) {
        const std::uint32_t head = i / layer.dim * layer.sharing();
        float sum = 0;
        for (std::uint32_t h = head; h < head + layer.sharing(); ++h) {
            const float scaled =
                call.queries[std::size_t{h} * layer.dim + i % layer.dim] * layer.key_scale[i];
            sum += scaled * scaled;
        }
        call.key_weights[i] = sum;
    }
}

/// The depths of one pool of a stage, keys or values: those of choose_depths (lib/allocate) on the same
/// binary32 weights and gains.
template <Group G>
KVPROOF_KERNEL void allocate_pool(G& g, const ReaderCall& call, bool values, std::uint32_t pool) {
    const ReaderLayer& layer = *call.layer;
    const std::uint32_t of_head = values ? call.tokens : layer.dim;
    const std::uint32_t items = call.pool_per_head ? of_head : of_head * layer.kv_heads;
    const std::size_t first = std::size_t{pool} * items;
    ScratchItems words(call.scratch + first, static_cast<int>(items));
    const std::uint32_t spent = choose_depths(
        g, words, (values ? call.value_weights : call.key_weights) + first, layer.gains,
        values ? call.value_budget : call.key_budget, (values ? call.value_depths : call.key_depths) + first);
    if (g.rank() == 0) call.spent[(values ? layer.kv_heads : 0) + pool] = spent;
}

/// z^_{h,j} of the query heads of KV head `kv` and tokens first, ..., first + count - 1: keys decoded to
/// their channels' depths, four tokens a thread, one product and sum a channel, c ascending. `first` is a
/// multiple of 4. With k^ the numbers that `reconstruct` gives,
///
///     |z~ - q.k^/sqrt(d)| <= gamma_{d+2} sum_c |q_c k^_c| / sqrt(d) + d 2^-149:
///
/// d fused operations, the root and the quotient, and what underflows.
template <Group G>
KVPROOF_KERNEL void key_logits(G& g, const ReaderCall& call, std::uint32_t kv, std::uint32_t first,
                               std::uint32_t count) {
    const ReaderLayer& layer = *call.layer;
    const std::uint32_t d = layer.dim;
    const std::uint32_t table = (2U << layer.depth) - 1;
    const std::uint32_t stride = ReaderLayer::words(layer.tokens);
    float* const centroids = g.template shared<float>(static_cast<int>(table));
    const auto rank = static_cast<std::uint32_t>(g.rank());
    const auto size = static_cast<std::uint32_t>(g.size());
    for (std::uint32_t i = rank; i < table; i += size) centroids[i] = layer.centroids[i];
    g.sync();
    const float root = std::sqrt(static_cast<float>(d));
    const std::uint32_t last = (kv + 1) * layer.sharing();
    for (std::uint32_t h0 = kv * layer.sharing(); h0 < last; h0 += heads_at_once) {
        const float* const queries = call.queries + std::size_t{h0} * d;
        const std::uint32_t heads = last - h0 < heads_at_once ? last - h0 : heads_at_once;
        for (std::uint32_t j = first + 4 * rank; j < first + count; j += 4 * size) {
            float sums[heads_at_once][4] = {};
            for (std::uint32_t c = 0; c < d; ++c) {
                const std::uint32_t at = kv * d + c;
                const std::uint32_t t = call.key_depths[at];
                const std::uint32_t prefixes = four_prefixes(layer.key_channel(kv, c), stride, t, j);
                const float mean = layer.key_mean[at];
                const float scale = layer.key_scale[at];
                float keys[4];
                KVPROOF_UNROLL(4)
                for (std::uint32_t k = 0; k < 4; ++k)
                    keys[k] = reconstruct(centroids, t, prefixes >> (8 * k) & 255U, mean, scale);
                KVPROOF_UNROLL(8)
                for (std::uint32_t h = 0; h < heads_at_once; ++h) {
                    if (h >= heads) continue;
                    const float query = queries[h * d + c];
                    KVPROOF_UNROLL(4)
                    for (std::uint32_t k = 0; k < 4; ++k)
                        sums[h][k] = portable::fused(query, keys[k], sums[h][k]);
                }
            }
            KVPROOF_UNROLL(8)
            for (std::uint32_t h = 0; h < heads_at_once; ++h) {
                float* const out = call.logits + std::size_t{h0 + h} * call.tokens;
                KVPROOF_UNROLL(4)
                for (std::uint32_t k = 0; k < 4; ++k)
                    if (h < heads && j + k < first + count) out[j + k] = sums[h][k] / root;
            }
        }
    }
}

/// alpha^ of one query head: the softmax of its logits as the numbers they are, in double, rounded once:
///
///     |alpha~_j - alpha_j| <= alpha_j 2^-24 (1 + 2^-16) + 2^-149      for T <= 2^18.
///
/// Where e^(z_j - max) counts, |z_j - max| < 746, and the difference is rounded by less than 2^-43; e^x errs
/// by 2^-52, the sum by gamma of strand_roundings(T), below 2^-41.9, the quotient by 2^-53; the first two
/// count for the term and for the sum: less than 2^-40.8 together. The last rounding is 2^-24, or half the
/// least subnormal number.
template <Group G>
KVPROOF_KERNEL void softmax_row(G& g, const ReaderCall& call, std::uint32_t head) {
    const float* const logits = call.logits + std::size_t{head} * call.tokens;
    float* const out = call.attention + std::size_t{head} * call.tokens;
    double* const scratch = g.template shared<double>(strands);
    float most = logits[0];
    for (auto j = static_cast<std::uint32_t>(g.rank()); j < call.tokens;
         j += static_cast<std::uint32_t>(g.size()))
        most = logits[j] > most ? logits[j] : most;
    const double top = g.max(most);
    const auto power = [&](std::uint32_t j) { return portable::exp(logits[j] - top); };
    const double total = strand_sum(g, call.tokens, scratch, power);
    for (auto j = static_cast<std::uint32_t>(g.rank()); j < call.tokens;
         j += static_cast<std::uint32_t>(g.size()))
        out[j] = static_cast<float>(power(j) / total);
}

/// a^V_{g,j} = s_g sum_h alpha^_{h,j}^2, h ascending (ReadKV 3.2, Eq. 3), each operation rounded. Subnormal
/// numbers stay. `first` and `count` are of the items g T + j.
template <Group G>
KVPROOF_KERNEL void value_weights(G& g, const ReaderCall& call, std::uint32_t first, std::uint32_t count) {
    const ReaderLayer& layer = *call.layer;
    for (std::uint32_t i = first + static_cast<std::uint32_t>(g.rank()); i < first + count;
         i += static_cast<std::uint32_t>(g.size())) {
        const std::uint32_t kv = i / call.tokens;
        const float* alpha =
            call.attention + std::size_t{kv} * layer.sharing() * call.tokens + i % call.tokens;
        float sum = 0;
        for (std::uint32_t h = 0; h < layer.sharing(); ++h, alpha += call.tokens) sum += *alpha * *alpha;
        call.value_weights[i] = sum * layer.value_factor[kv];
    }
}

/// The parts of o^_{h,c} from `count` tiles of tokens, for the query heads of KV head `kv`: values decoded to
/// their tokens' depths, four channels a thread, one product and sum a token, j ascending.
template <Group G>
KVPROOF_KERNEL void value_tiles(G& g, const ReaderCall& call, std::uint32_t kv, std::uint32_t first_tile,
                                std::uint32_t count) {
    const ReaderLayer& layer = *call.layer;
    const std::uint32_t d = layer.dim;
    const std::uint32_t table = (2U << layer.depth) - 1;
    const std::uint32_t stride = ReaderLayer::words(d);
    float* const centroids = g.template shared<float>(static_cast<int>(table));
    const auto rank = static_cast<std::uint32_t>(g.rank());
    const auto size = static_cast<std::uint32_t>(g.size());
    for (std::uint32_t i = rank; i < table; i += size) centroids[i] = layer.centroids[i];
    g.sync();
    const std::uint32_t tiles = ReaderCall::tiles(call.tokens);
    const std::uint32_t quads = (d + 3) / 4;
    const std::uint32_t last = (kv + 1) * layer.sharing();
    const std::uint8_t* const depths = call.value_depths + std::size_t{kv} * call.tokens;
    for (std::uint32_t h0 = kv * layer.sharing(); h0 < last; h0 += heads_at_once) {
        const float* const alpha = call.attention + std::size_t{h0} * call.tokens;
        const std::uint32_t heads = last - h0 < heads_at_once ? last - h0 : heads_at_once;
        for (std::uint32_t i = rank; i < count * quads; i += size) {
            const std::uint32_t tile = first_tile + i / quads;
            const std::uint32_t begin = tile * ReaderCall::tile;
            const std::uint32_t end =
                call.tokens - begin < ReaderCall::tile ? call.tokens : begin + ReaderCall::tile;
            const std::uint32_t c = i % quads * 4;
            float mean[4];
            float scale[4];
            KVPROOF_UNROLL(4)
            for (std::uint32_t k = 0; k < 4; ++k) {
                mean[k] = c + k < d ? layer.value_mean[kv * d + c + k] : 0;
                scale[k] = c + k < d ? layer.value_scale[kv * d + c + k] : 0;
            }
            float sums[heads_at_once][4] = {};
            for (std::uint32_t j = begin; j < end; ++j) {
                const std::uint32_t t = depths[j];
                const std::uint32_t prefixes = four_prefixes(layer.value_token(kv, j), stride, t, c);
                float values[4];
                KVPROOF_UNROLL(4)
                for (std::uint32_t k = 0; k < 4; ++k)
                    values[k] = reconstruct(centroids, t, prefixes >> (8 * k) & 255U, mean[k], scale[k]);
                KVPROOF_UNROLL(8)
                for (std::uint32_t h = 0; h < heads_at_once; ++h) {
                    if (h >= heads) continue;
                    const float weight = alpha[h * call.tokens + j];
                    KVPROOF_UNROLL(4)
                    for (std::uint32_t k = 0; k < 4; ++k)
                        sums[h][k] = portable::fused(weight, values[k], sums[h][k]);
                }
            }
            float* const out = call.partial_outputs + (std::size_t{h0} * tiles + tile) * d + c;
            KVPROOF_UNROLL(8)
            for (std::uint32_t h = 0; h < heads_at_once; ++h) {
                KVPROOF_UNROLL(4)
                for (std::uint32_t k = 0; k < 4; ++k)
                    if (h < heads && c + k < d) out[std::size_t{h} * tiles * d + k] = sums[h][k];
            }
        }
    }
}

/// o^ from its tiles, in double, tile by tile, rounded once. With alpha~ and v^ as they are used,
///
///     |o~ - sum_j alpha~_j v^_j| <= gamma_{257} sum_j |alpha~_j v^_j| + T 2^-149
///
/// for up to 2^24 tokens: at most 256 fused operations, the last rounding, and the sum of tiles in double,
/// whose part is below 2^-36 and fits between (1 + u)^257 - 1 and gamma_{257}, 2^-33 apart.
template <Group G>
KVPROOF_KERNEL void sum_tiles(G& g, const ReaderCall& call) {
    const ReaderLayer& layer = *call.layer;
    const std::uint32_t tiles = ReaderCall::tiles(call.tokens);
    for (auto i = static_cast<std::uint32_t>(g.rank()); i < layer.query_heads * layer.dim;
         i += static_cast<std::uint32_t>(g.size())) {
        const float* part =
            call.partial_outputs + std::size_t{i / layer.dim} * tiles * layer.dim + i % layer.dim;
        double sum = 0;
        for (std::uint32_t tile = 0; tile < tiles; ++tile, part += layer.dim) sum += *part;
        call.outputs[i] = static_cast<float>(sum);
    }
}

} // namespace kvproof::gpu
