#pragma once

#include "sim/montecarlo/experiment.hpp"
#include "sim/montecarlo/remainder_kernel.hpp"

#include <functional>
#include <span>

namespace kvproof {

/// Draws the trials first, first + 1, ...: the bits of remainder_strip. From any thread.
using RemainderDraw = std::function<void(const RemainderSetting& setting, std::uint64_t first,
                                         std::span<double> sums, std::span<double> tops)>;

/// What the parameters say; the seed is the run's.
[[nodiscard]] RemainderSetting remainder_setting(const ExperimentInputs& inputs);

/// The experiment `remainder` with its trials drawn elsewhere: on a device. The same samples.
[[nodiscard]] Experiment remainder_drawn_by(const ExperimentInputs& inputs, const RemainderDraw& draw);

} // namespace kvproof
