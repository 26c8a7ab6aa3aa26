#include "gpu/allocate/choose_depths.hpp"

#include "gpu/allocate/choose_depths_batch.hpp"
#include "gpu/allocate/register_items.hpp"
#include "gpu/allocate/scratch_items.hpp"
#include "gpu/device/block_group.cuh"
#include "gpu/device/require_cuda.hpp"

namespace kvproof::gpu {

namespace {

constexpr int warps_per_block = 4;

template <Group G, class Items>
__device__ __forceinline__ void solve(G& g, Items& items, const ChooseDepthsBatch& batch, int instance) {
    const std::size_t first = static_cast<std::size_t>(instance) * static_cast<std::size_t>(batch.items);
    const std::uint32_t spent =
        choose_depths(g, items, batch.weights + first, batch.gains, batch.budget, batch.depths + first);
    if (g.rank() == 0) batch.spent[instance] = spent;
}

template <int Count>
__global__ void __launch_bounds__(warps_per_block* warp_size) choose_depths_warp(ChooseDepthsBatch batch) {
    const int instance =
        static_cast<int>(blockIdx.x) * warps_per_block + static_cast<int>(threadIdx.x) / warp_size;
    if (instance >= batch.instances) return; // the whole warp
    WarpGroup g;
    RegisterItems<Count> items(g, batch.items);
    solve(g, items, batch, instance);
}

template <int Threads>
__global__ void __launch_bounds__(Threads) choose_depths_shared(ChooseDepthsBatch batch) {
    BlockGroup<Threads> g = BlockGroup<Threads>::here();
    ScratchItems items(g.template shared<std::uint32_t>(batch.items), batch.items);
    solve(g, items, batch, static_cast<int>(blockIdx.x));
}

template <int Threads>
__global__ void __launch_bounds__(Threads) choose_depths_scratch_memory(ChooseDepthsBatch batch) {
    BlockGroup<Threads> g = BlockGroup<Threads>::here();
    const std::size_t first = static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(batch.items);
    ScratchItems items(batch.scratch + first, batch.items);
    solve(g, items, batch, static_cast<int>(blockIdx.x));
}

constexpr int most_in_registers = 16 * warp_size;
constexpr int most_for_small_blocks = 8192;
constexpr std::size_t slot_bytes = 1024; ///< a block's own shared memory, at most

/// Items whose words fit into a block's shared memory on the current device.
int most_in_shared_memory() {
    int device = 0;
    int bytes = 0;
    require_cuda(cudaGetDevice(&device), "choose_depths");
    require_cuda(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
                 "choose_depths");
    return static_cast<int>((static_cast<std::size_t>(bytes) - slot_bytes) / sizeof(std::uint32_t));
}

void launch_warps(const ChooseDepthsBatch& batch) {
    const unsigned blocks = (static_cast<unsigned>(batch.instances) + warps_per_block - 1) / warps_per_block;
    constexpr unsigned threads = warps_per_block * warp_size;
    if (batch.items <= warp_size)
        choose_depths_warp<1><<<blocks, threads>>>(batch);
    else if (batch.items <= 4 * warp_size)
        choose_depths_warp<4><<<blocks, threads>>>(batch);
    else if (batch.items <= 8 * warp_size)
        choose_depths_warp<8><<<blocks, threads>>>(batch);
    else
        choose_depths_warp<16><<<blocks, threads>>>(batch);
}

template <int Threads>
void launch_shared(const ChooseDepthsBatch& batch) {
    const std::size_t bytes = static_cast<std::size_t>(batch.items) * sizeof(std::uint32_t);
    require_cuda(cudaFuncSetAttribute(choose_depths_shared<Threads>,
                                      cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
                 "choose_depths");
    choose_depths_shared<Threads><<<static_cast<unsigned>(batch.instances), Threads, bytes>>>(batch);
}

} // namespace

std::size_t choose_depths_scratch(int instances, int items) {
    if (items <= most_in_registers || items <= most_in_shared_memory()) return 0;
    return static_cast<std::size_t>(instances) * static_cast<std::size_t>(items);
}

void launch_choose_depths(const ChooseDepthsBatch& batch) {
    if (batch.instances == 0) return;
    if (batch.items <= most_in_registers)
        launch_warps(batch);
    else if (batch.items <= most_for_small_blocks)
        launch_shared<256>(batch);
    else if (batch.items <= most_in_shared_memory())
        launch_shared<1024>(batch);
    else
        choose_depths_scratch_memory<1024><<<static_cast<unsigned>(batch.instances), 1024>>>(batch);
    require_cuda(cudaGetLastError(), "choose_depths");
}

} // namespace kvproof::gpu
