// White noise on decode steps: Theorem 1's terms by enumeration of every pattern of signs, where neither an
// expansion nor a sample has a part; softmax's change in 400 bits; the experiment against both.
#include "sim/montecarlo/capture_noise.hpp"
#include "sim/montecarlo/confidence.hpp"
#include "sim/montecarlo/task.hpp"
#include "tests/capture/files.hpp"
#include "tests/montecarlo/small_step.hpp"

#include "lib/codec/token_quantiser.hpp"

#include <boost/multiprecision/mpfr.hpp>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

using Real = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<120>>;

struct Case {
    SmallCapture capture;
    QueryRow row;
    NoiseSizes sizes;
    DecodeStep step;
    DistortionTerms terms;
    HeadOutput head;
};

/// Sizes of both kinds of noise are drawn between 2^-6 and 2^2 times `size`.
Case drawn_case(const SmallSizes& sizes, std::uint64_t seed, double size) {
    Case out{
        .capture = small_capture(sizes, seed), .row = {}, .sizes = {}, .step = {}, .terms = {}, .head = {}};
    const QueryRows rows(out.capture, nullptr);
    std::mt19937_64 next(seed + 1);
    out.row = rows.row(next() % rows.count());
    std::uniform_real_distribution<double> exponent(-6, 2);
    const auto fill = [&](std::vector<double>& to, int count, double factor) {
        for (int i = 0; i < count; ++i) to.push_back(factor * std::exp2(exponent(next)));
    };
    fill(out.sizes.key_token, sizes.tokens, 1);
    fill(out.sizes.key_channel, sizes.dim, size);
    fill(out.sizes.value_token, sizes.tokens, 1);
    fill(out.sizes.value_channel, sizes.dim, size);
    rows.step(out.row, out.step);
    out.head = rows.head(out.row);
    out.terms = distortion_terms(out.step, out.head, out.sizes);
    return out;
}

/// alpha_i of a pattern of signs.
std::vector<double> shifts(const Case& at, std::uint64_t signs) {
    const std::vector<double> noise = pattern(at.sizes.key_token, at.sizes.key_channel, at.row.tokens, signs);
    std::vector<double> out(at.row.tokens);
    for (std::size_t i = 0; i < out.size(); ++i)
        for (std::size_t c = 0; c < at.step.dim; ++c) out[i] += at.step.query[c] * noise[i * at.step.dim + c];
    return out;
}

/// Of all patterns of the keys: the mean, and the largest of the two parts over what bounds them. `down`: the
/// sign of the second half, -1; 1 is a mutant.
struct Mean {
    double total = 0;
    double key = 0;
    double least_value = 0;
    double greatest_value = 0;
};

Mean mean_of_samples(const Case& at, double down = -1) {
    Mean out;
    const std::uint64_t patterns = std::uint64_t{1} << (at.row.tokens * at.step.dim);
    const double square = at.terms.reach * at.terms.reach;
    WeightChange plus;
    WeightChange minus;
    for (std::uint64_t signs = 0; signs < patterns; ++signs) {
        const std::vector<double> alpha = shifts(at, signs);
        weight_change(at.step, alpha, 1, plus);
        weight_change(at.step, alpha, down, minus);
        const RemainderSample sample = remainder_sample(at.step, at.sizes, at.terms, plus, minus);
        out.total += sample.total() / static_cast<double>(patterns);
        out.key = std::max(out.key, std::fabs(sample.key) / (square * square * at.terms.farthest));
        out.least_value = std::min(out.least_value, sample.value / (square * at.terms.omega));
        out.greatest_value = std::max(out.greatest_value, sample.value / (square * at.terms.omega));
    }
    return out;
}

// some hundred roundings of doubles on our side; the enumeration's are 2^-11 of those
double rounding(const Enumerated& exact) {
    return static_cast<double>(1e-12L * exact.distortion);
}

SmallSizes some_sizes() {
    SmallSizes out;
    out.dim = *rc::gen::inRange(1, 4);
    out.tokens = out.dim == 1 ? *rc::gen::inRange(2, 6) : 2;
    out.queries = 1; // sees all tokens
    out.model = static_cast<std::size_t>(*rc::gen::inRange(1, 5));
    return out;
}

RC_GTEST_PROP(Theorem1, terms_and_samples_are_those_of_the_enumeration, (std::uint16_t seed)) {
    const double size = std::exp2(*rc::gen::inRange(-3, 2));
    const Case at = drawn_case(some_sizes(), seed, size);
    const Enumerated exact = enumerate(at.capture, at.row, at.sizes);
    RC_ASSERT(std::fabs(at.terms.key - exact.key) <= 1e-12L * exact.key + 1e-14 * at.terms.farthest);
    RC_ASSERT(std::fabs(at.terms.value - exact.value) <= 1e-12L * exact.value);
    const Mean mean = mean_of_samples(at);
    RC_ASSERT(std::fabs(mean.total - exact.remainder()) <= rounding(exact));
    RC_ASSERT(std::fabs(exact.remainder()) <= at.terms.bound + rounding(exact));
    RC_ASSERT(at.terms.bound <= at.terms.printed);
    const double allowed = remainder_allowance(at.row.tokens, at.step.dim);
    RC_ASSERT(mean.key <= 11.0 / 12 + allowed);
    RC_ASSERT(mean.least_value >= -0.5 - allowed);
    RC_ASSERT(mean.greatest_value <= 1 + allowed);
}

