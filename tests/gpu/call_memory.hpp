#pragma once
// A whole call of the device's reader, launch by launch, by any executor.

#include "gpu/reader/two_stage.hpp"
#include "tests/gpu/launches.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kvproof::test {

/// Room for a call. Everything begins as NaN or 255: what nobody writes goes wrong.
struct CallMemory {
    CallMemory(const gpu::ReaderLayer& input, std::vector<float> q, std::uint32_t tokens)
        : layer(input), queries(std::move(q)), key_weights(std::size_t{input.kv_heads} * input.dim, NAN),
          logits(std::size_t{input.query_heads} * tokens, NAN), attention(logits),
          value_weights(std::size_t{input.kv_heads} * tokens, NAN),
          partial_outputs(std::size_t{input.query_heads} * gpu::ReaderCall::tiles(tokens) * input.dim, NAN),
          outputs(std::size_t{input.query_heads} * input.dim, NAN), key_depths(key_weights.size(), 255),
          value_depths(value_weights.size(), 255), spent(2 * input.kv_heads, 0),
          scratch(std::size_t{input.kv_heads} * std::max(input.dim, tokens), 0xffffffffU) {
        call.layer = &layer;
        call.tokens = tokens;
        call.queries = queries.data();
        call.key_weights = key_weights.data();
        call.key_depths = key_depths.data();
        call.logits = logits.data();
        call.attention = attention.data();
        call.value_weights = value_weights.data();
        call.value_depths = value_depths.data();
        call.partial_outputs = partial_outputs.data();
        call.outputs = outputs.data();
        call.spent = spent.data();
        call.scratch = scratch.data();
    }
    CallMemory(const CallMemory&) = delete;
    CallMemory& operator=(const CallMemory&) = delete;

    [[nodiscard]] bool same_bits(const CallMemory& other) const {
        return key_weights == other.key_weights && key_depths == other.key_depths && logits == other.logits &&
               attention == other.attention && value_weights == other.value_weights &&
               value_depths == other.value_depths && outputs == other.outputs;
    }

    gpu::ReaderLayer layer;
    std::vector<float> queries;
    std::vector<float> key_weights;
    std::vector<float> logits;
    std::vector<float> attention;
    std::vector<float> value_weights;
    std::vector<float> partial_outputs;
    std::vector<float> outputs;
    std::vector<std::uint8_t> key_depths;
    std::vector<std::uint8_t> value_depths;
    std::vector<std::uint32_t> spent;
    std::vector<std::uint32_t> scratch;
    gpu::ReaderCall call;
};

/// All launches of a call; `launch(blocks, body)` runs one.
template <class Launch>
void run_reader(const Launch& launch, CallMemory& memory) {
    const gpu::ReaderCall& call = memory.call;
    const auto groups = static_cast<int>(memory.layer.kv_heads);
    const auto heads = static_cast<int>(memory.layer.query_heads);
    launch(1, [&](auto& g, int) { gpu::key_weights(g, call); });
    const int pools = call.pool_per_head ? groups : 1;
    launch(pools,
           [&](auto& g, int pool) { gpu::allocate_pool(g, call, false, static_cast<std::uint32_t>(pool)); });
    constexpr std::uint32_t part = 100; // tokens a block: a multiple of 4 alone
    const auto parts = static_cast<int>((call.tokens + part - 1) / part);
    launch(groups * parts, [&](auto& g, int block) {
        const std::uint32_t first = static_cast<std::uint32_t>(block % parts) * part;
        gpu::key_logits(g, call, static_cast<std::uint32_t>(block / parts), first,
                        std::min(part, call.tokens - first));
    });
    launch(heads, [&](auto& g, int block) { gpu::softmax_row(g, call, static_cast<std::uint32_t>(block)); });
    const std::uint32_t items = memory.layer.kv_heads * call.tokens;
    launch(static_cast<int>((items + part - 1) / part), [&](auto& g, int block) {
        const std::uint32_t first = static_cast<std::uint32_t>(block) * part;
        gpu::value_weights(g, call, first, std::min(part, items - first));
    });
    launch(pools,
           [&](auto& g, int pool) { gpu::allocate_pool(g, call, true, static_cast<std::uint32_t>(pool)); });
    const auto tiles = static_cast<int>(gpu::ReaderCall::tiles(call.tokens));
    launch(groups * tiles, [&](auto& g, int block) {
        gpu::value_tiles(g, call, static_cast<std::uint32_t>(block / tiles),
                         static_cast<std::uint32_t>(block % tiles), 1);
    });
    launch(1, [&](auto& g, int) { gpu::sum_tiles(g, call); });
}

} // namespace kvproof::test
