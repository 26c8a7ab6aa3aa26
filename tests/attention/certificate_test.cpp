// Both certificates over thousands of small layers: every figure by its formula another way, and no bound
// below the true error, which is enclosed in MPFR from the stored doubles.
#include "lib/attention/certificate.hpp"

#include "tests/attention/true_error.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::test;

namespace {

int pick(int least, int most) {
    return *rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most + 1)));
}

CaseSizes any_sizes() {
    CaseSizes out;
    out.kv_heads = pick(1, 2);
    out.query_heads = out.kv_heads * pick(1, 2);
    out.dim = pick(1, 8);
    out.tokens = pick(1, 12);
    out.depth = pick(1, 8);
    out.hadamard = pick(0, 1) == 1;
    return out;
}

std::unique_ptr<DepthPolicy> any_policy(const ReaderCase& input) {
    const int depth = input.code.depth();
    if (pick(0, 3) == 0) return fixed_policy(static_cast<unsigned>(pick(0, depth)));
    return adaptive_policy({Rational(pick(0, 2 * depth), 2), Rational(pick(0, 2 * depth), 2)},
                           input.code.gain, pick(0, 1) == 1);
}

std::vector<Certified> certified(const ReaderCase& input, Answered& answered, int tokens,
                                 Centre centre = Centre::mean) {
    const ExactLayer exact(input.layer, input.keys, input.values);
    Certifier certifier(exact, answered.reader, {centre, false});
    std::vector<Certified> rows;
    certifier.certify(input.queries, answered.run(input, tokens), rows);
    return rows;
}

/// What of the certificate is not as it must be, if anything.
std::string fault_in(const Certified& row, const Interval& truth) {
    if (!covers(row.error_sq, truth)) return "error_sq is below the error";
    if (!covers(row.bound, truth)) return "bound is below the error";
    if (!covers(row.sharp_bound, truth)) return "sharp_bound is below the error";
    if (row.bound < row.error_sq || row.sharp_bound < row.error_sq) return "a bound is below error_sq";
    for (const double x :
         {row.error_sq, row.output_sq, row.logit_error_sq, row.a_k, row.a_v, row.s_k, row.s_v, row.gamma_k,
          row.gamma_v, row.kappa_k, row.kappa_v, row.centre_norm_sq, row.bound, row.sharp_bound})
        if (!(x >= 0)) return "a figure is negative or NaN";
    return {};
}

std::string fault_in(const ReaderCase& input, Answered& answered, int tokens) {
    const std::vector<Certified> rows = certified(input, answered, tokens);
    const Vector outputs = answered.reader.outputs(answered.call);
    for (std::size_t h = 0; h < rows.size(); ++h) {
        const Interval truth = true_error(input, h, static_cast<std::size_t>(tokens),
                                          std::span(outputs).subspan(h * input.dim(), input.dim()));
        const std::string fault = fault_in(rows[h], truth);
        if (!fault.empty())
            return fault + ": " + std::to_string(rows[h].error_sq) + " " + std::to_string(rows[h].bound) +
                   " " + std::to_string(rows[h].sharp_bound) + " against " +
                   std::to_string(mpfr_get_d(truth.upper(), MPFR_RNDU));
    }
    return {};
}

void expect_sound(const ReaderCase& input, Answered& answered, int tokens) {
    const std::string fault = fault_in(input, answered, tokens);
    if (!fault.empty()) RC_FAIL(fault);
}

RC_GTEST_PROP(Certificate, covers_the_true_error, ()) {
    CaseSizes sizes = any_sizes();
    sizes.query_scale = std::pow(10.0, pick(-2, 2));
    sizes.vector_scale = std::pow(10.0, pick(-2, 1));
    sizes.foreign = pick(0, 2) == 0 ? std::pow(10.0, pick(-2, 2)) : 0;
    sizes.zero_channel = pick(0, 3) == 0;
    const ReaderCase input = random_case(sizes, static_cast<std::uint64_t>(pick(0, 1 << 30)));
    Answered answered(input, any_policy(input), pick(0, 1) == 1 ? ValueScale::variance : ValueScale::unit);
    expect_sound(input, answered, pick(1, sizes.tokens));
}

