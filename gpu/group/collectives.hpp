#pragma once

#include "gpu/group/group.hpp"

#include <cstddef>

namespace kvproof::gpu {

/// One entry for each thread.
struct CollectiveInputs {
    const std::uint32_t* integers;
    const std::uint64_t* longs;
    const float* floats;
    const double* doubles;
};

struct CollectiveResults {
    std::uint32_t* sums;
    std::uint32_t* largest;
    std::uint32_t* sums_before;
    std::uint64_t* long_sums;
    float* float_sums;
    float* largest_floats;
    double* double_sums;
    double* largest_doubles;
    std::uint32_t* reversed; ///< the integers in falling order of threads, through shared memory
};

inline constexpr std::size_t collectives_shared_bytes(int width) {
    return static_cast<std::size_t>(width) * sizeof(std::uint32_t);
}

/// Every operation of a group once: the kernel by which executors are compared.
template <Group G>
KVPROOF_KERNEL void try_collectives(G& g, const CollectiveInputs& in, const CollectiveResults& out) {
    const int r = g.rank();
    out.sums[r] = g.sum(in.integers[r]);
    out.largest[r] = g.max(in.integers[r]);
    out.sums_before[r] = g.exclusive_sum(in.integers[r]);
    out.long_sums[r] = g.sum(in.longs[r]);
    out.float_sums[r] = g.sum(in.floats[r]);
    out.largest_floats[r] = g.max(in.floats[r]);
    out.double_sums[r] = g.sum(in.doubles[r]);
    out.largest_doubles[r] = g.max(in.doubles[r]);
    std::uint32_t* const memory = g.template shared<std::uint32_t>(g.size());
    memory[r] = in.integers[r];
    g.sync();
    out.reversed[r] = memory[g.size() - 1 - r];
}

/// The same on the device, on pointers to its memory: as a warp (width 32) or as a block of 96 or 1024.
/// Throws Error(internal) for another width.
void launch_collectives(int width, const CollectiveInputs& in, const CollectiveResults& out);

} // namespace kvproof::gpu
