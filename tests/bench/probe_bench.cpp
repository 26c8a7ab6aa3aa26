// Deterministic minimax risks on 8 sources: the exhaustive search and the solver beside brute force over all
// 2^(8 w) encoders.
#include "sim/probe/deterministic.hpp"
#include "sim/probe/minimax.hpp"
#include "tests/probe/brute_force.hpp"

#include <benchmark/benchmark.h>

using namespace kvproof;

namespace {

constexpr AccessClass branching{true, AccessClass::unlimited};
constexpr int probes = 1;

const Family& family() {
    static const Family cube = make_family("hypercube:3");
    return cube;
}

int bits_of(const benchmark::State& state) {
    return static_cast<int>(state.range(0));
}

/// The risk, which is the same each way, and how many encoders there are.
void report(benchmark::State& state, const Rational& risk) {
    state.SetLabel("risk " + to_string(risk));
    state.counters["encoders"] =
        static_cast<double>(std::uint64_t{1} << static_cast<unsigned>(family().sources * bits_of(state)));
}

void brute_force(benchmark::State& state) {
    Rational risk;
    for (auto _ : state) risk = testing_support::BruteForce(family()).risk(branching, bits_of(state), probes);
    report(state, risk);
}
BENCHMARK(brute_force)->Arg(2)->Unit(benchmark::kMillisecond);
BENCHMARK(brute_force)->Arg(3)->Iterations(1)->Unit(benchmark::kSecond);

void exhaustive_search(benchmark::State& state) {
    Rational risk;
    for (auto _ : state) risk = exhaustive_risk(family(), branching, bits_of(state), probes)->risk;
    report(state, risk);
}
BENCHMARK(exhaustive_search)->Arg(2)->Arg(3)->Unit(benchmark::kMillisecond);

void solver(benchmark::State& state) {
    Rational risk;
    for (auto _ : state)
        risk = deterministic_risk(family(), branching, bits_of(state), probes, {.engine = RiskEngine::sat})
                   .upper;
    report(state, risk);
}
BENCHMARK(solver)->Arg(2)->Arg(3)->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