/// Numbers near the ends of what a capture may hold, where logits are known to nothing but their magnitude.
RC_GTEST_PROP(Certificate, covers_the_true_error_at_any_magnitude, ()) {
    CaseSizes sizes = any_sizes();
    sizes.query_scale = std::pow(10.0, pick(-30, 30));
    sizes.vector_scale = std::pow(10.0, pick(-30, 30));
    ReaderCase input = random_case(sizes, static_cast<std::uint64_t>(pick(0, 1 << 30)));
    if (pick(0, 1) == 1) input.layer.k[static_cast<std::size_t>(pick(0, 7)) % input.layer.k.size()] = 3e38;
    if (pick(0, 3) == 0) input.layer.v[static_cast<std::size_t>(pick(0, 7)) % input.layer.v.size()] = -3e38;
    input.calibration = calibrate(input.layer, input.keys, input.values);
    Answered answered(input, any_policy(input));
    expect_sound(input, answered, sizes.tokens);
}

/// Residuals and logit changes that nobody would call small: other calibrations, gaps up to hundreds.
RC_GTEST_PROP(Certificate, covers_the_true_error_of_large_logit_gaps, ()) {
    CaseSizes sizes = any_sizes();
    sizes.query_scale = 30;
    sizes.vector_scale = 3;
    sizes.foreign = pick(0, 1) == 0 ? 5 : .1;
    const ReaderCase input = random_case(sizes, static_cast<std::uint64_t>(pick(0, 1 << 30)));
    Answered answered(input, fixed_policy(static_cast<unsigned>(pick(0, std::min(2, sizes.depth)))));
    expect_sound(input, answered, sizes.tokens);
}

bool agree(double found, long double expected, long double relative, long double absolute) {
    return std::abs(found - expected) <= relative * expected + absolute;
}

RC_GTEST_PROP(Certificate, is_its_formulas, ()) {
    CaseSizes sizes = any_sizes();
    sizes.tokens = pick(2, 12);
    const Centre centre = pick(0, 1) == 1 ? Centre::zero : Centre::mean;
    const ReaderCase input = random_case(sizes, static_cast<std::uint64_t>(pick(0, 1 << 30)));
    Answered answered(input, any_policy(input), pick(0, 1) == 1 ? ValueScale::variance : ValueScale::unit);
    const int tokens = pick(2, sizes.tokens);
    const std::vector<Certified> rows = certified(input, answered, tokens, centre);
    const Vector outputs = answered.reader.outputs(answered.call);
    for (std::size_t h = 0; h < rows.size(); ++h) {
        const Formulas by = formulas_of(input, answered.reader, answered.call, h, centre);
        const Certified& row = rows[h];
        RC_ASSERT(agree(row.a_k, by.a_k, 1e-9L, 0));
        RC_ASSERT(agree(row.a_v, by.a_v, 1e-9L, 0));
        RC_ASSERT(agree(row.s_k, by.s_k, 1e-12L, 0));
        RC_ASSERT(agree(row.s_v, by.s_v, 1e-12L, 0));
        if (by.s_k > 0) RC_ASSERT(agree(row.gamma_k, by.a_k / by.s_k, 1e-9L, 0));
        if (by.s_v > 0) RC_ASSERT(agree(row.gamma_v, by.a_v / by.s_v, 1e-9L, 0));
        RC_ASSERT(agree(row.kappa_k, by.kappa_k, 1e-9L, 0));
        RC_ASSERT(agree(row.kappa_v, by.kappa_v, 1e-9L, 0));
        RC_ASSERT(agree(row.centre_norm_sq, by.centre_norm_sq, 1e-9L, 0));
        RC_ASSERT(agree(row.logit_error_sq, by.logit_error_sq, 1e-8L, 1e-24L));
        RC_ASSERT(agree(row.bound, by.bound(), 1e-8L, 1e-24L));
        RC_ASSERT(agree(row.attention_term_sq, by.attention_term_sq, 1e-8L, 1e-24L));
        RC_ASSERT(agree(row.value_term_sq, by.value_term_sq, 1e-8L, 1e-24L));
        // the sharp one is not below its formula, and above it by what rows cost that count by their trace: a
        // part in 1000. Probabilities are known to some 1e-13, and so is what they discriminate.
        RC_ASSERT(row.discrimination >= by.discrimination * (1 - 1e-12L));
        RC_ASSERT(row.discrimination <= by.discrimination * (1 + 1e-6L) + 1e-11L);
        RC_ASSERT(row.sharp_bound >= by.sharp() * (1 - 1e-9L));
        RC_ASSERT(row.sharp_bound <= by.sharp() * (1 + 1.1e-3L) + 1e-11L * by.spread + 1e-24L);
        const Interval truth = true_error(input, h, static_cast<std::size_t>(tokens),
                                          std::span(outputs).subspan(h * input.dim(), input.dim()));
        const long double error = near_value(truth);
        const long double size = std::sqrt(static_cast<long double>(row.output_sq)) + std::sqrt(error) + 1;
        RC_ASSERT(std::sqrt(static_cast<long double>(row.error_sq)) - std::sqrt(error) <= 1e-12L * size);
    }
}

