// Kappa by n items and T tokens: the Gram matrix, the enclosure of its largest eigenvalue, both together,
// against Eigen's SelfAdjointEigenSolver (all eigenvalues, nothing proved) on the same matrix.
#include "lib/attention/gram.hpp"
#include "lib/attention/kappa.hpp"
#include "lib/portable/lanes.hpp"

#include <benchmark/benchmark.h>

#include <Eigen/Eigenvalues>

#include <cstdint>
#include <vector>

namespace {

using namespace kvproof;

/// Residuals with some correlation between neighbouring channels. No distribution is promised: shapes matter.
std::vector<double> residuals(std::size_t tokens, std::size_t channels) {
    std::vector<double> e(tokens * channels);
    std::uint64_t state = 1;
    for (std::size_t i = 0; i < e.size(); ++i) {
        double sum = 0;
        for (int k = 0; k < 4; ++k) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            sum += static_cast<double>(state >> 11U) * 0x1p-53 - 0.5;
        }
        e[i] = sum + (i % channels > 0 ? 0.3 * e[i - 1] : 0);
    }
    return e;
}

struct Case {
    std::size_t channels;
    std::size_t tokens;
    std::vector<double> entries;
    explicit Case(const benchmark::State& state)
        : channels(static_cast<std::size_t>(state.range(0))),
          tokens(static_cast<std::size_t>(state.range(1))), entries(residuals(tokens, channels)) {}
    [[nodiscard]] MatrixView view() const { return {entries, tokens, channels}; }
};

void gram(benchmark::State& state) {
    const Case c(state);
    const auto instructions = static_cast<Instructions>(state.range(2));
    for (auto unused : state) benchmark::DoNotOptimize(column_gram(c.view(), {{}, 0, instructions}));
    const double flops = static_cast<double>(c.tokens * c.channels) * static_cast<double>(c.channels + 1);
    state.counters["GFLOP"] = benchmark::Counter(flops * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void enclosure(benchmark::State& state) {
    const Case c(state);
    const SymmetricMatrix matrix = column_gram(c.view()).matrix();
    EigenvalueBounds bounds;
    for (auto unused : state) benchmark::DoNotOptimize(bounds = largest_eigenvalue(matrix));
    state.counters["width"] = bounds.upper / bounds.lower - 1;
}

void kappa_columns(benchmark::State& state) {
    const Case c(state);
    EigenvalueBounds bounds;
    for (auto unused : state) benchmark::DoNotOptimize(bounds = kappa_of_columns(c.view()));
    state.counters["width"] = bounds.upper / bounds.lower - 1;
}

void kappa_rows(benchmark::State& state) {
    const Case c(state);
    EigenvalueBounds bounds;
    for (auto unused : state) benchmark::DoNotOptimize(bounds = kappa_of_rows(c.view()));
    state.counters["width"] = bounds.upper / bounds.lower - 1;
}

void eigen_solver(benchmark::State& state) {
    const Case c(state);
    const Gram g = column_gram(c.view());
    const auto n = static_cast<Eigen::Index>(g.size);
    const Eigen::MatrixXd matrix = Eigen::Map<const Eigen::MatrixXd>(g.entries.data(), n, n);
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(n);
    for (auto unused : state) {
        solver.compute(matrix, Eigen::EigenvaluesOnly);
        benchmark::DoNotOptimize(solver.eigenvalues().data());
    }
}

/// What the Gram could reach at most: the tile on rows in the first cache.
struct MultiplyAdd {
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline void run(const double* left, const double* right, double* block) {
        outer_products<lanes, false>(left, right, 128, block);
    }
};

void tile_in_cache(benchmark::State& state) {
    const std::vector<double> panel(128 * strip, 1e-3);
    double block[strip * strip] = {};
    const auto instructions = static_cast<Instructions>(state.range(0));
    for (auto unused : state) {
        run_kernel<MultiplyAdd>(instructions, panel.data(), panel.data(), static_cast<double*>(block));
        benchmark::ClobberMemory();
    }
    state.counters["GFLOP"] =
        benchmark::Counter(128 * 64 * 2 * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

/// Independent fused operations in registers: the peak.
struct Registers {
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline void run(double* values) {
        typename Lanes<lanes>::Vector sums[12];
        const typename Lanes<lanes>::Vector step = Lanes<lanes>::at(values);
        for (int i = 0; i < 12; ++i) sums[i] = step + i;
        for (int k = 0; k < 1000; ++k)
#pragma GCC unroll 12
            for (auto& sum : sums) add_fused<Lanes<lanes>>(sum, 0.999, step);
        for (const auto& sum : sums) Lanes<lanes>::at(values) += sum;
    }
};

void peak(benchmark::State& state) {
    double values[strip] = {};
    const auto instructions = static_cast<Instructions>(state.range(0));
    const double lanes = instructions == Instructions::baseline ? 2
                         : instructions == Instructions::avx2   ? 4
                                                                : 8;
    for (auto unused : state) {
        run_kernel<Registers>(instructions, static_cast<double*>(values));
        benchmark::ClobberMemory();
    }
    state.counters["GFLOP"] =
        benchmark::Counter(24e3 * lanes * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void shapes(benchmark::internal::Benchmark* b) {
    b->ArgNames({"n", "T"})->ArgsProduct({{8, 64, 128}, {512, 1024}})->Unit(benchmark::kMicrosecond);
}

} // namespace

BENCHMARK(gram)
    ->ArgNames({"n", "T", "instructions"})
    ->ArgsProduct({{8, 64, 128}, {512, 1024}, {0, static_cast<long>(best_instructions())}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(enclosure)->Apply(shapes);
BENCHMARK(kappa_columns)->Apply(shapes);
BENCHMARK(kappa_rows)->Apply(shapes);
BENCHMARK(eigen_solver)->Apply(shapes);
BENCHMARK(peak)->ArgName("instructions")->DenseRange(0, static_cast<int>(best_instructions()));
BENCHMARK(tile_in_cache)->ArgName("instructions")->DenseRange(0, static_cast<int>(best_instructions()));

BENCHMARK_MAIN();
