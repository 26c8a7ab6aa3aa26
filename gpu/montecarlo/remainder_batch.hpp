#pragma once

#include "gpu/montecarlo/remainder_trials.hpp"

#include <cstddef>

namespace kvproof::gpu {

/// Trials first, ..., first + count - 1. Pointers are to memory of the device.
struct RemainderBatch {
    RemainderTrials trials;
    std::uint64_t first = 0;
    std::uint32_t count = 0;
    double* weights = nullptr; ///< memory for remainder_scratch(trials) numbers
    double* sums = nullptr;    ///< [count]
    double* tops = nullptr;    ///< [count]
};

/// Starts the work on the device and returns. Throws Error(internal) where the device refuses it.
void launch_remainder(const RemainderBatch& batch);

/// Numbers of memory that launch_remainder needs on the current device.
[[nodiscard]] std::size_t remainder_scratch(const RemainderTrials& trials);

} // namespace kvproof::gpu
