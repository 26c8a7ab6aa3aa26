// The engine: sums are exact and additive, samples depend on their trial alone, the task's hash on all that
// decides them and on nothing else.
#include "lib/error.hpp"
#include "lib/random/philox.hpp"
#include "sim/montecarlo/task.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <set>

using namespace kvproof;

namespace {

const Metric metric{.name = "m", .kind = MetricKind::bounded, .lower = -3, .upper = 4, .meaning = ""};

TEST(Sums, the_grid_holds_the_range_with_48_bits) {
    EXPECT_EQ(metric.grid(), 2 - 48);
    EXPECT_EQ((Metric{"", MetricKind::bounded, 0, 4.5, ""}.grid()), 3 - 48);
    EXPECT_EQ((Metric{"", MetricKind::bounded, 0, 1.0 / 3, ""}.grid()), -1 - 48);
    EXPECT_EQ((Metric{"", MetricKind::proportion, 0, 1, ""}.grid()), 0);
}

RC_GTEST_PROP(Sums, are_exact_and_additive, (const std::vector<std::int32_t>& numbers, std::size_t cut)) {
    std::vector<double> samples;
    MetricSums expected;
    for (const std::int32_t number : numbers) {
        // multiples of the grid within the range
        const std::int64_t n = static_cast<std::int64_t>(number) * 100003;
        samples.push_back(std::ldexp(static_cast<double>(n), metric.grid()));
        expected.least = expected.samples == 0 ? n : std::min(expected.least, n);
        expected.greatest = expected.samples == 0 ? n : std::max(expected.greatest, n);
        ++expected.samples;
        expected.sum += n;
        expected.squares += Integer(n) * n;
    }
    MetricSums all;
    add_samples(all, metric, samples, 0);
    RC_ASSERT(all == expected);
    cut = samples.empty() ? 0 : cut % samples.size();
    MetricSums first;
    MetricSums second;
    add_samples(first, metric, std::span(samples).first(cut), 0);
    add_samples(second, metric, std::span(samples).subspan(cut), 0);
    MetricSums swapped = second;
    swapped += first;
    first += second;
    RC_ASSERT(first == all);
    RC_ASSERT(swapped == all);
}

TEST(Sums, what_leaves_the_range_is_named) {
    MetricSums sums;
    try {
        add_samples(sums, metric, std::vector<double>{1, 2, 4.0000001}, 40);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::internal);
        EXPECT_EQ(std::string(error.what()), "trial 42: found m = 4.000000, expected -3.000000 to 4.000000");
    }
    add_samples(sums, metric, std::vector<double>{std::nan(""), 4, -3}, 0);
    EXPECT_EQ(sums.samples, 2U);
}

TEST(Sums, extremes_do_not_overflow) {
    const std::vector<double> samples(1 << 16, 4.0);
    MetricSums sums;
    for (int i = 0; i < 4; ++i) add_samples(sums, metric, samples, 0);
    EXPECT_EQ(sums.squares, (Integer(1) << 18) * (Integer(1) << 96));
}

/// The experiments that draw all they need, small enough for many runs.
std::vector<Task> small_tasks(std::uint64_t seed) {
    std::vector<Task> out;
    out.push_back(make_task("remainder", {"tokens=5"}, seed, {}));
    out.push_back(make_task("remainder", {"tokens=130", "noise=uniform", "size=1"}, seed, {}));
    out.push_back(make_task("key-separation", {"d=8", "k=2"}, seed, {}));
    out.push_back(make_task("attention-separation", {"m=2"}, seed, {}));
    return out;
}

TEST(Trials, depend_on_their_number_alone) {
    for (const Task& task : small_tasks(5)) {
        constexpr std::uint64_t count = 45;
        const Sums whole = run_range(task, 1000, count);
        for (const std::uint64_t step : {1, 2, 3, 7, 8, 9, 44}) {
            Sums parts;
            for (std::uint64_t begin = 0; begin < count; begin += step)
                parts += run_range(task, 1000 + begin, std::min(step, count - begin));
            EXPECT_EQ(parts, whole) << task.row->name << ", " << step << " at a time";
        }
        EXPECT_NE(run_range(task, 1001, count), whole) << task.row->name;
    }
}

