// kvproof montecarlo's experiments, one thread. Beside them tests/bench/montecarlo_rival.py does the
// remainder in numpy.
#include "sim/montecarlo/task.hpp"

#include <benchmark/benchmark.h>

namespace {

void remainder_trials(benchmark::State& state) {
    const auto tokens = static_cast<std::uint64_t>(state.range(0));
    const kvproof::Task task = kvproof::make_task("remainder", {"tokens=" + std::to_string(tokens)}, 0, {});
    constexpr std::uint64_t trials = 4096;
    std::uint64_t first = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(kvproof::run_range(task, first, trials));
        first += trials;
    }
    state.counters["tokens"] =
        benchmark::Counter(static_cast<double>(state.iterations()) * trials * static_cast<double>(tokens),
                           benchmark::Counter::kIsRate);
    state.counters["trials"] =
        benchmark::Counter(static_cast<double>(state.iterations()) * trials, benchmark::Counter::kIsRate);
}
BENCHMARK(remainder_trials)->Arg(2)->Arg(64)->Arg(1024);

void separation_trials(benchmark::State& state, const char* name) {
    const kvproof::Task task = kvproof::make_task(name, {}, 0, {});
    constexpr std::uint64_t trials = 64;
    std::uint64_t first = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(kvproof::run_range(task, first, trials));
        first += trials;
    }
    state.counters["trials"] =
        benchmark::Counter(static_cast<double>(state.iterations()) * trials, benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(separation_trials, keys, "key-separation");
BENCHMARK_CAPTURE(separation_trials, attention, "attention-separation");

} // namespace

BENCHMARK_MAIN();