TEST(Theorem1, wrong_samples_are_seen) {
    int seen = 0;
    int too_small = 0; // a third of the bound would be broken: it has some edge
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const Case at = drawn_case({.dim = 1, .tokens = 2, .queries = 1}, seed, 0.5);
        const Enumerated exact = enumerate(at.capture, at.row, at.sizes);
        if (std::fabs(mean_of_samples(at, 1).total - exact.remainder()) > rounding(exact)) ++seen;
        if (std::fabs(exact.remainder()) > at.terms.bound / 20) ++too_small;
    }
    EXPECT_GT(seen, 35);
    EXPECT_GT(too_small, 0);
}

TEST(Theorem1, two_equal_tokens_have_the_remainder_of_the_closed_form) {
    // aatc.thm1.remainder.attained: |R| = (A^2 - tanh(A)^2)/2 D_o of key noise A, and R = omega tanh(A)^2/4
    // of values 0
    for (const double a : {0x1p-18, 0.01, 0.5, 3.0}) {
        Case at{.capture =
                    small_capture({.query_heads = 1, .dim = 1, .tokens = 2, .queries = 1, .model = 1}, 1),
                .row = {},
                .sizes = {},
                .step = {},
                .terms = {},
                .head = {}};
        at.capture.tokens.q = {1};
        at.capture.tokens.k = {0, 0};
        at.capture.wo.values = {1};
        for (const bool values : {false, true}) {
            at.capture.tokens.v = {values ? 0.0 : 1.0, 0.0};
            at.sizes = {{1, 1}, {a}, {1, 1}, {values ? 0.25 : 0.0}, 1};
            const QueryRows rows(at.capture, nullptr);
            at.row = rows.row(0);
            rows.step(at.row, at.step);
            at.terms = distortion_terms(at.step, rows.head(at.row), at.sizes);
            const Real t = tanh(Real(a));
            const Real exact = values ? Real(t * t / 64) : Real((t * t - Real(a) * a) / 8);
            const double off = static_cast<double>(abs(Real(mean_of_samples(at).total) / exact - 1));
            EXPECT_LT(off, 1e-9) << a << " " << values; // and not 1e-16/A^2, as differences of squares are
        }
    }
}

/// delta a_i less its first order, by definition; `order` 1, or 0: a mutant.
std::vector<Real> rest_by_definition(const DecodeStep& step, const std::vector<double>& alpha, double sign,
                                     int order = 1) {
    const std::size_t n = alpha.size();
    Real total = 0;
    Real mean = 0;
    Real moved = 0;
    for (const double a : step.weights) total += a;
    for (std::size_t i = 0; i < n; ++i) {
        mean += step.weights[i] / total * Real(alpha[i]);
        moved += step.weights[i] / total * exp(Real(sign * alpha[i]));
    }
    std::vector<Real> out;
    for (std::size_t i = 0; i < n; ++i) {
        const Real a = step.weights[i] / total;
        out.push_back(a * exp(Real(sign * alpha[i])) / moved - a - order * a * sign * (alpha[i] - mean));
    }
    return out;
}

struct Off {
    double sum = 0;
    double allowed = 0;
};

Off off_from_definition(std::uint64_t seed, int tokens, double size, int order = 1) {
    const SmallCapture capture =
        small_capture({.query_heads = 1, .dim = 2, .tokens = tokens, .queries = 1, .model = 2}, seed);
    const QueryRows rows(capture, nullptr);
    DecodeStep step;
    rows.step(rows.row(0), step);
    std::mt19937_64 next(seed);
    std::uniform_real_distribution<double> within(-size, size);
    std::vector<double> alpha;
    for (int i = 0; i < tokens; ++i) alpha.push_back(within(next));
    Off out;
    WeightChange change;
    for (const double sign : {1.0, -1.0}) {
        weight_change(step, alpha, sign, change);
        const std::vector<Real> exact = rest_by_definition(step, alpha, sign, order);
        Real off = 0;
        for (std::size_t i = 0; i < exact.size(); ++i) off += abs(exact[i] - change.rest[i]);
        out.sum = std::max(out.sum, static_cast<double>(off));
    }
    const double most = size <= 0.5 ? 4 * size * size : 1;
    out.allowed = 8 * (tokens + 32) * 0x1p-53 * most;
    return out;
}

RC_GTEST_PROP(WeightChange, is_what_the_definition_gives_in_400_bits, (std::uint16_t seed)) {
    const int tokens = *rc::gen::inRange(1, 60);
    for (const double size : {1e-6, 0.01, 0.4}) {
        const Off off = off_from_definition(seed, tokens, size);
        RC_ASSERT(off.sum <= off.allowed);
    }
    // the first order itself is rounded where it is large
    for (const double size : {2.0, 30.0}) {
        const Off off = off_from_definition(seed, tokens, size);
        RC_ASSERT(off.sum <= off.allowed * (1 + 2 * size));
    }
}

