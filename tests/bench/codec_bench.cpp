// The codec's bulk operations beside memcpy. Rates are of doubles in (encode) or of payload bytes, t bits a
// code, (planes); `codes` is the same per code.
#include "lib/codec/bit_planes.hpp"
#include "lib/codec/bulk_encoder.hpp"
#include "lib/codec/lloyd_tree.hpp"
#include "lib/codec/transform.hpp"

#include <benchmark/benchmark.h>
#include <cstring>
#include <random>

using namespace kvproof;

namespace {

constexpr std::size_t count = 65536;

const std::vector<double>& normals() {
    static const std::vector<double> values = [] {
        std::mt19937_64 bits(1);
        std::normal_distribution<double> normal;
        std::vector<double> out(count);
        for (double& x : out) x = normal(bits);
        return out;
    }();
    return values;
}

const Codebook<float>& codebook() {
    static const Codebook<float> table = float32_codebook(8);
    return table;
}

const std::vector<std::uint8_t>& codes() {
    static const std::vector<std::uint8_t> values = [] {
        std::vector<std::uint8_t> out(count);
        BulkEncoder(codebook()).encode(normals(), out);
        return out;
    }();
    return values;
}

/// Decimal gigabytes a second, and codes a second.
void report(benchmark::State& state, double bytes) {
    const auto turns = static_cast<double>(state.iterations());
    state.counters["GB/s"] = benchmark::Counter(turns * bytes * 1e-9, benchmark::Counter::kIsRate);
    state.counters["codes"] =
        benchmark::Counter(turns * static_cast<double>(count), benchmark::Counter::kIsRate);
}

/// 8 bytes in, 8 bytes out for each number.
void memcpy_doubles(benchmark::State& state) {
    std::vector<double> out(count);
    for (auto _ : state) {
        std::memcpy(out.data(), normals().data(), count * sizeof(double));
        benchmark::ClobberMemory();
    }
    report(state, count * sizeof(double));
}

/// 1 byte in, 1 byte out for each code.
void memcpy_codes(benchmark::State& state) {
    std::vector<std::uint8_t> out(count);
    for (auto _ : state) {
        std::memcpy(out.data(), codes().data(), count);
        benchmark::ClobberMemory();
    }
    report(state, count);
}

void encode_by_tree_walk(benchmark::State& state) {
    const std::vector<float> z(normals().begin(), normals().end());
    std::vector<std::uint8_t> out(count);
    for (auto _ : state) {
        for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::uint8_t>(encode(codebook(), z[i]));
        benchmark::ClobberMemory();
    }
    report(state, count * sizeof(double));
}

/// Without the division by sigma.
void encode_standardised(benchmark::State& state) {
    const BulkEncoder encoder(codebook());
    std::vector<std::uint8_t> out(count);
    for (auto _ : state) {
        encoder.encode(normals(), out);
        benchmark::ClobberMemory();
    }
    report(state, count * sizeof(double));
}

void encode_channel(benchmark::State& state) {
    const BulkEncoder encoder(codebook());
    std::vector<std::uint8_t> out(count);
    for (auto _ : state) {
        encoder.encode_channel(normals(), 0.01, 1.02, out);
        benchmark::ClobberMemory();
    }
    report(state, count * sizeof(double));
}

void hadamard_128(benchmark::State& state) {
    const Transform transform = Transform::hadamard(128, 0, 0);
    std::vector<double> x = normals();
    for (auto _ : state) {
        transform.apply_rows(x);
        benchmark::ClobberMemory();
    }
    report(state, count * sizeof(double));
}

void pack_planes(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(BitPlanes::pack(codes(), 8));
    report(state, count);
}

void read_planes(benchmark::State& state) {
    const BitPlanes planes = BitPlanes::pack(codes(), 8);
    std::vector<std::uint8_t> out(count);
    std::uint64_t bits = 0;
    for (auto _ : state) {
        bits = planes.read_prefix(static_cast<int>(state.range(0)), count, out);
        benchmark::ClobberMemory();
    }
    report(state, static_cast<double>(bits) / 8);
}

BENCHMARK(memcpy_doubles);
BENCHMARK(memcpy_codes);
BENCHMARK(encode_by_tree_walk);
BENCHMARK(encode_standardised);
BENCHMARK(encode_channel);
BENCHMARK(hadamard_128);
BENCHMARK(pack_planes);
BENCHMARK(read_planes)->ArgName("t")->Arg(1)->Arg(2)->Arg(4)->Arg(8);

} // namespace

BENCHMARK_MAIN();