TEST(Trials, depend_on_the_seed) {
    const std::vector<Task> one = small_tasks(1);
    const std::vector<Task> two = small_tasks(std::uint64_t{1} << 40U);
    for (std::size_t i = 0; i < one.size(); ++i)
        EXPECT_NE(run_range(one[i], 0, 16), run_range(two[i], 0, 16)) << one[i].row->name;
}

TEST(Trials, a_block_is_its_range_and_the_last_is_cut) {
    const Task task = make_task("attention-separation", {"m=1"}, 0, {});
    const std::uint64_t length = task.experiment.block;
    EXPECT_EQ(task.blocks(length), 1U);
    EXPECT_EQ(task.blocks(length + 1), 2U);
    EXPECT_EQ(run_block(task, 1, length + 3), run_range(task, length, 3));
    EXPECT_EQ(run_block(task, 1, 3 * length), run_range(task, length, length));
}

TEST(Tasks, the_hash_is_of_all_that_decides_a_sample) {
    std::set<std::string> hashes;
    const auto add = [&](const Task& task) { return hashes.insert(task.hash).second; };
    EXPECT_TRUE(add(make_task("remainder", {}, 0, {})));
    EXPECT_TRUE(add(make_task("remainder", {}, 1, {})));
    EXPECT_TRUE(add(make_task("remainder", {"tokens=63"}, 0, {})));
    EXPECT_TRUE(add(make_task("remainder", {"noise=uniform"}, 0, {})));
    EXPECT_TRUE(add(make_task("key-separation", {}, 0, {})));
    EXPECT_FALSE(add(make_task("remainder", {"tokens=64", "size=0.25"}, 0, {}))); // the presets
    EXPECT_FALSE(add(make_task("remainder", {"size=25e-2"}, 0, {})));             // the same number
    Task newer = make_task("remainder", {}, 0, {});
    ExperimentRow row = *newer.row;
    ++row.version;
    const std::string before = task_text(newer, {});
    newer.row = &row;
    EXPECT_NE(task_text(newer, {}), before);
}

TEST(Tasks, bad_settings_are_named) {
    const auto line_of = [](const std::string& experiment, const std::vector<std::string>& settings) {
        try {
            static_cast<void>(make_task(experiment, settings, 0, {}));
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_option);
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    EXPECT_EQ(line_of("remains", {}).substr(0, 52), "EXPERIMENT: found \"remains\", expected one of remaind");
    EXPECT_EQ(line_of("remainder", {"tokens"}), "--set: found \"tokens\", expected NAME=VALUE");
    EXPECT_EQ(line_of("remainder", {"tokens=1"}),
              "--set: tokens: found \"1\", expected a whole number from 2 to 4096");
    EXPECT_EQ(line_of("remainder", {"tokens=2.5"}),
              "--set: tokens: found \"2.5\", expected a whole number from 2 to 4096");
    EXPECT_EQ(line_of("remainder", {"size=nan"}),
              "--set: size: found \"nan\", expected a number from 1e-100 to 1");
    EXPECT_EQ(line_of("remainder", {"noise=loud"}),
              "--set: noise: found \"loud\", expected one of signs uniform");
    EXPECT_EQ(line_of("remainder", {"T=3"}),
              "--set: found \"T\", expected a parameter of remainder: tokens spread size noise");
    EXPECT_EQ(line_of("key-separation", {"d=8", "k=9"}), "--set: k: found more than d, expected k <= d");
    EXPECT_EQ(line_of("key-separation", {"d=8", "k=3"}),
              "--set: L: found L k > r, expected L <= r/k (Theorem 1)");
}

TEST(Rows, names_and_parameters_are_unique_and_described) {
    std::set<std::string> names;
    for (const ExperimentRow& row : experiments()) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_FALSE(row.summary.empty());
        EXPECT_NO_THROW(static_cast<void>(parameter_values(row, {})))
            << row.name; // presets are allowed values
        std::set<std::string> parameters;
        for (const Parameter& parameter : row.parameters) {
            EXPECT_TRUE(parameters.insert(parameter.name).second) << parameter.name;
            EXPECT_FALSE(parameter.meaning.empty());
        }
    }
}

} // namespace
