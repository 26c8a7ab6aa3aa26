#pragma once

#include "lib/error.hpp"

#include <cuda_runtime_api.h>
#include <string>

namespace kvproof::gpu {

/// Throws Error(internal) with what the runtime says, unless `result` is success.
inline void require_cuda(cudaError_t result, const std::string& what) {
    if (result != cudaSuccess)
        throw Error(ErrorCode::internal, what + ": the device says: " + cudaGetErrorString(result));
}

} // namespace kvproof::gpu
