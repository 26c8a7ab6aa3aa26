#pragma once

#include "lib/executor.hpp"

namespace kvproof {

/// Runs tasks on so many threads, the calling one among them.
[[nodiscard]] Executor on_threads(unsigned threads);

} // namespace kvproof
