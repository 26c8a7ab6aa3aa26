#pragma once

#include "gpu/device/device_array.hpp"

#include <span>

namespace kvproof::gpu {

/// The first numbers of an array, to and from host memory. Reading waits for the device and throws what a
/// kernel before left.
template <class T>
void read_from(const DeviceArray<T>& array, std::span<T> numbers) {
    require_cuda(cudaMemcpy(numbers.data(), array.get(), numbers.size_bytes(), cudaMemcpyDeviceToHost),
                 "memory");
}

template <class T>
void write_to(const DeviceArray<T>& array, std::span<const T> numbers) {
    require_cuda(cudaMemcpy(array.get(), numbers.data(), numbers.size_bytes(), cudaMemcpyHostToDevice),
                 "memory");
}

} // namespace kvproof::gpu
