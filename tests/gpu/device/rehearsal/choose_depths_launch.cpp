#include "gpu/allocate/choose_depths_batch.hpp"

namespace kvproof::gpu {

std::size_t choose_depths_scratch(int instances, int items) {
    return static_cast<std::size_t>(instances) * static_cast<std::size_t>(items);
}

void launch_choose_depths(const ChooseDepthsBatch& batch) {
    choose_depths_here(batch);
}

} // namespace kvproof::gpu
