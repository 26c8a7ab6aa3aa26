#include "gpu/reader/two_stage.hpp"

#include "gpu/device/block_group.cuh"
#include "gpu/device/require_cuda.hpp"
#include "gpu/reader/reader_batch.hpp"

namespace kvproof::gpu {

namespace {

// A block's place: x a part of the tokens, y a head or a pool, z the call. Whole blocks have nothing to do
// where a call is smaller than the largest.

constexpr unsigned wide = 256;
constexpr unsigned narrow = 128;
constexpr std::uint32_t tokens_a_block = 4 * narrow;
constexpr std::uint32_t tiles_a_block = 4; // of d_h = 128: all threads have four channels

__global__ void __launch_bounds__(wide) key_weights_kernel(ReaderBatch batch) {
    BlockGroup<wide> g = BlockGroup<wide>::here();
    key_weights(g, batch.calls[blockIdx.z]);
}

__global__ void __launch_bounds__(1024) allocate_kernel(ReaderBatch batch, bool values) {
    const ReaderCall& call = batch.calls[blockIdx.z];
    if (blockIdx.y >= (call.pool_per_head ? call.layer->kv_heads : 1)) return;
    BlockGroup<1024> g = BlockGroup<1024>::here();
    allocate_pool(g, call, values, blockIdx.y);
}

__global__ void __launch_bounds__(narrow) key_logits_kernel(ReaderBatch batch) {
    const ReaderCall& call = batch.calls[blockIdx.z];
    const std::uint32_t first = blockIdx.x * tokens_a_block;
    if (first >= call.tokens || blockIdx.y >= call.layer->kv_heads) return;
    BlockGroup<narrow> g = BlockGroup<narrow>::here();
    const std::uint32_t left = call.tokens - first;
    key_logits(g, call, blockIdx.y, first, left < tokens_a_block ? left : tokens_a_block);
}

__global__ void __launch_bounds__(wide) softmax_kernel(ReaderBatch batch) {
    const ReaderCall& call = batch.calls[blockIdx.z];
    if (blockIdx.y >= call.layer->query_heads) return;
    BlockGroup<wide> g = BlockGroup<wide>::here();
    softmax_row(g, call, blockIdx.y);
}

__global__ void __launch_bounds__(wide) value_weights_kernel(ReaderBatch batch) {
    const ReaderCall& call = batch.calls[blockIdx.z];
    const std::uint32_t items = call.layer->kv_heads * call.tokens;
    constexpr std::uint32_t part = 4 * wide;
    const std::uint32_t first = blockIdx.x * part;
    if (first >= items) return;
    BlockGroup<wide> g = BlockGroup<wide>::here();
    value_weights(g, call, first, items - first < part ? items - first : part);
}

__global__ void __launch_bounds__(narrow) value_tiles_kernel(ReaderBatch batch) {
    const ReaderCall& call = batch.calls[blockIdx.z];
    const std::uint32_t tiles = ReaderCall::tiles(call.tokens);
    const std::uint32_t first = blockIdx.x * tiles_a_block;
    if (first >= tiles || blockIdx.y >= call.layer->kv_heads) return;
    BlockGroup<narrow> g = BlockGroup<narrow>::here();
    value_tiles(g, call, blockIdx.y, first, tiles - first < tiles_a_block ? tiles - first : tiles_a_block);
}

__global__ void __launch_bounds__(wide) sum_tiles_kernel(ReaderBatch batch) {
    BlockGroup<wide> g = BlockGroup<wide>::here();
    sum_tiles(g, batch.calls[blockIdx.z]);
}

unsigned parts(std::uint32_t items, std::uint32_t part) {
    return (items + part - 1) / part;
}

} // namespace

void launch_reader(const ReaderBatch& batch) {
    if (batch.count == 0) return;
    constexpr std::size_t table = sizeof(float) * ((2U << most_depth) - 1);
    constexpr std::size_t sums = sizeof(double) * strands;
    const auto grid = [&](unsigned x, unsigned y) { return dim3(x, y, batch.count); };
    key_weights_kernel<<<grid(1, 1), wide>>>(batch);
    allocate_kernel<<<grid(1, batch.kv_heads), 1024>>>(batch, false);
    key_logits_kernel<<<grid(parts(batch.tokens, tokens_a_block), batch.kv_heads), narrow, table>>>(batch);
    softmax_kernel<<<grid(1, batch.query_heads), wide, sums>>>(batch);
    value_weights_kernel<<<grid(parts(batch.kv_heads * batch.tokens, 4 * wide), 1), wide>>>(batch);
    allocate_kernel<<<grid(1, batch.kv_heads), 1024>>>(batch, true);
    value_tiles_kernel<<<grid(parts(ReaderCall::tiles(batch.tokens), tiles_a_block), batch.kv_heads), narrow,
                         table>>>(batch);
    sum_tiles_kernel<<<grid(1, 1), wide>>>(batch);
    require_cuda(cudaGetLastError(), "two-stage reader");
}

} // namespace kvproof::gpu
