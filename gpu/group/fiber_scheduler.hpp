#pragma once

#include "lib/error.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace kvproof::gpu {

/// In which order the threads of a block take their turns between two barriers: by rank, by falling rank, or
/// shuffled anew each time.
enum class Schedule { forward, reverse, random };

/// A block of threads on the processor.
struct FiberOptions {
    int width = 1; ///< threads of a block, 1 to 1024
    Schedule schedule = Schedule::forward;
    std::uint64_t seed = 0; ///< of the shuffled schedule
    std::size_t shared_bytes =
        std::size_t{48} * 1024; ///< what a block may ask for; the least that every device has
};

/// Thrown where the threads of a block do not all meet at the same barrier or collective, ask for different
/// shared memory, or where some leave the kernel and others wait.
class Divergence : public Error {
public:
    explicit Divergence(std::string line) : Error(ErrorCode::internal, std::move(line)) {}
};

/// Runs the blocks of a launch, one after the other, each as fibers that switch at barriers and collectives
/// only. FiberGroup is what a kernel body sees of it.
///
/// Built with KVPROOF_FIBERS_TSAN it tells ThreadSanitizer of every switch and of what sync() orders, and of
/// nothing else: collectives, taking turns, and different blocks order nothing, so each missing barrier is a
/// data race. Its own file is then compiled without the sanitizer: what it does is not the kernel's.
class FiberScheduler {
public:
    enum class Meeting {
        sync,
        sum_uint32,
        sum_uint64,
        sum_float,
        sum_double,
        max_uint32,
        max_float,
        max_double,
        exclusive_sum
    };
    using Task = void (*)(void* context, FiberScheduler& scheduler, int rank, int block);

    /// Throws Error(internal) for a width out of range.
    explicit FiberScheduler(const FiberOptions& options);
    ~FiberScheduler();
    FiberScheduler(const FiberScheduler&) = delete;
    FiberScheduler& operator=(const FiberScheduler&) = delete;

    /// task(context, *this, rank, block) for each thread of each block. Rethrows the first exception of a
    /// task, after the block's other threads were unwound; throws Divergence.
    void run(int blocks, Task task, void* context);

    [[nodiscard]] int width() const;

    // For tasks:

    /// Waits until all threads meet here. Returns the thread's part of the result, as bits.
    std::uint64_t meet(int rank, Meeting meeting, std::uint64_t bits);
    /// The thread's next piece of shared memory.
    [[nodiscard]] void* shared(int rank, std::size_t bytes, std::size_t alignment);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace kvproof::gpu
