#pragma once
// Launches of several blocks by each executor: launch(blocks, body), body(group, block).

#include "tests/gpu/executors.hpp"

#include <cstddef>
#include <vector>

namespace kvproof::test {

/// What a block of the bodies under test may use of shared memory.
inline constexpr std::size_t launch_shared_bytes = std::size_t{100} * 1024;

inline auto serial_launch() {
    return [](int blocks, const auto& body) {
        std::vector<std::uint64_t> memory(launch_shared_bytes / 8);
        for (int block = 0; block < blocks; ++block) {
            gpu::SerialGroup group(std::as_writable_bytes(std::span(memory)));
            body(group, block);
        }
    };
}

inline auto fiber_launch(gpu::FiberOptions options) {
    options.shared_bytes = launch_shared_bytes;
    return [options](int blocks, const auto& body) { gpu::run_fibers(options, blocks, body); };
}

} // namespace kvproof::test
