// What the certified Lloyd tree costs, by depth and by precision, and how fast its binary32 table encodes.
#include "lib/codec/lloyd_tree.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace {

using namespace kvproof;

// ---- the certified tree -----------------------------------------------------

/// Sets the counter to the CPU seconds per split.
void count_splits(benchmark::State& state, int depth) {
    if (depth == 0) return;
    const double splits = std::exp2(depth) - 1;
    state.counters["splits"] = splits;
    state.counters["s_per_split"] = benchmark::Counter(splits, benchmark::Counter::kIsIterationInvariantRate |
                                                                   benchmark::Counter::kInvert);
}

/// 2^W - 1 splits, half of which are mirror images: time grows as 2^W, and a little faster, as the working
/// precision grows with the depth.
void lloyd_tree_by_depth(benchmark::State& state) {
    const auto depth = static_cast<int>(state.range(0));
    for (auto _ : state) benchmark::DoNotOptimize(lloyd_tree(depth, 128));
    count_splits(state, depth);
    state.SetComplexityN(std::int64_t{1} << depth);
}

void lloyd_tree_by_bits(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(lloyd_tree(8, state.range(0)));
    count_splits(state, 8);
}

BENCHMARK(lloyd_tree_by_depth)->ArgName("depth")->DenseRange(0, deepest_tree)->Complexity(benchmark::oN);
BENCHMARK(lloyd_tree_by_bits)->ArgName("bits")->RangeMultiplier(2)->Range(64, 2048);

// ---- encoding -----------------------------------------------------------------

const Codebook<float>& table() {
    static const Codebook<float> deep = float32_codebook(deepest_tree);
    return deep;
}

/// The first levels of the table, with the depth as argument.
Codebook<float> table_of(const benchmark::State& state) {
    const auto depth = static_cast<std::ptrdiff_t>(state.range(0));
    return {{table().boundaries.begin(), table().boundaries.begin() + depth + 1},
            {table().centroids.begin(), table().centroids.begin() + depth + 1}};
}

const std::vector<float>& normals() {
    static const std::vector<float> values = [] {
        std::mt19937 bits(1);
        std::normal_distribution<float> normal;
        std::vector<float> out(8192);
        std::ranges::generate(out, [&] { return normal(bits); });
        return out;
    }();
    return values;
}

/// Runs one encoder over all floats; items are floats.
template <class Encoder>
void encode_all(benchmark::State& state, const Encoder& encoder) {
    const std::vector<float>& input = normals();
    std::vector<std::uint32_t> codes(input.size());
    for (auto _ : state) {
        std::ranges::transform(input, codes.begin(), encoder);
        benchmark::DoNotOptimize(codes.data());
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(input.size()));
}

void encode_by_tree(benchmark::State& state) {
    const Codebook<float> codebook = table_of(state);
    encode_all(state, [&](float z) { return encode(codebook, z); });
}

/// The nearest centroid, by binary search among the midpoints of neighbours. From depth 3 on these are other
/// codes.
void encode_by_lower_bound(benchmark::State& state) {
    const std::vector<float> centroids = table_of(state).centroids.back();
    std::vector<float> midpoints;
    for (std::size_t i = 1; i < centroids.size(); ++i)
        midpoints.push_back((centroids[i - 1] + centroids[i]) / 2);
    encode_all(state, [&](float z) {
        return static_cast<std::uint32_t>(std::ranges::lower_bound(midpoints, z) - midpoints.begin());
    });
}

/// The nearest centroid, by looking at all of them.
void encode_by_linear_search(benchmark::State& state) {
    const std::vector<float> centroids = table_of(state).centroids.back();
    encode_all(state, [&](float z) {
        std::uint32_t best = 0;
        for (std::uint32_t i = 1; i < centroids.size(); ++i)
            if (std::abs(z - centroids[i]) < std::abs(z - centroids[best])) best = i;
        return best;
    });
}

BENCHMARK(encode_by_tree)->ArgName("depth")->Arg(2)->Arg(4)->Arg(8)->Arg(12);
BENCHMARK(encode_by_lower_bound)->ArgName("depth")->Arg(2)->Arg(4)->Arg(8)->Arg(12);
BENCHMARK(encode_by_linear_search)->ArgName("depth")->Arg(2)->Arg(4)->Arg(8)->Arg(12);

} // namespace

BENCHMARK_MAIN();