TEST(WeightChange, a_wrong_definition_is_seen) {
    for (const double size : {1e-6, 0.01, 0.4, 2.0}) {
        const Off off = off_from_definition(7, 20, size, 0);
        EXPECT_GT(off.sum, off.allowed * (1 + 2 * size)) << size;
    }
}

RC_GTEST_PROP(DrawnNoise, entries_are_their_words, (std::uint64_t trial, bool signs)) {
    const RandomPlace place{5, trial, 1001, 2};
    const auto rows = static_cast<std::size_t>(*rc::gen::inRange(1, 20));
    const auto columns = static_cast<std::size_t>(*rc::gen::inRange(1, 40));
    const DrawnNoise noise(signs ? NoiseLaw::signs : NoiseLaw::uniform, place, rows, columns);
    const std::size_t words = signs ? (rows * columns + 31) / 32 : rows * columns;
    const std::size_t blocks = (words + 3) / 4;
    std::vector<double> out(columns);
    for (std::size_t r = 0; r < rows; ++r) {
        std::vector<double> weights(rows);
        weights[r] = 1;
        noise.over_rows(weights, out);
        for (std::size_t c = 0; c < columns; ++c) {
            const std::size_t entry = r * columns + c;
            const std::size_t word = signs ? entry / 32 : entry;
            const std::uint32_t bits =
                random_block(place, static_cast<std::uint32_t>(word % blocks))[word / blocks];
            const double expected =
                signs ? ((bits >> (entry % 32) & 1U) != 0 ? -1.0 : 1.0)
                      : (2.0 * bits + 1 - 0x1p32) * 0x1p-32 * std::sqrt(3.0); // odd multiples of 2^-32
            RC_ASSERT(out[c] == expected);
        }
    }
}

TEST(DrawnNoise, has_mean_0_and_variance_1) {
    for (const NoiseLaw law : {NoiseLaw::signs, NoiseLaw::uniform}) {
        constexpr std::size_t count = 1 << 16;
        const DrawnNoise noise(law, {1, 2, 1002, 0}, 1, count);
        std::vector<double> out(count);
        noise.over_rows(std::vector<double>{1}, out);
        double sum = 0;
        double squares = 0;
        for (const double x : out) {
            sum += x;
            squares += x * x;
            EXPECT_LE(std::fabs(x), kappa_of(law));
        }
        EXPECT_LT(std::fabs(sum / count), 5.0 / 256);
        EXPECT_LT(std::fabs(squares / count - 1), 5.0 / 256); // the variance of x^2 is below 1
    }
}

TEST(NoiseSizes, are_those_of_the_quantiser) {
    const SmallCapture capture = small_capture({.kv_heads = 2, .tokens = 7}, 3);
    const QueryRows rows(capture, nullptr);
    const std::vector<NoiseSizes> sizes = noise_sizes(rows, {.bits = 3, .keys = 2, .values = 1});
    ASSERT_EQ(sizes.size(), 2U);
    for (int g = 0; g < 2; ++g) {
        const NoiseSizes& own = sizes[static_cast<std::size_t>(g)];
        for (int t = 0; t < 7; ++t) {
            const auto key = capture.tokens.key(g, t);
            for (std::size_t c = 0; c < 2; ++c) {
                // sigma sqrt(12) = Delta, whose cells reach over every entry
                const double step =
                    own.key_token[static_cast<std::size_t>(t)] * own.key_channel[c] / 2 * std::sqrt(12.0);
                EXPECT_GE(step * 4, std::fabs(key[c]) * (1 - 0x1p-48));
                const TokenQuantiser code{step * 4, 3, TokenCode::repaired};
                EXPECT_LE(std::fabs(code.quantised(key[c]) - key[c]), step / 2 * (1 + 0x1p-40));
            }
        }
    }
    const std::vector<NoiseSizes> equal = noise_sizes(rows, {.quantiser = false, .keys = 0.5, .values = 2});
    EXPECT_EQ(equal[1].key_token[6] * equal[1].key_channel[1], 0.5);
    EXPECT_EQ(equal[0].value_token[0] * equal[0].value_channel[0], 2);
    EXPECT_EQ(equal[0].kappa, std::sqrt(3.0));
}

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

std::size_t metric_at(const Task& task, const std::string& name) {
    for (std::size_t m = 0; m < task.experiment.metrics.size(); ++m)
        if (task.experiment.metrics[m].name == name) return m;
    ADD_FAILURE() << name;
    return 0;
}

Estimate estimate_of(const Task& task, const Sums& sums, const std::string& name) {
    const std::size_t m = metric_at(task, name);
    return estimate(task.experiment.metrics[m], sums.metrics[m]);
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
            EXPECT_LE(*of_bound.lower, *of_bound.mean);
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
