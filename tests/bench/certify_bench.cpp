// Observations (layer, head, query) certified a second, by kvproof and by certify_rival.py in a child
// process, and what of each side's time goes into matrix products and eigenvalues. CPU times of one core.
//
// The captures lie in KVPROOF_CAPTURES (a folder), or in tests/data/captures.
#include "lib/attention/certificate.hpp"
#include "lib/attention/kappa.hpp"
#include "lib/attention/output_error.hpp"
#include "lib/attention/spread.hpp"
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
#include <unistd.h>
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

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
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

/// CPU seconds of the Gram matrices, eigenvalues and weighted sums of all observations, each timed where it
/// is called with what the certifier calls it with.
double products_of(const Work& work) {
    double seconds = 0;
    const auto timed = [&](const auto& call) {
        const double begun = cpu_seconds();
        benchmark::DoNotOptimize(call());
        seconds += cpu_seconds() - begun;
    };
    for (std::size_t l = 0; l < work.tested.size(); ++l) {
        const CaptureLayer& layer = work.tested[l];
        const CaptureShape& shape = layer.shape;
        const auto d = static_cast<std::size_t>(shape.dim);
        const auto stored = work.reader->encode(work.input(l), work.settings);
        const TwoStageReader& reader = dynamic_cast<const PrefixLayer&>(*stored).reader();
        const ExactLayer exact(layer, work.settings.keys, work.settings.values);
        std::vector<ValueSpread> spreads;
        for (int g = 0; g < shape.kv_heads; ++g) spreads.emplace_back(exact, g, Centre::mean);
        TwoStageCall call;
        KeyResiduals keys;
        ValueResiduals values;
        for (const int row : work.rows) {
            const std::vector<double> queries = layer.queries_at(row);
            reader.run(queries, shape.position(row) + 1, call);
            const auto tokens = static_cast<std::size_t>(call.tokens);
            const std::vector<double> returned = reader.outputs(call);
            for (int h = 0; h < shape.query_heads; ++h) {
                const auto g = static_cast<std::size_t>(shape.kv_head_of(h));
                if (h % (shape.query_heads / shape.kv_heads) == 0) {
                    key_residuals(exact, call, g, keys);
                    value_residuals(exact, call, g, values);
                    timed([&] {
                        return kappa_of_columns(MatrixView(keys.residuals, d, tokens).transposed(),
                                                keys.radii);
                    });
                    timed(
                        [&] { return kappa_of_rows(MatrixView(values.residuals, tokens, d), values.radii); });
                    timed([&] { return spreads[g].up_to(call.tokens); });
                }
                const auto at = static_cast<std::size_t>(h) * d;
                const HeadView view(exact, call, values, static_cast<std::size_t>(h),
                                    std::span(queries).subspan(at, d));
                OutputError error;
                timed([&] {
                    error = output_error(view, std::span(returned).subspan(at, d), exact.value_error);
                    return error.error_sq;
                });
                const RowNorms lengths = row_norms_up(view.value(0), error.centre.data(), tokens, d);
                const std::span all(view.value(0), tokens * d);
                // under (alpha + alpha^)/2, which costs what alpha does
                timed([&] { return spread_up(all, d, view.exact, lengths.squares, error.centre); });
                timed([&] { return spread_up(values.residuals, d, view.reader, values.squares); });
            }
        }
    }
    return seconds;
}

/// What the script says of itself.
struct Script {
    double seconds = 0;
    double products = 0;
    std::size_t observations = 0;
    std::string blas;
};

/// Nothing where it does not run.
std::optional<Script> run_script(const Case& c, const std::filesystem::path& folder) {
    const std::string script = std::filesystem::path(__FILE__).replace_filename("certify_rival.py").string();
    const std::string times = (folder / "times.json").string();
    const std::string command = std::string("OPENBLAS_NUM_THREADS=1 ") + python + " -B '" + script + "' '" +
                                c.path("test") + "' '" + (folder / "table.json").string() +
                                "' --calibration '" + c.path("calib") + "' --every " +
                                std::to_string(c.every) + " >/dev/null 2>'" + times + "'";
    if (std::system(command.c_str()) != 0) return {};
    std::ifstream file(times);
    const auto json = nlohmann::json::parse(file);
    Script out{json["seconds"], json["products"], json["observations"], "reference"};
    for (const std::string library : json["blas"])
        if (library.find("openblas") != std::string::npos) out.blas = "OpenBLAS";
    return out;
}

/// The table as `kvproof table lloyd --format json` has it, as far as the script reads it.
void write_table(const std::filesystem::path& path) {
    nlohmann::json levels;
    for (std::size_t t = 0; t < code().codebook.boundaries.size(); ++t)
        levels.push_back({{"distortion", code().distortion[t]},
                          {"gain", t > 0 ? nlohmann::json(code().gain[t - 1]) : nlohmann::json(nullptr)},
                          {"boundaries", code().codebook.boundaries[t]},
                          {"centroids", code().codebook.centroids[t]}});
    std::ofstream(path) << nlohmann::json{{"levels", levels}};
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

/// Both in turns, so that both see the same machine; medians.
void numpy_over_kvproof(benchmark::State& state) {
    constexpr int turns = 5;
    const Case& c = case_of(state.range(0));
    if (!c.there()) return state.SkipWithError("skipped: no captures");
    const Work work(c);
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("certify_bench." + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    write_table(folder / "table.json");
    std::vector<double> ours, our_products, theirs, their_products, ratio, ratio_of_rest;
    std::string blas;
    double observations = 0;
    for (auto _ : state)
        for (int turn = 0; turn < turns; ++turn) {
            const double begun = cpu_seconds();
            observations = static_cast<double>(work.certify(run_in_order));
            ours.push_back(cpu_seconds() - begun);
            our_products.push_back(products_of(work));
            const auto script = run_script(c, folder);
            if (!script) return state.SkipWithError("skipped: certify_rival.py needs python3-numpy");
            theirs.push_back(script->seconds);
            their_products.push_back(script->products);
            ratio.push_back(theirs.back() / ours.back());
            ratio_of_rest.push_back((theirs.back() - their_products.back()) /
                                    (ours.back() - our_products.back()));
            blas = script->blas;
        }
    std::filesystem::remove_all(folder);
    state.SetLabel(c.name + ", BLAS: " + blas);
    state.counters["kvproof_per_s"] = observations / median(ours);
    state.counters["numpy_per_s"] = observations / median(theirs);
    state.counters["numpy_over_kvproof"] = median(ratio);
    state.counters["kvproof_products"] = median(our_products) / median(ours);
    state.counters["numpy_products"] = median(their_products) / median(theirs);
    state.counters["products_ratio"] = median(their_products) / median(our_products);
    state.counters["rest_ratio"] = median(ratio_of_rest);
}

BENCHMARK(kvproof_certify)
    ->ArgNames({"capture", "threads"})
    ->ArgsProduct({{0, 1, 2}, {1, 2}})
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

BENCHMARK(numpy_over_kvproof)
    ->ArgName("capture")
    ->DenseRange(0, 2)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
