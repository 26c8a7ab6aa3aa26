#pragma once

#include <cstdint>

namespace kvproof::gpu {

/// What the trials of `kvproof montecarlo remainder` are drawn by.
struct RemainderTrials {
    std::uint32_t tokens = 0; ///< T >= 1
    double spread = 0;        ///< of the normal logits
    double size = 0;          ///< A_0
    bool signs = false;       ///< noise is -A_0 or A_0; else uniform between
    std::uint64_t seed = 0;
};

} // namespace kvproof::gpu