TEST(Certificate, of_one_token_is_the_error) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        CaseSizes sizes{.kv_heads = 1, .query_heads = 2, .dim = 4, .tokens = 1};
        ReaderCase input = random_case(sizes, seed);
        for (double& scale : input.calibration.values.scale) scale = 1;
        for (double& mean : input.calibration.values.mean) mean = 0;
        Answered answered(input, fixed_policy(2));
        for (const Certified& row : certified(input, answered, 1)) {
            EXPECT_EQ(row.attention_term_sq, 0);
            EXPECT_EQ(row.kappa_v, 1);
            EXPECT_NEAR(row.sharp_bound / row.error_sq, 1, 1e-12);
            EXPECT_NEAR(row.bound / row.error_sq, 2, 1e-12);
            EXPECT_EQ(row.centre_norm_sq < 1e-25, true);
        }
        EXPECT_EQ(fault_in(input, answered, 1), "");
    }
}

/// Story: norms were rounded up by what underflow may lose, zeros too, so that a query of zeros had A_K =
/// 5e-323 over S_K = 0, hence an infinite gamma and an infinite bound on a term that is not there.
TEST(Certificate, of_a_zero_query_has_no_key_term) {
    ReaderCase input = random_case({.kv_heads = 1, .query_heads = 2, .dim = 4, .tokens = 5}, 3);
    std::fill(input.queries.begin(), input.queries.end(), 0);
    Answered answered(input, adaptive_policy({2, 2}, input.code.gain, false));
    for (const Certified& row : certified(input, answered, 5)) {
        EXPECT_EQ(row.a_k, 0);
        EXPECT_EQ(row.gamma_k, 0);
        EXPECT_EQ(row.kappa_k, 0);
        EXPECT_EQ(row.logit_error_sq, 0);
        EXPECT_EQ(row.key_bits, 0U);
        EXPECT_GT(row.a_v, 0);
    }
    EXPECT_EQ(fault_in(input, answered, 5), "");
}

/// Story: of logits near 1e38 rounding alone leaves everything open. The softmax then promised an infinite
/// relative error, which times a weight of 0 is no bound at all: the path bound ran into NaN and `certify`
/// gave up on the file with "softmax: logit 0 is -nan"; a little below that, weights were bounded by less
/// than they may be.
TEST(Certificate, of_unknown_logits_is_still_a_bound) {
    for (const double size : {1e12, 1e14, 1e15, 1e16, 1e17, 1e20, 1e30, 1e38})
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            ReaderCase input = random_case({.kv_heads = 1, .query_heads = 2, .dim = 4, .tokens = 5}, seed);
            for (std::size_t j = 0; j < 5; ++j)
                input.layer.k[4 * j + 1] = size * (1 + 1e-15 * static_cast<double>(j));
            input.calibration = calibrate(input.layer, input.keys, input.values);
            Answered answered(input, fixed_policy(8));
            EXPECT_EQ(fault_in(input, answered, 5), "") << size << " " << seed;
        }
}

