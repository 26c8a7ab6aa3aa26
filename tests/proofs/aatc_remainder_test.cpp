// AATC's Lemma 1 and Theorem 1: constants moved beyond what they bound are refuted, and the remainder is
// within its bound on drawn noise, with D from its definition.
#include "proofs/aatc/remainder.hpp"

#include "proofs/registry.hpp"
#include "tests/exact/generators.hpp"
#include "tests/proofs/decided.hpp"

using namespace kvproof;
using namespace kvproof::testing_support;
using test::pick;

namespace {

/// The verdict of a row's formula with each `from` replaced.
Verdict with(const std::string& id, const std::vector<std::pair<std::string, std::string>>& changes) {
    std::string formula = select_claims({id}).front().formula;
    for (const auto& [from, to] : changes) {
        std::size_t replaced = 0;
        for (std::size_t at = formula.find(from); at != std::string::npos;
             at = formula.find(from, at + to.size())) {
            formula.replace(at, from.size(), to);
            ++replaced;
        }
        EXPECT_GT(replaced, 0U) << id << ": " << from;
    }
    return verdict_of(formula);
}

TEST(AatcRemainder, the_cover_of_the_third_order_needs_its_bound_and_its_multiplier) {
    const std::string id = "aatc.lemma1.sharp.cover";
    EXPECT_EQ(with(id, {{"4.06", "4.01"}, {"0.33583", "0.34"}, {"0.16792", "0.17"}}), Verdict::proved);
    EXPECT_EQ(with(id, {{"(- z v))) 4.06)", "(- z v))) 3.99)"}}), Verdict::refuted);
    EXPECT_EQ(with(id, {{"(* (- 1 v) (^ (- 4 v) 2) (- z v))", "0"}}), Verdict::refuted);
    EXPECT_EQ(with(id, {{"(* (- 1 v) (^ (- 4 v) 2) (- z v))", "(* (- 1 v) (^ (- 3 v) 2) (- z v))"}}),
              Verdict::refuted);
}

TEST(AatcRemainder, smaller_tails_are_refuted) {
    EXPECT_EQ(with("aatc.lemma1.sharp.each", {{"1/3 (^ A 3)", "3/10 (^ A 3)"}}), Verdict::refuted);
    EXPECT_EQ(with("aatc.lemma1.sharp.each", {{"1/6 (^ A 3)", "3/20 (^ A 3)"}}), Verdict::refuted);
    EXPECT_EQ(with("aatc.lemma1.sharp.attained", {{"(- 1/3 (/ (^ A 2) 7))", "(- 1/3 (/ (^ A 2) 8))"}}),
              Verdict::refuted);
}

TEST(AatcRemainder, smaller_constants_of_theorem_1_are_refuted) {
    const std::string id = "aatc.thm1.montecarlo.enumerated";
    EXPECT_EQ(with(id, {{"11/12", "11/120"}}), Verdict::refuted);
    EXPECT_EQ(with(id, {{"27/100", "27/1000"}, {"5/6", "5/60"}}), Verdict::refuted);
}

TEST(AatcRemainder, what_is_refuted_fails_for_its_reason) {
    EXPECT_EQ(with("aatc.thm1.remainder.per_token", {{"(* 156 a", "(* 10000 a"}}), Verdict::proved);
    EXPECT_EQ(with("aatc.thm1.remainder.needs_symmetry", {{"1e-5", "1e-1"}}), Verdict::refuted);
    EXPECT_EQ(with("aatc.eq5.factor.printed", {{"int 1 2", "int 1 1"}}), Verdict::proved);
    // a code for the upper end makes the errors zero there
    EXPECT_EQ(with("aatc.b.hypotheses.zero_mean", {{"(- H 1)", "H"}}), Verdict::proved);
    EXPECT_EQ(with("aatc.b.sigma_sqrt_s.printed", {{"int -1 1", "int 0 0"}}), Verdict::proved);
}

std::vector<std::vector<Rational>> drawn(long rows, long columns, long low, long high, long denominator) {
    std::vector<std::vector<Rational>> out(static_cast<std::size_t>(rows));
    for (auto& row : out)
        for (long j = 0; j < columns; ++j) row.emplace_back(pick(low, high), denominator);
    return out;
}

TwoPointNoise drawn_noise(long tokens, long keys, long values) {
    TwoPointNoise out;
    const long width = pick(1, 2);
    out.logits = drawn(1, tokens, -6, 6, 3).front();
    out.query = drawn(1, keys, -3, 3, 2).front();
    out.outputs = drawn(tokens, width, -3, 3, 1);
    out.projection = drawn(values, width, -3, 3, 2);
    out.key_noise = drawn(tokens, keys, 0, 3, pick(1, 20));
    out.value_noise = drawn(tokens, values, 0, 3, pick(1, 20));
    return out;
}

RC_GTEST_PROP(AatcRemainder, is_within_its_bound, ()) {
    const TwoPointNoise noise = drawn_noise(pick(2, 3), 1, 1);
    const DistortionParts parts = distortion_parts(noise, 128);
    const Interval size = abs(parts.remainder);
    // without noise both sides are 0, up to rounding
    RC_ASSERT((less_equal(size, parts.bound) == Truth::yes || parts.remainder.contains(Rational(0))));
    RC_ASSERT(less_equal(parts.bound, parts.printed) != Truth::no);
}

/// Without key noise D = D_V exactly, and without value noise in one token D_K = 0.
RC_GTEST_PROP(AatcRemainder, is_zero_where_one_kind_of_noise_is_alone, ()) {
    TwoPointNoise noise = drawn_noise(pick(1, 3), pick(1, 2), 1);
    for (auto& row : noise.key_noise)
        for (Rational& size : row) size = 0;
    const DistortionParts values_only = distortion_parts(noise, 128);
    RC_ASSERT(values_only.remainder.contains(Rational(0)));
    RC_ASSERT(values_only.key.contains(Rational(0)));
    noise = drawn_noise(1, 1, 2);
    const DistortionParts one_token = distortion_parts(noise, 128);
    RC_ASSERT(one_token.key.contains(Rational(0)));
    RC_ASSERT(one_token.remainder.contains(Rational(0)));
}

/// One case by hand: two tokens of equal weight, key noise A on the first only, no value noise. The weights
/// become (e^A, 1)/(e^A + 1) or (1, e^A)/(e^A + 1), so both errors have the size tanh(A/2)/2.
TEST(AatcRemainder, agrees_with_a_case_by_hand) {
    const TwoPointNoise noise = {.logits = {0, 0},
                                 .query = {1},
                                 .outputs = {{2}, {0}},
                                 .projection = {{1}},
                                 .key_noise = {{Rational(1, 3)}, {0}},
                                 .value_noise = {{0}, {0}}};
    const DistortionParts parts = distortion_parts(noise, 128);
    const Interval expected = sqr(tanh(Interval(Rational(1, 6), 128), 128), 128);
    EXPECT_NE(equal(parts.distortion, expected), Truth::no);
    EXPECT_TRUE(parts.key.contains(Rational(1, 36))); // (1/4) 1 (1/9)
    EXPECT_TRUE(parts.value.contains(Rational(0)));
    EXPECT_EQ(parts.bound.contains(Rational(11, 12) / 81), true); // D_o = 1, A_0 = 1/3
}

TEST(AatcRemainder, drawn_cases_are_repeatable_and_counted) {
    const Sample sample = {quantities().code(), 3, 12};
    const Decision one = remainder_is_bounded(sample);
    const Decision two = remainder_is_bounded(sample);
    EXPECT_EQ(one.verdict, Verdict::supported);
    EXPECT_EQ(one.cases, 12U);
    EXPECT_EQ(witness_of(one, "tightest case"), witness_of(two, "tightest case"));
}

} // namespace
