#pragma once

#include "sim/montecarlo/experiment.hpp"
#include "sim/montecarlo/sums.hpp"

namespace kvproof {

/// All that decides what a trial yields, and nothing else: not how many trials are run, nor where.
struct Task {
    const ExperimentRow* row = nullptr;
    std::vector<std::string> values; ///< of the parameters
    std::uint64_t seed = 0;
    Experiment experiment;
    std::string hash; ///< sha256 of task_text

    /// Blocks that `trials` trials touch; the last may be cut.
    [[nodiscard]] std::uint64_t blocks(std::uint64_t trials) const;
};

/// Throws Error(bad_option) where the experiment has no use for what it is given, or misses something.
[[nodiscard]] Task make_task(std::string_view experiment, const std::vector<std::string>& settings,
                             std::uint64_t seed, const CaptureInputs& files);

/// What is hashed, a line for each: the experiment, its version, the seed, the block's length, each
/// parameter, each metric with its range, and the sha256 of the files it reads.
[[nodiscard]] std::string task_text(const Task& task, const CaptureInputs& files);

/// The trials of one block that are below `trials`.
[[nodiscard]] Sums run_block(const Task& task, std::uint64_t block, std::uint64_t trials);

/// The same for any range of trials: what run_block is made of.
[[nodiscard]] Sums run_range(const Task& task, std::uint64_t first, std::uint64_t count);

} // namespace kvproof
