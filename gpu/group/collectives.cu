#include "gpu/group/collectives.hpp"

#include "gpu/device/block_group.cuh"
#include "gpu/device/require_cuda.hpp"

namespace kvproof::gpu {

namespace {

__global__ void __launch_bounds__(warp_size) warp_collectives(CollectiveInputs in, CollectiveResults out) {
    WarpGroup g(shared_arena());
    try_collectives(g, in, out);
}

template <int Threads>
__global__ void __launch_bounds__(Threads) block_collectives(CollectiveInputs in, CollectiveResults out) {
    BlockGroup<Threads> g = BlockGroup<Threads>::here();
    try_collectives(g, in, out);
}

} // namespace

void launch_collectives(int width, const CollectiveInputs& in, const CollectiveResults& out) {
    const std::size_t bytes = collectives_shared_bytes(width);
    switch (width) {
    case warp_size: warp_collectives<<<1, warp_size, bytes>>>(in, out); break;
    case 96: block_collectives<96><<<1, 96, bytes>>>(in, out); break;
    case 1024: block_collectives<1024><<<1, 1024, bytes>>>(in, out); break;
    default:
        throw Error(ErrorCode::internal,
                    "collectives: found a width of " + std::to_string(width) + ", expected 32, 96 or 1024");
    }
    require_cuda(cudaGetLastError(), "collectives");
}

} // namespace kvproof::gpu
