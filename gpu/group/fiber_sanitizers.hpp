#pragma once
// What the sanitizers are told of fibers; for fiber_scheduler.cpp alone. Where there is none, nothing.

#include <cstddef>
#include <cstdint>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef KVPROOF_FIBERS_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace kvproof::gpu {

/// Marks memory that no kernel may touch, and takes the mark away.
inline void forbidden([[maybe_unused]] const void* at, [[maybe_unused]] std::size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
    __asan_poison_memory_region(at, bytes);
#endif
}
inline void accessible([[maybe_unused]] const void* at, [[maybe_unused]] std::size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
    __asan_unpoison_memory_region(at, bytes);
#endif
}

/// A fiber, or the thread that runs them, as the sanitizers know it. Under ThreadSanitizer one thread of the
/// process may run launches.
class SanitizerFiber {
public:
    void is_current() {
#ifdef KVPROOF_FIBERS_TSAN
        thread_ = __tsan_get_current_fiber();
#endif
    }
    /// A fiber on a stack. `number` tells those apart that run at one time, which is all of a launch.
    void create([[maybe_unused]] void* stack, [[maybe_unused]] std::size_t bytes,
                [[maybe_unused]] std::size_t number) {
#ifdef __SANITIZE_ADDRESS__
        stack_ = stack;
        stack_bytes_ = bytes;
#endif
#ifdef KVPROOF_FIBERS_TSAN
        // Making one takes a millisecond, so they are kept from launch to launch: end and begin lie between
        // two uses. There may be some thousands; beyond, distant blocks share theirs.
        struct Known {
            void* thread;
        };
        static std::vector<Known> known;
        number %= most_threads;
        while (known.size() <= number) known.push_back({__tsan_create_fiber(0)});
        thread_ = known[number].thread;
#endif
    }

    /// Before this one gives way to `next`. Giving way orders nothing.
    void leave_for([[maybe_unused]] const SanitizerFiber& next) {
#ifdef __SANITIZE_ADDRESS__
        __sanitizer_start_switch_fiber(&fake_stack_, next.stack_, next.stack_bytes_);
#endif
#ifdef KVPROOF_FIBERS_TSAN
        __tsan_switch_to_fiber(next.thread_, __tsan_switch_to_fiber_no_sync);
#endif
    }
    void leave_for_good([[maybe_unused]] const SanitizerFiber& next) {
#ifdef __SANITIZE_ADDRESS__
        __sanitizer_start_switch_fiber(nullptr, next.stack_, next.stack_bytes_);
#endif
#ifdef KVPROOF_FIBERS_TSAN
        __tsan_switch_to_fiber(next.thread_, __tsan_switch_to_fiber_no_sync);
#endif
    }
    /// First thing after having been given way to.
    void arrived() {
#ifdef __SANITIZE_ADDRESS__
        __sanitizer_finish_switch_fiber(fake_stack_, nullptr, nullptr);
#endif
    }
    /// The same at a fiber's beginning: now the stack of the thread that began it is known.
    static void arrived_first([[maybe_unused]] SanitizerFiber& from) {
#ifdef __SANITIZE_ADDRESS__
        __sanitizer_finish_switch_fiber(nullptr, &from.stack_, &from.stack_bytes_);
#endif
    }

private:
    static constexpr std::size_t most_threads = 4096;
#ifdef __SANITIZE_ADDRESS__
    const void* stack_ = nullptr;
    std::size_t stack_bytes_ = 0;
    void* fake_stack_ = nullptr;
#endif
#ifdef KVPROOF_FIBERS_TSAN
    void* thread_ = nullptr;
#endif
};

/// What ThreadSanitizer takes for ordered: the caller's past before every thread, every thread before the
/// caller's future, and across sync() the threads of a block. The token of a barrier is released by each
/// thread that comes and acquired by each that goes on; two take turns, for a thread may come to the next
/// barrier before another has gone on from this one. Every block has two of its own, and so have begin and
/// end: on one token, what ends would come before what begins later, and every race would vanish.
class LaunchOrder {
public:
    void begin(int blocks) { barriers_.assign(static_cast<std::size_t>(blocks), {}); }
    /// Once the block's memory is there. The caller has acquired nothing from earlier blocks.
    void block_begins() { release(begin_); }
    void end() { acquire(end_); }
    void thread_begins() { acquire(begin_); }
    void thread_ends() { release(end_); }
    void thread_comes(int block, unsigned round) { release(barrier(block, round)); }
    void thread_goes_on(int block, unsigned round) { acquire(barrier(block, round)); }

private:
    struct Token {
        std::uint64_t address = 0; // only where it lies matters
    };
    struct Pair {
        Token token[2];
    };

    [[nodiscard]] Token& barrier(int block, unsigned round) {
        return barriers_[static_cast<std::size_t>(block)].token[round % 2];
    }
    static void release([[maybe_unused]] Token& token) {
#ifdef KVPROOF_FIBERS_TSAN
        __tsan_release(&token);
#endif
    }
    static void acquire([[maybe_unused]] Token& token) {
#ifdef KVPROOF_FIBERS_TSAN
        __tsan_acquire(&token);
#endif
    }

    Token begin_;
    Token end_;
    std::vector<Pair> barriers_;
};

} // namespace kvproof::gpu
