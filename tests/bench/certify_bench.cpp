// Observations (layer, head, query) certified a second, by kvproof and by certify_rival.py in a child
// process, and what of each side's time goes into matrix products and eigenvalues. CPU times of one core.
//
// The captures lie in KVPROOF_CAPTURES (a folder), or in tests/data/captures.
#include "lib/attention/certificate.hpp"
#include "lib/attention/kappa.hpp"
#include "lib/attention/path_bound.hpp"
#include "lib/capture/capture.hpp"
#include "lib/reader/measure.hpp"
#include "lib/reader/prefix_reader.hpp"

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace kvproof;

constexpr const char* python = "/usr/bin/python3"; // the one that Debian's python3-numpy belongs to
constexpr const char* reader_name = "readkv:8,4";

std::filesystem::path captures() {
    if (const char* folder = std::getenv("KVPROOF_CAPTURES")) return folder;
    return std::filesystem::path(__FILE__).parent_path().parent_path() / "data" / "captures";
}

/// A capture with its calibration, and every how many of its query rows are certified.
struct Case {
    std::string name;
    int every = 1;
    [[nodiscard]] std::string path(const char* part) const {
        return (captures() / (name + "_" + part + ".safetensors")).string();
    }
    [[nodiscard]] bool there() const {
        return std::filesystem::exists(path("test")) && std::filesystem::exists(path("calib"));
    }
};

const Case& case_of(std::int64_t which) {
    static const std::array<Case, 3> cases = {Case{"stories260K", 16}, Case{"byte64", 8}, Case{"byte128", 4}};
    return cases[static_cast<std::size_t>(which)];
}

double cpu_seconds(clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

const NestedCode& code() {
    static const NestedCode table = gaussian_code(8);
    return table;
}

/// All that is read before the clock starts.
struct Work {
    std::vector<CaptureLayer> tested;
    std::vector<CaptureLayer> calibration;
    QueryRows rows;
    ReaderSettings settings;
    std::unique_ptr<Reader> reader;

    explicit Work(const Case& c)
        : settings{Transform::identity(1), Transform::identity(1), code(), ValueScale::unit, Pool::layer} {
        const Capture test(c.path("test"));
        const Capture calib(c.path("calib"));
        const CaptureShape& shape = test.shape();
        for (int l = 0; l < shape.layers; ++l) {
            tested.push_back(test.layer(l));
            calibration.push_back(calib.layer(l));
        }
        for (int row = 0; row < shape.queries; row += c.every) rows.push_back(row);
        const auto d = static_cast<std::size_t>(shape.dim);
        settings.keys = Transform::hadamard(d, 0, 0);
        settings.values = Transform::hadamard(d, 0, 1);
        reader = make_reader(reader_name, shape.layers);
    }
    [[nodiscard]] LayerInput input(std::size_t l) const {
        return {tested[l], &calibration[l], static_cast<int>(l)};
    }
    [[nodiscard]] std::size_t certify(const Executor& executor) const {
        std::size_t observations = 0;
        for (std::size_t l = 0; l < tested.size(); ++l)
            observations += measure(*reader, input(l), settings, rows, true, {}, executor, [] {}).rows.size();
        return observations;
    }
};

Executor on_threads(unsigned threads) {
    if (threads <= 1) return run_in_order;
    return [threads](std::size_t count, const std::function<void(std::size_t)>& task) {
        std::vector<std::jthread> pool;
        for (unsigned t = 0; t < threads; ++t)
            pool.emplace_back([&, t] {
                for (std::size_t i = t; i < count; i += threads) task(i);
            });
    };
}

void kvproof_certify(benchmark::State& state) {
    const Case& c = case_of(state.range(0));
    if (!c.there()) return state.SkipWithError("skipped: no captures");
    const Work work(c);
    const Executor executor = on_threads(static_cast<unsigned>(state.range(1)));
    std::size_t observations = 0;
    for (auto _ : state) observations += work.certify(executor);
    state.SetLabel(c.name);
    state.counters["observations"] =
        benchmark::Counter(static_cast<double>(observations), benchmark::Counter::kIsRate);
}

BENCHMARK(kvproof_certify)
    ->ArgNames({"capture", "threads"})
    ->ArgsProduct({{0, 1, 2}, {1, 2}})
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
