#pragma once
// A layer of random bits and numbers: enough to run every body, without an encoder.

#include "gpu/certificate/rows.hpp"
#include "gpu/reader/reader_layer.hpp"

#include <random>
#include <vector>

namespace kvproof::test {

struct MadeUpLayer {
    explicit MadeUpLayer(std::uint64_t seed) : MadeUpLayer(seed, small_shape(seed)) {
        if (next() % 2 == 0) tokens -= static_cast<std::uint32_t>(next() % layer.tokens);
    }

    /// G, H, d_h, tokens and W are the shape's; all tokens are visible.
    MadeUpLayer(std::uint64_t seed, const gpu::ReaderLayer& shape)
        : next(seed), layer(shape), tokens(shape.tokens) {
        const std::size_t channels = std::size_t{layer.kv_heads} * layer.dim;
        fill(key_planes, channels * layer.depth * gpu::ReaderLayer::words(layer.tokens));
        fill(value_planes,
             std::size_t{layer.kv_heads} * layer.tokens * layer.depth * gpu::ReaderLayer::words(layer.dim));
        for (auto* const numbers : {&key_mean, &value_mean}) fill(*numbers, channels, 1);
        for (auto* const numbers : {&key_scale, &value_scale}) fill(*numbers, channels, 0.5);
        fill(value_factor, layer.kv_heads, 1);
        fill(centroids, (std::size_t{2} << layer.depth) - 1, 1);
        fill(queries, std::size_t{layer.query_heads} * layer.dim, 2);
        fill(keys, channels * layer.tokens, 1);
        fill(values, channels * layer.tokens, 1);
        for (float& x : value_factor) x = std::abs(x);
        layer.key_planes = key_planes.data();
        layer.value_planes = value_planes.data();
        layer.key_mean = key_mean.data();
        layer.key_scale = key_scale.data();
        layer.value_mean = value_mean.data();
        layer.value_scale = value_scale.data();
        layer.value_factor = value_factor.data();
        layer.centroids = centroids.data();
        for (std::uint32_t t = 0; t < layer.depth; ++t)
            layer.gains.gain[t] = std::ldexp(0.75F, -2 * static_cast<int>(t));
    }
    MadeUpLayer(const MadeUpLayer&) = delete;
    MadeUpLayer& operator=(const MadeUpLayer&) = delete;

    /// Any shape that fibers finish in a second.
    static gpu::ReaderLayer small_shape(std::uint64_t seed) {
        std::mt19937_64 random(~seed);
        const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
        gpu::ReaderLayer out;
        out.kv_heads = 1 + below(2);
        out.query_heads = out.kv_heads * (below(4) == 0 ? 9 : 1 + below(3));
        out.dim = below(3) == 0 ? 33 + below(8) : 1 + below(12);
        out.tokens = below(3) == 0 ? 257 + below(40) : 1 + below(40);
        out.depth = 1 + below(8);
        return out;
    }

    /// Budgets for a call: none, some, or more than can be spent; with a mean depth, that, for each head.
    void budgets(gpu::ReaderCall& call) const {
        call.pool_per_head = layer.query_heads % 2 == 0;
        call.key_budget = layer.dim * (tokens % (layer.depth + 2));
        call.value_budget = tokens * (layer.dim % (layer.depth + 2));
        if (mean_depth == 0) return;
        call.pool_per_head = true;
        call.key_budget = layer.dim * mean_depth;
        call.value_budget = tokens * mean_depth;
    }

    void fill(std::vector<std::uint32_t>& words, std::size_t count) {
        words.resize(count);
        for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(next());
    }
    void fill(std::vector<float>& numbers, std::size_t count, double size) {
        std::normal_distribution<double> normal(0, size);
        numbers.resize(count);
        for (float& x : numbers) x = static_cast<float>(normal(next));
    }

    std::mt19937_64 next;
    gpu::ReaderLayer layer;
    std::uint32_t tokens = 0; ///< visible
    std::uint32_t mean_depth = 0;
    std::vector<std::uint32_t> key_planes;
    std::vector<std::uint32_t> value_planes;
    std::vector<float> key_mean, key_scale, value_mean, value_scale, value_factor, centroids, queries;
    std::vector<float> keys;   ///< k': [G, d_h, tokens]
    std::vector<float> values; ///< v': [G, tokens, d_h]
};

} // namespace kvproof::test
