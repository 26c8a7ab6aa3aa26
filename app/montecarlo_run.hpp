#pragma once

#include "app/block_file.hpp"
#include "lib/executor.hpp"

#include <functional>

namespace kvproof::app {

/// How a run is shared out.
struct MonteCarloRun {
    std::uint64_t trials = 0;
    Executor execute;
    unsigned threads = 1; ///< of this rank
};

/// The sums of trials 0, ..., trials - 1. Whole blocks that `known` (of rank 0; null elsewhere) holds are
/// taken from it; the others are computed, on all ranks and threads, and added to it as they are done: with
/// one rank each by itself, with more in rounds of one block a thread, so that a run that is killed loses the
/// blocks in flight. `begin` hears how many blocks are to be done, `step` of each done one; both on rank 0
/// only. Every rank calls it, and every rank throws where one fails.
[[nodiscard]] Sums run_montecarlo(const Task& task, const MonteCarloRun& run, BlockFile* known,
                                  const std::function<void(std::uint64_t)>& begin,
                                  const std::function<void()>& step);

} // namespace kvproof::app
