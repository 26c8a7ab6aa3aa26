#include "gpu/device_runs.hpp"

#include "lib/error.hpp"

#include <cuda_runtime_api.h>
#include <string>

namespace kvproof::gpu {

void require_device() {
    int count = 0;
    const cudaError_t result = cudaGetDeviceCount(&count);
    if (result == cudaSuccess && count > 0) return;
    throw Error(ErrorCode::no_device,
                std::string("--device: found cuda, but no device (") +
                    (result == cudaSuccess ? "none is visible" : cudaGetErrorString(result)) +
                    "), expected one or cpu");
}

} // namespace kvproof::gpu
