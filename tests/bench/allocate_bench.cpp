// ChooseDepths (ReadKV 3.3): the heap against the threshold and the device's kernel as one thread, per item,
// beside the time to read the weights once.
#include "gpu/allocate/choose_depths_batch.hpp"
#include "lib/allocate/choose_depths.hpp"
#include "lib/codec/lloyd_tree.hpp"

#include <benchmark/benchmark.h>
#include <cmath>
#include <random>

using namespace kvproof;

namespace {

/// The gains of the Gaussian Lloyd tree, depths 1 to 8 (ReadKV D.1), to the digits printed there.
template <class Number>
const std::vector<Number>& gains() {
    static const std::vector<Number> values = {Number(0.63661977),  Number(0.24589838),  Number(0.08264372),
                                               Number(0.02504228),  Number(0.007132736), Number(0.001955184),
                                               Number(0.000522645), Number(0.0001373219)};
    return values;
}

enum Law { chi_square, softmax_square };

/// Weights of many instances of n items, `total` in all: squared normals as of key channels, squared
/// attention as of value tokens.
template <class Number>
std::vector<Number> weights_of(Law law, std::size_t n, std::size_t total) {
    std::mt19937_64 bits(11);
    std::normal_distribution<double> normal;
    std::vector<Number> out(total);
    for (std::size_t at = 0; at < total; at += n) {
        std::vector<double> raw(n);
        double sum = 0;
        for (double& x : raw) {
            const double g = normal(bits);
            x = law == chi_square ? g * g : std::exp(2 * g);
            sum += x;
        }
        for (std::size_t i = 0; i < n; ++i)
            out[at + i] = static_cast<Number>(law == chi_square ? raw[i] : (raw[i] / sum) * (raw[i] / sum));
    }
    return out;
}

/// Enough instances for a few milliseconds of weights, so that no branch predictor learns one by heart.
constexpr std::size_t items_at_least = 65536;

template <class Number, class Choose>
void run(benchmark::State& state, const Choose& choose) {
    const auto n = static_cast<std::size_t>(state.range(0));
    const auto budget = static_cast<std::uint64_t>(state.range(0) * state.range(1));
    const std::size_t total = std::max(n, items_at_least);
    const std::vector<Number> weights = weights_of<Number>(static_cast<Law>(state.range(2)), n, total);
    std::vector<std::uint8_t> depths(n);
    AllocationWorkspace workspace;
    for (auto _ : state) {
        for (std::size_t at = 0; at < total; at += n)
            benchmark::DoNotOptimize(
                choose(std::span<const Number>(weights).subspan(at, n), budget, depths, workspace));
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(total));
    state.counters["ns_per_item"] =
        benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(total) * 1e-9,
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

template <class Number>
void heap(benchmark::State& state) {
    run<Number>(state, [](auto weights, auto budget, auto& depths, auto& workspace) {
        return choose_depths_heap(weights, std::span<const Number>(gains<Number>()), budget, depths,
                                  workspace);
    });
}

template <class Number>
void threshold(benchmark::State& state) {
    run<Number>(state, [](auto weights, auto budget, auto& depths, auto& workspace) {
        return choose_depths_threshold(weights, std::span<const Number>(gains<Number>()), budget, depths,
                                       workspace);
    });
}

/// The body of the device's kernel as one thread: what it costs where nothing hides its counting.
void kernel_body(benchmark::State& state) {
    const gpu::GainTable table = gpu::gain_table(gains<float>());
    std::vector<std::uint32_t> scratch(static_cast<std::size_t>(state.range(0)));
    run<float>(state, [&](auto weights, auto budget, auto& depths, auto&) {
        std::uint32_t spent = 0;
        gpu::choose_depths_here({.weights = weights.data(),
                                 .instances = 1,
                                 .items = static_cast<int>(weights.size()),
                                 .gains = table,
                                 .budget = static_cast<std::uint32_t>(budget),
                                 .depths = depths.data(),
                                 .spent = &spent,
                                 .scratch = scratch.data()});
        return spent;
    });
}

/// The floor: each weight is read and a byte written for it.
template <class Number>
void floor(benchmark::State& state) {
    run<Number>(state, [](auto weights, auto, auto& depths, auto&) {
        for (std::size_t i = 0; i < weights.size(); ++i)
            depths[i] = static_cast<std::uint8_t>(weights[i] > Number(1) ? 1 : 0);
        return depths[0];
    });
}

void sizes(benchmark::internal::Benchmark* b) {
    b->ArgNames({"N", "B/N", "law"})->Unit(benchmark::kMicrosecond);
    for (const int law : {chi_square, softmax_square})
        for (const int rate : {2, 4})
            for (const int n : {128, 512, 1024, 8192, 65536}) b->Args({n, rate, law});
}

BENCHMARK_TEMPLATE(heap, float)->Apply(sizes);
BENCHMARK_TEMPLATE(threshold, float)->Apply(sizes);
BENCHMARK_TEMPLATE(heap, double)->Apply(sizes);
BENCHMARK_TEMPLATE(threshold, double)->Apply(sizes);
BENCHMARK(kernel_body)->Apply(sizes);
BENCHMARK_TEMPLATE(floor, float)->ArgNames({"N", "B/N", "law"})->Args({65536, 4, 0});
BENCHMARK_TEMPLATE(floor, double)->ArgNames({"N", "B/N", "law"})->Args({65536, 4, 0});

} // namespace

BENCHMARK_MAIN();
