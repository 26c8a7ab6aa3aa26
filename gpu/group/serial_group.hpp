#pragma once

#include "gpu/group/group.hpp"
#include "lib/error.hpp"

#include <cstddef>
#include <cstring>
#include <span>
#include <string>

namespace kvproof::gpu {

/// The group of one thread: a kernel body as plain, fast code.
class SerialGroup {
public:
    /// `memory` is what shared() gives out; it is filled with 0xFF (NaN, the largest integer), so that a body
    /// that reads what nobody wrote goes wrong. Aligned for every type that the body asks for.
    explicit SerialGroup(std::span<std::byte> memory = {}) : memory_(memory) {
        if (!memory.empty()) std::memset(memory.data(), 0xff, memory.size());
    }

    [[nodiscard]] static constexpr int rank() { return 0; }
    [[nodiscard]] static constexpr int size() { return 1; }
    void sync() {}
    template <class Number>
    [[nodiscard]] Number sum(Number x) {
        return x;
    }
    template <class Number>
    [[nodiscard]] Number max(Number x) {
        return x;
    }
    [[nodiscard]] std::uint32_t exclusive_sum(std::uint32_t) { return 0; }

    /// Throws Error(internal) where the memory is used up.
    template <class T>
    [[nodiscard]] T* shared(int n) {
        const std::size_t begin = (used_ + alignof(T) - 1) / alignof(T) * alignof(T);
        used_ = begin + static_cast<std::size_t>(n) * sizeof(T);
        if (used_ > memory_.size())
            throw Error(ErrorCode::internal, "shared memory: a kernel asks for " + std::to_string(used_) +
                                                 " bytes of " + std::to_string(memory_.size()));
        return reinterpret_cast<T*>(memory_.data() + begin);
    }

private:
    std::span<std::byte> memory_;
    std::size_t used_ = 0;
};

static_assert(Group<SerialGroup>);

} // namespace kvproof::gpu
