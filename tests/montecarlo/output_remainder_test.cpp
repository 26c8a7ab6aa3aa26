// Theorem 1's terms and samples by enumeration of every pattern of signs, where neither an expansion nor a
// sample has a part.
#include "tests/montecarlo/small_step.hpp"

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

} // namespace
