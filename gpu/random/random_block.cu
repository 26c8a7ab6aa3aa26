#include "gpu/random/random_block.hpp"

#include "gpu/device/block_group.cuh"
#include "gpu/device/require_cuda.hpp"

namespace kvproof::gpu {

namespace {

constexpr int threads = 256;
constexpr int share = 1024; ///< samples of a block

__global__ void __launch_bounds__(threads)
    random_words(DrawPlace place, std::uint32_t first, int count, RandomWords* out) {
    BlockGroup<threads> g = BlockGroup<threads>::here();
    const int begin = static_cast<int>(blockIdx.x) * share;
    fill_random_words(g, place, first + static_cast<std::uint32_t>(begin),
                      count - begin < share ? count - begin : share, out + begin);
}

} // namespace

void launch_random_words(const DrawPlace& place, std::uint32_t first, int count, RandomWords* out) {
    if (count == 0) return;
    const unsigned blocks = (static_cast<unsigned>(count) + share - 1) / share;
    random_words<<<blocks, threads>>>(place, first, count, out);
    require_cuda(cudaGetLastError(), "random_words");
}

} // namespace kvproof::gpu
