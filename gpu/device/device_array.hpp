#pragma once

#include "gpu/device/require_cuda.hpp"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace kvproof::gpu {

/// Numbers in the memory of the current device. Throws Error(internal) where there is no room.
template <class T>
class DeviceArray {
public:
    explicit DeviceArray(std::size_t count) : count_(count) {
        if (count > 0) require_cuda(cudaMalloc(reinterpret_cast<void**>(&at_), count * sizeof(T)), "memory");
    }
    explicit DeviceArray(std::span<const T> numbers) : DeviceArray(numbers.size()) {
        if (count_ > 0)
            require_cuda(cudaMemcpy(at_, numbers.data(), count_ * sizeof(T), cudaMemcpyHostToDevice),
                         "memory");
    }
    DeviceArray(DeviceArray&& other) noexcept
        : at_(std::exchange(other.at_, nullptr)), count_(std::exchange(other.count_, 0)) {}
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    ~DeviceArray() { cudaFree(at_); }

    [[nodiscard]] T* get() const { return at_; }
    [[nodiscard]] std::size_t size() const { return count_; }

    /// All bytes to 0xFF: what a kernel leaves unwritten is then no number.
    void poison() { require_cuda(cudaMemset(at_, 0xff, count_ * sizeof(T)), "memory"); }

    /// Waits for the device. Throws what a kernel before left.
    [[nodiscard]] std::vector<T> to_host() const {
        std::vector<T> out(count_);
        require_cuda(cudaMemcpy(out.data(), at_, count_ * sizeof(T), cudaMemcpyDeviceToHost), "memory");
        return out;
    }

private:
    T* at_ = nullptr;
    std::size_t count_;
};

} // namespace kvproof::gpu
