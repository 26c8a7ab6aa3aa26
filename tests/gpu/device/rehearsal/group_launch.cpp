#include "gpu/group/collectives.hpp"
#include "gpu/group/fiber_group.hpp"

namespace kvproof::gpu {

void launch_collectives(int width, const CollectiveInputs& in, const CollectiveResults& out) {
    const FiberOptions block{.width = width, .schedule = Schedule::reverse};
    run_fibers(block, 1, [&](FiberGroup& g, int) { try_collectives(g, in, out); });
}

} // namespace kvproof::gpu
