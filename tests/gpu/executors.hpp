#pragma once
// Every way in which a kernel body is run here: each must give what the body promises.

#include "gpu/group/fiber_group.hpp"
#include "gpu/group/serial_group.hpp"

#include <ostream>
#include <string>
#include <vector>

namespace kvproof::gpu {

inline std::ostream& operator<<(std::ostream& out, const FiberOptions& options) {
    const char* const names[] = {"forward", "reverse", "random"};
    return out << options.width << " fibers, " << names[static_cast<int>(options.schedule)];
}

} // namespace kvproof::gpu

namespace kvproof::test {

/// All schedules at one width.
inline std::vector<gpu::FiberOptions> blocks_of(int width, std::uint64_t seed = 1) {
    using gpu::Schedule;
    std::vector<gpu::FiberOptions> out;
    for (const Schedule schedule : {Schedule::forward, Schedule::reverse, Schedule::random})
        out.push_back({.width = width, .schedule = schedule, .seed = seed});
    return out;
}

/// A thread alone, odd widths, a part of a warp, a warp, and several.
inline constexpr int every_width[] = {1, 7, 8, 32, 96, 128};

inline std::vector<gpu::FiberOptions> every_block(std::uint64_t seed = 1) {
    std::vector<gpu::FiberOptions> out;
    for (const int width : every_width)
        for (const gpu::FiberOptions& options : blocks_of(width, seed)) out.push_back(options);
    return out;
}

/// body(SerialGroup&) with so much shared memory.
template <class Body>
void run_serial(std::size_t shared_bytes, const Body& body) {
    std::vector<std::uint64_t> memory(shared_bytes / 8 + 1);
    gpu::SerialGroup group(std::as_writable_bytes(std::span(memory)).first(shared_bytes));
    body(group);
}

/// body(FiberGroup&) as one block.
template <class Body>
void run_block(const gpu::FiberOptions& options, const Body& body) {
    gpu::run_fibers(options, 1, [&](gpu::FiberGroup& group, int) { body(group); });
}

} // namespace kvproof::test
