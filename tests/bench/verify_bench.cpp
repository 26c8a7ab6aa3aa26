// The whole default verification, and the same numbers by mpmath_rival.py in a child process. Times are CPU
// times, which other work on the machine disturbs least; the child's are its own (wait4), without the start
// of Python and of mpmath.
#include "proofs/registry.hpp"
#include "proofs/verify.hpp"

#include <benchmark/benchmark.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

extern char** environ;

namespace {

using namespace kvproof;

constexpr const char* python = "/usr/bin/python3"; // the one that Debian's python3-mpmath belongs to
constexpr int rounds = 5;

double seconds_of(const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// CPU seconds of the script, with an option or ""; nothing where it does not run (no Python, no mpmath).
std::optional<double> run_rival(std::string option) {
    std::string program = python;
    std::string script = std::filesystem::path(__FILE__).replace_filename("mpmath_rival.py").string();
    const std::array<char*, 4> arguments = {program.data(), script.data(),
                                            option.empty() ? nullptr : option.data(), nullptr};
    posix_spawn_file_actions_t quiet{};
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int failed = posix_spawn(&child, python, &quiet, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&quiet);
    if (failed != 0) return {};
    int status = 0;
    rusage usage{};
    if (wait4(child, &status, 0, &usage) != child || status != 0) return {};
    return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

/// CPU seconds of this process.
double cpu_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Whether the script computes what the row needs: not for identities, nor for enumerations but one, nor for
/// allocation (Propositions 8 to 10, appendix A), where everything is rational.
bool has_rival(const Claim& claim) {
    if (claim.id == "readkv.eq4.quantisers") return true;
    if (claim.id.starts_with("readkv.prop") || claim.id.starts_with("readkv.a")) return false;
    return claim.rule == "lloyd" || claim.rule == "codebook" || claim.rule == "const" ||
           claim.rule == "cover";
}

struct Times {
    double all = 0;
    double with_rival = 0;     ///< of the rows that has_rival names
    std::size_t differing = 0; ///< verdicts that differ from the record
};

/// Decides every row, from nothing.
Times verify_everything() {
    const CertifiedQuantities quantities;
    const Effort effort;
    std::vector<Result> results;
    Times out;
    for (const Claim& claim : registry()) {
        const double begun = cpu_seconds();
        results.push_back(verify_claim(claim, {quantities, effort}));
        const double seconds = cpu_seconds() - begun;
        out.all += seconds;
        if (has_rival(claim)) out.with_rival += seconds;
    }
    out.differing = summarise(results).differing;
    return out;
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

constexpr const char* wrong = "verdicts differ from the registry";
constexpr const char* skipped = "skipped: mpmath_rival.py needs /usr/bin/python3 and python3-mpmath";

void kvproof_verification(benchmark::State& state) {
    for (auto _ : state)
        if (verify_everything().differing != 0) return state.SkipWithError(wrong);
    state.counters["claims"] = static_cast<double>(registry().size());
}

void mpmath_script(benchmark::State& state) {
    for (auto _ : state) {
        const auto seconds = run_rival("");
        if (!seconds) return state.SkipWithError(skipped);
        state.SetIterationTime(*seconds);
    }
}

/// Both in turns, so that both see the same machine; medians.
void mpmath_over_kvproof(benchmark::State& state) {
    std::vector<double> ours;
    std::vector<double> ours_with_rival;
    std::vector<double> start;
    std::vector<double> script;
    for (auto _ : state) {
        for (int round = 0; round < rounds; ++round) {
            const Times times = verify_everything();
            if (times.differing != 0) return state.SkipWithError(wrong);
            ours.push_back(times.all);
            ours_with_rival.push_back(times.with_rival);
            const auto idle = run_rival("--help");
            const auto all = run_rival("");
            if (!idle || !all) return state.SkipWithError(skipped);
            start.push_back(*idle);
            script.push_back(*all);
        }
        state.SetIterationTime(median(ours));
    }
    const double mpmath = median(script) - median(start);
    state.counters["kvproof_s"] = median(ours);
    state.counters["kvproof_rows_with_rival_s"] = median(ours_with_rival);
    state.counters["mpmath_s"] = mpmath;
    state.counters["python_start_s"] = median(start);
    state.counters["mpmath_over_kvproof"] = mpmath / median(ours);
    state.counters["mpmath_over_rows_with_rival"] = mpmath / median(ours_with_rival);
}

BENCHMARK(kvproof_verification);
BENCHMARK(mpmath_script)->UseManualTime()->Iterations(1);
BENCHMARK(mpmath_over_kvproof)->UseManualTime()->Iterations(1);

} // namespace

BENCHMARK_MAIN();
