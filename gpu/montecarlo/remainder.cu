#include "gpu/montecarlo/remainder.hpp"

#include "gpu/device/block_group.cuh"
#include "gpu/device/require_cuda.hpp"
#include "gpu/montecarlo/remainder_batch.hpp"

#include <algorithm>

namespace kvproof::gpu {

namespace {

constexpr unsigned threads = 128;
constexpr unsigned blocks_a_processor = 8;                  // what the registers of a thread leave room for
constexpr std::size_t most_scratch = std::size_t{1} << 27U; // numbers: 1 GiB

__global__ void __launch_bounds__(threads) remainder_kernel(RemainderBatch batch) {
    BlockGroup<threads> g = BlockGroup<threads>::here();
    double* const weights = batch.weights + std::size_t{blockIdx.x} * threads * batch.trials.tokens;
    for (std::size_t begin = std::size_t{blockIdx.x} * threads; begin < batch.count;
         begin += std::size_t{gridDim.x} * threads) {
        const std::size_t left = batch.count - begin;
        remainder_trials(g, batch.trials, batch.first + begin,
                         static_cast<std::uint32_t>(left < threads ? left : threads), weights,
                         batch.sums + begin, batch.tops + begin);
    }
}

/// Blocks that run at once, as far as their weights find room.
unsigned grid(const RemainderTrials& trials) {
    int device = 0;
    int processors = 0;
    require_cuda(cudaGetDevice(&device), "remainder");
    require_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "remainder");
    const std::size_t room = most_scratch / (std::size_t{threads} * trials.tokens);
    return static_cast<unsigned>(
        std::clamp<std::size_t>(room, 1, static_cast<std::size_t>(processors) * blocks_a_processor));
}

} // namespace

std::size_t remainder_scratch(const RemainderTrials& trials) {
    return std::size_t{grid(trials)} * threads * trials.tokens;
}

void launch_remainder(const RemainderBatch& batch) {
    if (batch.count == 0) return;
    const unsigned needed = (batch.count + threads - 1) / threads;
    remainder_kernel<<<std::min(needed, grid(batch.trials)), threads>>>(batch);
    require_cuda(cudaGetLastError(), "remainder");
}

} // namespace kvproof::gpu
