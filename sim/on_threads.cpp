#include "sim/on_threads.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

namespace kvproof {

Executor on_threads(unsigned threads) {
    if (threads <= 1) return run_in_order;
    return [threads](std::size_t count, const std::function<void(std::size_t)>& task) {
        const oneapi::tbb::global_control allowed(oneapi::tbb::global_control::max_allowed_parallelism,
                                                  threads);
        oneapi::tbb::task_arena arena(static_cast<int>(threads));
        arena.execute([&] {
            oneapi::tbb::parallel_for(std::size_t{0}, count, task, oneapi::tbb::simple_partitioner());
        });
    };
}

} // namespace kvproof
