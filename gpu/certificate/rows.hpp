#pragma once
// The rows whose Gram matrices ReadKV's certificate is made of (E.3.3), staged from what the device holds. k^
// and v^ are the numbers that the device's reader works with (`reconstruct`), so a residual k' - k^ is a
// difference of two binary32 numbers: in double its relative error is at most u = 2^-53.

#include "gpu/certificate/certificate_call.hpp"
#include "gpu/certificate/gram.hpp"
#include "gpu/reader/reader_layer.hpp"

#include <cmath>

namespace kvproof::gpu {

/// Items are channels: row j holds e^K_j = k'_j - k^_j. x~ = x (1 + t), |t| <= u.
struct KeyResidualRows {
    const ReaderCall& call;
    const float* exact; ///< k': [G, d_h, tokens]
    std::uint32_t kv;

    [[nodiscard]] KVPROOF_DEVICE double at(std::uint32_t j, std::uint32_t c) const {
        const ReaderLayer& layer = *call.layer;
        const std::uint32_t item = kv * layer.dim + c;
        const std::uint32_t t = call.key_depths[item];
        const std::uint32_t prefix =
            prefix_of(layer.key_channel(kv, c), ReaderLayer::words(layer.tokens), t, j);
        const float key =
            reconstruct(layer.centroids, t, prefix, layer.key_mean[item], layer.key_scale[item]);
        return double{exact[std::size_t{item} * layer.tokens + j]} - double{key};
    }

    template <Group G>
    KVPROOF_KERNEL void stage(G& g, std::uint32_t first, std::uint32_t count, std::uint32_t step,
                              double* to) const {
        for (auto i = static_cast<std::uint32_t>(g.rank()); i < count * step;
             i += static_cast<std::uint32_t>(g.size())) {
            const std::uint32_t j = i % count; // neighbours in memory are tokens
            const std::uint32_t c = i / count;
            to[j * step + c] = c < call.layer->dim ? at(first + j, c) : 0;
        }
    }
};

/// e^V_j = v'_j - v^_j. x~ = x (1 + t), |t| <= u.
struct ValueResiduals {
    const ReaderCall& call;
    const float* exact; ///< v': [G, tokens, d_h]
    std::uint32_t kv;

    [[nodiscard]] KVPROOF_DEVICE double at(std::uint32_t j, std::uint32_t c) const {
        const ReaderLayer& layer = *call.layer;
        const std::uint32_t item = kv * layer.dim + c;
        const std::uint32_t t = call.value_depths[std::size_t{kv} * call.tokens + j];
        const std::uint32_t prefix = prefix_of(layer.value_token(kv, j), ReaderLayer::words(layer.dim), t, c);
        const float value =
            reconstruct(layer.centroids, t, prefix, layer.value_mean[item], layer.value_scale[item]);
        return double{exact[(std::size_t{kv} * layer.tokens + j) * layer.dim + c]} - double{value};
    }
};

/// ||e^V_j||^2 of some tokens into squares [G, T]: d fused operations, c ascending, on entries of relative
/// error u: relative error at most gamma_{d+2}.
template <Group G>
KVPROOF_KERNEL void value_residual_squares(G& g, const ValueResiduals& residuals, std::uint32_t first,
                                           std::uint32_t count, double* squares) {
    for (std::uint32_t j = first + static_cast<std::uint32_t>(g.rank()); j < first + count;
         j += static_cast<std::uint32_t>(g.size())) {
        double sum = 0;
        for (std::uint32_t c = 0; c < residuals.call.layer->dim; ++c) {
            const double x = residuals.at(j, c);
            sum = portable::fused(x, x, sum);
        }
        squares[std::size_t{residuals.kv} * residuals.call.tokens + j] = sum;
    }
}

/// Items are tokens, on the side of the channels: row j is e^V_j / ||e^V_j||, or 0 where e^V_j is. With n~_j
/// the computed square, x~_jc = t_j x_jc (1 + s), |s| <= gamma_2, where t_j = ||e_j|| fl(1 / fl(sqrt(n~_j)))
/// is one factor for the row, within gamma_{d+4} of 1.
struct UnitValueRows {
    ValueResiduals residuals;
    const double* squares; ///< [G, T]

    template <Group G>
    KVPROOF_KERNEL void stage(G& g, std::uint32_t first, std::uint32_t count, std::uint32_t step,
                              double* to) const {
        const double* const of_head = squares + std::size_t{residuals.kv} * residuals.call.tokens;
        for (auto i = static_cast<std::uint32_t>(g.rank()); i < count * step;
             i += static_cast<std::uint32_t>(g.size())) {
            const std::uint32_t j = first + i / step;
            const std::uint32_t c = i % step;
            const double square = of_head[j];
            const bool counts = c < residuals.call.layer->dim && square > 0;
            to[i] = counts ? residuals.at(j, c) * (1 / std::sqrt(square)) : 0;
        }
    }
};

/// Row j is v'_j - m for a fixed m [d_h]: x~ = x (1 + t), |t| <= u.
struct CentredValueRows {
    const ReaderCall& call;
    const float* exact; ///< v': [G, tokens, d_h]
    std::uint32_t kv;
    const double* centre; ///< m: [G, d_h]

    template <Group G>
    KVPROOF_KERNEL void stage(G& g, std::uint32_t first, std::uint32_t count, std::uint32_t step,
                              double* to) const {
        const std::uint32_t d = call.layer->dim;
        const float* const rows = exact + std::size_t{kv} * call.layer->tokens * d;
        for (auto i = static_cast<std::uint32_t>(g.rank()); i < count * step;
             i += static_cast<std::uint32_t>(g.size())) {
            const std::uint32_t c = i % step;
            to[i] = c < d ? rows[std::size_t{first + i / step} * d + c] - centre[kv * d + c] : 0;
        }
    }
};

/// The unweighted mean of the visible values of KV head `kv` into centre [G, d_h], in double: chunks of
/// tokens in ascending order, j ascending in each. `partial` is memory for [gram_chunks(T), d_h] numbers.
/// Proposition 12 holds for every centre, so the mean's own rounding costs nothing but tightness.
template <Group G>
KVPROOF_KERNEL void value_mean(G& g, const ReaderCall& call, const float* exact, std::uint32_t kv,
                               double* partial, double* centre) {
    const ReaderLayer& layer = *call.layer;
    const std::uint32_t d = layer.dim;
    const std::uint32_t chunks = gram_chunks(call.tokens);
    const float* const rows = exact + std::size_t{kv} * layer.tokens * d;
    for (auto i = static_cast<std::uint32_t>(g.rank()); i < chunks * d;
         i += static_cast<std::uint32_t>(g.size())) {
        const std::uint32_t begin = i / d * gram_chunk;
        const std::uint32_t end = call.tokens - begin < gram_chunk ? call.tokens : begin + gram_chunk;
        double sum = 0;
        for (std::uint32_t j = begin; j < end; ++j) sum += rows[std::size_t{j} * d + i % d];
        partial[i] = sum;
    }
    g.sync();
    for (auto c = static_cast<std::uint32_t>(g.rank()); c < d; c += static_cast<std::uint32_t>(g.size())) {
        double sum = 0;
        for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) sum += partial[chunk * d + c];
        centre[kv * d + c] = sum / call.tokens;
    }
}

} // namespace kvproof::gpu
