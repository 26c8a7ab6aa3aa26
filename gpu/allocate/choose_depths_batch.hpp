#pragma once

#include "gpu/allocate/gain_table.hpp"

#include <cstddef>
#include <cstdint>

namespace kvproof::gpu {

/// Many allocations at once, all of one size, one table and one budget. Pointers are to memory of whoever
/// works: the processor, or the device.
struct ChooseDepthsBatch {
    const float* weights; ///< [instances, items]
    int instances;
    int items; ///< at most 2^28
    GainTable gains;
    std::uint32_t budget;   ///< of each instance
    std::uint8_t* depths;   ///< [instances, items]
    std::uint32_t* spent;   ///< [instances]: levels taken, or bad_instance
    std::uint32_t* scratch; ///< [choose_depths_scratch(...)] words
};

/// The kernel's body as a group of one thread on this processor. Needs scratch for one instance: `items`
/// words.
void choose_depths_here(const ChooseDepthsBatch& batch);

/// On the device: up to 512 items a warp each, in registers; more a block each, in shared memory while that
/// lasts, then in scratch. Starts the work and returns. Throws Error(internal) where the device refuses it.
void launch_choose_depths(const ChooseDepthsBatch& batch);

/// Words of scratch that launch_choose_depths needs on the current device.
[[nodiscard]] std::size_t choose_depths_scratch(int instances, int items);

} // namespace kvproof::gpu
