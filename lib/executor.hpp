#pragma once

#include <cstddef>
#include <functional>

namespace kvproof {

/// Runs task(0), ..., task(count - 1), in any order and on any threads, and returns when all are done;
/// rethrows what a task threw. Tasks write to places of their own, so results do not depend on who runs them.
using Executor = std::function<void(std::size_t count, const std::function<void(std::size_t)>& task)>;

/// One after the other, here.
inline void run_in_order(std::size_t count, const std::function<void(std::size_t)>& task) {
    for (std::size_t i = 0; i < count; ++i) task(i);
}

} // namespace kvproof
