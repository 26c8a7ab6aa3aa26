#include "gpu/group/fiber_group.hpp"
#include "gpu/montecarlo/remainder.hpp"
#include "gpu/montecarlo/remainder_batch.hpp"

namespace kvproof::gpu {

namespace {

constexpr int threads = 32;

} // namespace

std::size_t remainder_scratch(const RemainderTrials& trials) {
    return std::size_t{threads} * trials.tokens;
}

void launch_remainder(const RemainderBatch& batch) {
    run_fibers({.width = threads}, 1, [&](FiberGroup& g, int) {
        remainder_trials(g, batch.trials, batch.first, batch.count, batch.weights, batch.sums, batch.tops);
    });
}

} // namespace kvproof::gpu