/// S = 0 < A: the ratio is infinite, and so is Proposition 12's bound, which stays valid. The sharp one needs
/// no S.
TEST(Certificate, of_channels_without_a_scale_is_infinite_and_the_sharp_one_is_not) {
    ReaderCase input = random_case({.kv_heads = 1, .query_heads = 2, .dim = 4, .tokens = 5}, 4);
    for (double& scale : input.calibration.keys.scale) scale = 0;
    Answered answered(input, adaptive_policy({2, 2}, input.code.gain, false));
    for (const Certified& row : certified(input, answered, 5)) {
        EXPECT_EQ(row.s_k, 0);
        EXPECT_GT(row.a_k, 0);
        EXPECT_EQ(row.gamma_k, HUGE_VAL);
        EXPECT_EQ(row.bound, HUGE_VAL);
        EXPECT_TRUE(std::isfinite(row.sharp_bound));
        EXPECT_GT(row.sharp_bound, row.error_sq);
    }
    EXPECT_EQ(fault_in(input, answered, 5), "");
}

/// Residuals of zero in keys and values: an answer without error, and bounds of hardly more than rounding.
TEST(Certificate, of_exact_reconstructions_is_nearly_nothing) {
    ReaderCase input =
        random_case({.kv_heads = 1, .query_heads = 2, .dim = 2, .tokens = 4, .hadamard = false}, 5);
    const auto& centroids = input.code.codebook.centroids[8];
    for (std::size_t i = 0; i < input.layer.k.size(); ++i) {
        input.layer.k[i] = static_cast<double>(centroids[(37 * i) % 256]);
        input.layer.v[i] = static_cast<double>(centroids[(91 * i + 5) % 256]);
    }
    for (ChannelStatistics* const part : {&input.calibration.keys, &input.calibration.values}) {
        std::fill(part->mean.begin(), part->mean.end(), 0);
        std::fill(part->scale.begin(), part->scale.end(), 1);
    }
    Answered answered(input, fixed_policy(8));
    for (const Certified& row : certified(input, answered, 4)) {
        EXPECT_EQ(row.a_k, 0);
        EXPECT_EQ(row.a_v, 0);
        EXPECT_EQ(row.gamma_k, 0);
        EXPECT_EQ(row.kappa_v, 0);
        EXPECT_LT(row.bound, 1e-25);
        EXPECT_LT(row.sharp_bound, 1e-25);
    }
    EXPECT_EQ(fault_in(input, answered, 4), "");
}

/// The increments of a row are those of its pool.
TEST(Certificate, counts_increments_of_the_pool) {
    const ReaderCase input = random_case({.kv_heads = 2, .query_heads = 4, .dim = 4, .tokens = 6}, 6);
    Answered answered(input, adaptive_policy({Rational(5, 2), 2}, input.code.gain, true));
    const ExactLayer exact(input.layer, input.keys, input.values);
    for (const bool per_head : {false, true}) {
        Certifier certifier(exact, answered.reader, {Centre::mean, per_head});
        std::vector<Certified> rows;
        certifier.certify(input.queries, answered.run(input), rows);
        ASSERT_EQ(rows.size(), 4U);
        for (std::size_t h = 0; h < 4; ++h) {
            EXPECT_EQ(rows[h].head, static_cast<int>(h));
            EXPECT_EQ(rows[h].key_bits, per_head ? 10U : 20U);
            EXPECT_EQ(rows[h].key_budget, per_head ? 10U : 20U);
            EXPECT_EQ(rows[h].value_bits, per_head ? 12U : 24U);
        }
    }
}

} // namespace
