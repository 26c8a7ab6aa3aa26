// The experiment white-noise against what the enumeration of all signs gives.
#include "tests/capture/files.hpp"
#include "tests/montecarlo/estimates.hpp"
#include "tests/montecarlo/small_step.hpp"

#include <map>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

/// The capture as a file, which is what the experiment reads.
CaptureInputs as_file(const Folder& folder, const SmallCapture& capture) {
    const auto numbers = [](const std::vector<double>& values) {
        return bytes_of(std::vector<float>(values.begin(), values.end()));
    };
    const auto side = [](int x) { return static_cast<std::uint64_t>(x); };
    const CaptureShape& shape = capture.shape();
    const std::string bytes = safetensors_of(
        {{"layers.0.q",
          "F32",
          {side(shape.query_heads), side(shape.queries), side(shape.dim)},
          numbers(capture.tokens.q)},
         {"layers.0.k",
          "F32",
          {side(shape.kv_heads), side(shape.tokens), side(shape.dim)},
          numbers(capture.tokens.k)},
         {"layers.0.v",
          "F32",
          {side(shape.kv_heads), side(shape.tokens), side(shape.dim)},
          numbers(capture.tokens.v)},
         {"layers.0.wo", "F32", {capture.wo.shape[0], capture.wo.shape[1]}, numbers(capture.wo.values)}});
    return {std::make_shared<const Capture>(folder.write("small.safetensors", bytes)), nullptr};
}

/// Intervals that hold `value`, and whether the mean is within twice their half-width.
struct Cover {
    int tried = 0;
    int held = 0;

    void add(const Estimate& interval, double value) {
        ++tried;
        held += *interval.lower <= value && value <= *interval.upper ? 1 : 0;
        const double half = (*interval.upper - *interval.lower) / 2;
        EXPECT_LE(std::fabs(*interval.mean - value), 2 * half);
    }
};

TEST(WhiteNoise, intervals_hold_what_the_enumeration_gives) {
    Cover cover;
    Cover doubled; // of a wrong value: twice the remainder
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        const Folder folder;
        const SmallCapture capture = small_capture({}, seed);
        const CaptureInputs files = as_file(folder, capture);
        const QueryRows rows(capture, nullptr);
        for (const std::size_t index : {std::size_t{1}, std::size_t{3}}) { // both heads, three tokens
            const Task task = make_task(
                "white-noise",
                {"noise=signs", "sizes=equal", "keys=0.75", "values=0.25", "row=" + std::to_string(index)},
                seed, files);
            const NoiseSizes sizes{{1, 1, 1}, {0.75, 0.75}, {1, 1, 1}, {0.25, 0.25}, 1};
            const Enumerated exact = enumerate(capture, rows.row(index), sizes);
            const auto predicted = static_cast<double>(exact.key + exact.value);
            const Sums sums = run_range(task, 0, 1 << 13);
            cover.add(estimate_of(task, sums, "ratio"), static_cast<double>(exact.distortion) / predicted);
            const double relative = exact.remainder() / predicted;
            cover.add(estimate_of(task, sums, "remainder"), relative);
            cover.add(estimate_of(task, sums, "remainder_square"), relative * relative);
            const Estimate of_bound = estimate_of(task, sums, "of_bound");
            const double exact_of_bound = relative / reference(task, "bound");
            EXPECT_LE(*of_bound.lower, exact_of_bound);
            EXPECT_GE(*of_bound.upper, exact_of_bound);
            const Estimate remainder = estimate_of(task, sums, "remainder");
            doubled.tried += 1;
            doubled.held += *remainder.lower <= 2 * relative && 2 * relative <= *remainder.upper ? 1 : 0;
            EXPECT_EQ(*estimate_of(task, sums, "violations").mean, 0);
            EXPECT_EQ(*estimate_of(task, sums, "cut").mean, 0);
        }
    }
    EXPECT_EQ(cover.tried, 24);
    EXPECT_GE(cover.held, 20); // fewer than 20 of 24 have odds of 1 in 200
    EXPECT_LE(doubled.held, doubled.tried / 2);
}

TEST(WhiteNoise, drawn_rows_are_uniform_and_trials_stand_alone) {
    const Folder folder;
    const CaptureInputs files = as_file(folder, small_capture({}, 9));
    const Task task = make_task("white-noise", {"bits=3"}, 4, files);
    const Sums whole = run_range(task, 100, 40);
    Sums parts;
    for (std::uint64_t begin = 0; begin < 40; begin += 7)
        parts += run_range(task, 100 + begin, std::min<std::uint64_t>(7, 40 - begin));
    EXPECT_EQ(parts, whole);
    SampleTable samples(task.experiment.metrics.size(), 4096);
    task.experiment.run({4, 0, 4096}, samples);
    std::map<double, int> rows; // by A_0
    for (const double reach : samples.of(metric_at(task, "A_0"))) ++rows[reach];
    EXPECT_EQ(rows.size(), 4U);
    for (const auto& [reach, count] : rows) EXPECT_LT(std::abs(count - 1024), 5 * 28);
}

TEST(WhiteNoise, refuses_what_it_cannot_do) {
    const Folder folder;
    const CaptureInputs files = as_file(folder, small_capture({}, 9));
    const auto line_of = [&](const std::vector<std::string>& settings, const CaptureInputs& from) {
        try {
            static_cast<void>(make_task("white-noise", settings, 0, from));
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    EXPECT_EQ(line_of({}, {}), "--capture: found none, expected a file, which white-noise needs");
    EXPECT_EQ(line_of({"row=4"}, files), "--set: row: found 4, expected a row of the capture, below 4");
    EXPECT_EQ(line_of({"keys=0", "values=0"}, files),
              "--set: keys, values: found 0 and 0, expected noise in one of them");
    const std::filesystem::path bare =
        std::filesystem::path(KVPROOF_SOURCE_DIR) / "tests/data/captures/byte64_test.safetensors";
    EXPECT_NE(
        line_of({}, {std::make_shared<const Capture>(bare), nullptr}).find("\"layers.0.wo\": found none"),
        std::string::npos);
}

} // namespace
