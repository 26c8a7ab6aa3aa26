#pragma once

#include "gpu/group/fiber_scheduler.hpp"
#include "gpu/group/group.hpp"
#include "gpu/group/ordered_bits.hpp"

#include <type_traits>

namespace kvproof::gpu {

/// A group of any width on the processor, for tests: one thread's view of its block.
class FiberGroup {
public:
    FiberGroup(FiberScheduler& scheduler, int rank) : scheduler_(&scheduler), rank_(rank) {}

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return scheduler_->width(); }
    void sync() { static_cast<void>(scheduler_->meet(rank_, Meeting::sync, 0)); }

    [[nodiscard]] std::uint32_t sum(std::uint32_t x) { return meet(Meeting::sum_uint32, x); }
    [[nodiscard]] std::uint64_t sum(std::uint64_t x) {
        return scheduler_->meet(rank_, Meeting::sum_uint64, x);
    }
    [[nodiscard]] float sum(float x) {
        return portable::from_bits(meet(Meeting::sum_float, portable::bits_of(x)));
    }
    [[nodiscard]] double sum(double x) {
        return portable::from_bits(scheduler_->meet(rank_, Meeting::sum_double, portable::bits_of(x)));
    }
    [[nodiscard]] std::uint32_t max(std::uint32_t x) { return meet(Meeting::max_uint32, x); }
    [[nodiscard]] float max(float x) { return from_ordered_bits(meet(Meeting::max_float, ordered_bits(x))); }
    [[nodiscard]] double max(double x) {
        return from_ordered_bits(scheduler_->meet(rank_, Meeting::max_double, ordered_bits(x)));
    }
    [[nodiscard]] std::uint32_t exclusive_sum(std::uint32_t x) { return meet(Meeting::exclusive_sum, x); }

    template <class T>
    [[nodiscard]] T* shared(int n) {
        return static_cast<T*>(
            scheduler_->shared(rank_, static_cast<std::size_t>(n) * sizeof(T), alignof(T)));
    }

private:
    using Meeting = FiberScheduler::Meeting;

    std::uint32_t meet(Meeting meeting, std::uint32_t bits) {
        return static_cast<std::uint32_t>(scheduler_->meet(rank_, meeting, bits));
    }

    FiberScheduler* scheduler_;
    int rank_;
};

static_assert(Group<FiberGroup>);

/// body(FiberGroup&, int block) for every thread of every block of a launch, block 0 to blocks - 1. Throws
/// what a body throws, and Divergence.
template <class Body>
void run_fibers(const FiberOptions& options, int blocks, const Body& body) {
    FiberScheduler scheduler(options);
    scheduler.run(
        blocks,
        [](void* context, FiberScheduler& from, int rank, int block) {
            FiberGroup group(from, rank);
            (*static_cast<const Body*>(context))(group, block);
        },
        const_cast<std::remove_const_t<Body>*>(&body));
}

} // namespace kvproof::gpu
