#pragma once

#include "sim/montecarlo/confidence.hpp"
#include "sim/montecarlo/task.hpp"

#include <string>

namespace kvproof::app {

/// The result of a Monte Carlo run as text, and as the JSON of docs/montecarlo.md.
[[nodiscard]] std::string montecarlo_text(const Task& task, const CaptureInputs& files, const Sums& sums);
[[nodiscard]] std::string montecarlo_json(const Task& task, const CaptureInputs& files, const Sums& sums);

} // namespace kvproof::app
