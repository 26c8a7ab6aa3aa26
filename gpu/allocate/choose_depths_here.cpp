#include "gpu/allocate/choose_depths.hpp"
#include "gpu/allocate/choose_depths_batch.hpp"
#include "gpu/allocate/scratch_items.hpp"
#include "gpu/group/serial_group.hpp"

namespace kvproof::gpu {

void choose_depths_here(const ChooseDepthsBatch& batch) {
    for (int instance = 0; instance < batch.instances; ++instance) {
        const auto first = static_cast<std::ptrdiff_t>(instance) * batch.items;
        SerialGroup group;
        ScratchItems items(batch.scratch, batch.items);
        batch.spent[instance] = choose_depths(group, items, batch.weights + first, batch.gains, batch.budget,
                                              batch.depths + first);
    }
}

} // namespace kvproof::gpu
