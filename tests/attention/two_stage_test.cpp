// The two-stage reader against the paper's formulas written out in loops, and its corners: pools, value
// scales, shared heads, constant channels, one token.
#include "lib/attention/two_stage.hpp"

#include "lib/error.hpp"
#include "tests/attention/plain_reader.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::test;

namespace {

int pick(int least, int most) {
    return *rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most + 1)));
}

CaseSizes any_sizes() {
    constexpr int dims[] = {1, 2, 3, 4, 5, 8, 16};
    CaseSizes out;
    out.kv_heads = pick(1, 3);
    out.query_heads = out.kv_heads * pick(1, 3);
    out.dim = dims[pick(0, 6)];
    out.tokens = pick(1, 20);
    out.depth = pick(1, 8);
    out.hadamard = pick(0, 1) == 1;
    out.query_scale = std::ldexp(1.0, pick(-3, 3));
    out.foreign = pick(0, 2) == 0 ? 1.5 : 0;
    out.zero_channel = pick(0, 3) == 0;
    return out;
}

Rational any_rate(int depth) {
    return {pick(0, 4 * depth), 4};
}

bool near(double found, long double expected, double slack) {
    return std::abs(found - expected) <= slack;
}

RC_GTEST_PROP(TwoStage, is_the_papers_algorithm, ()) {
    const CaseSizes sizes = any_sizes();
    const ReaderCase input = random_case(sizes, static_cast<std::uint64_t>(pick(0, 1 << 30)));
    const Rates rates{any_rate(sizes.depth), any_rate(sizes.depth)};
    const bool per_head = pick(0, 1) == 1;
    const ValueScale scaling = pick(0, 1) == 1 ? ValueScale::variance : ValueScale::unit;
    const auto tokens = static_cast<std::size_t>(pick(1, sizes.tokens)); // a causal prefix of the cache
    Answered answered(input, adaptive_policy(rates, input.code.gain, per_head), scaling);
    const TwoStageCall& call = answered.run(input, static_cast<int>(tokens));
    const PlainAnswer plain = plain_first_stage(input, rates.keys, per_head, scaling, tokens);
    const std::size_t d = input.dim();
    const auto groups = static_cast<std::size_t>(sizes.kv_heads);

    // bit for bit up to the softmax
    RC_ASSERT(call.key_weights == plain.key_weights);
    RC_ASSERT(std::equal(plain.key_depths.begin(), plain.key_depths.end(), call.key_schedule.depths.begin(),
                         call.key_schedule.depths.end()));
    RC_ASSERT(call.logits == plain.logits);
    for (std::size_t g = 0; g < groups; ++g)
        for (std::size_t c = 0; c < d; ++c)
            for (std::size_t j = 0; j < tokens; ++j)
                RC_ASSERT(call.keys[(g * d + c) * tokens + j] == plain.keys[(g * tokens + j) * d + c]);

    // the softmax is another one
    for (std::size_t h = 0; h < call.attention.size(); ++h)
        for (std::size_t j = 0; j < tokens; ++j)
            RC_ASSERT(near(call.attention[h].probabilities[j], plain.attention[h * tokens + j], 1e-14));
    for (std::size_t i = 0; i < call.value_weights.size(); ++i)
        RC_ASSERT(near(call.value_weights[i], plain.value_weights[i],
                       1e-13 * static_cast<double>(plain.value_weights[i]) + 1e-300));

    // the rule on the weights as they came out
    const auto depths = plain_schedule(call.value_weights, groups, input.code.gain, rates.values, per_head);
    RC_ASSERT(std::equal(depths.begin(), depths.end(), call.value_schedule.depths.begin(),
                         call.value_schedule.depths.end()));
    const std::vector<long double> expected = plain_outputs(input, plain, call.value_schedule.depths, tokens);
    const Vector outputs = answered.reader.outputs(call);
    RC_ASSERT(outputs.size() == expected.size());
    double largest = 1;
    for (const double x : input.layer.v) largest = std::max(largest, std::abs(x));
    for (std::size_t i = 0; i < outputs.size(); ++i)
        RC_ASSERT(near(outputs[i], expected[i], 1e-12 * largest));

    // what is charged
    std::uint64_t key_bits = 0;
    for (const unsigned depth : plain.key_depths) key_bits += depth * tokens;
    std::uint64_t value_bits = 0;
    for (const unsigned depth : depths) value_bits += depth * d;
    RC_ASSERT(call.key_bits == key_bits);
    RC_ASSERT(call.value_bits == value_bits);
    RC_ASSERT(call.key_bits == tokens * call.key_schedule.spent);
    RC_ASSERT(call.value_bits == d * call.value_schedule.spent);
    RC_ASSERT(call.key_schedule.spent <= call.key_schedule.requested);
    RC_ASSERT(call.value_schedule.spent <= call.value_schedule.requested);
}

/// A call used before, for another layer and another length, leaves nothing behind.
TEST(TwoStage, a_call_is_reused_without_a_trace) {
    const ReaderCase large = random_case({.dim = 16, .tokens = 20}, 1);
    const ReaderCase small = random_case({.kv_heads = 1, .query_heads = 2, .dim = 4, .tokens = 7}, 2);
    Answered first(large, adaptive_policy({3, 2}, large.code.gain, false));
    Answered second(small, adaptive_policy({3, 2}, small.code.gain, false));
    TwoStageCall used;
    first.reader.run(large.queries, 20, used);
    second.reader.run(small.queries, 7, used);
    const TwoStageCall& fresh = second.run(small);
    EXPECT_EQ(second.reader.outputs(used), second.reader.outputs(fresh));
    EXPECT_EQ(used.key_bits, fresh.key_bits);
    EXPECT_EQ(used.value_bits, fresh.value_bits);
    EXPECT_EQ(used.logits, fresh.logits);
    EXPECT_EQ(used.attention.size(), 2U);
}

/// Later tokens of the cache are not seen: the answer is that of the cache cut there.
RC_GTEST_PROP(TwoStage, is_causal, ()) {
    CaseSizes sizes = any_sizes();
    sizes.kv_heads = 1;
    sizes.query_heads = 2;
    const ReaderCase input = random_case(sizes, static_cast<std::uint64_t>(pick(0, 1 << 30)));
    const int tokens = pick(1, sizes.tokens);
    ReaderCase shorter = input; // the calibration stays
    shorter.layer.shape.tokens = tokens;
    for (Vector* const all : {&shorter.layer.k, &shorter.layer.v})
        all->resize(static_cast<std::size_t>(tokens) * input.dim());
    const auto policy = [&] { return adaptive_policy({2, Rational(5, 2)}, input.code.gain, false); };
    Answered whole(input, policy());
    Answered part(shorter, policy());
    whole.run(input, tokens);
    part.run(shorter, tokens);
    RC_ASSERT(whole.reader.outputs(whole.call) == part.reader.outputs(part.call));
    RC_ASSERT(whole.call.value_schedule.depths == part.call.value_schedule.depths);
    RC_ASSERT(whole.call.key_bits + whole.call.value_bits == part.call.key_bits + part.call.value_bits);
}

TEST(TwoStage, pools_or_keeps_budgets_apart) {
    ReaderCase input = random_case({.kv_heads = 2, .query_heads = 4, .dim = 8, .tokens = 10}, 5);
    for (std::size_t i = 0; i < 16; ++i) input.queries[i] *= 100; // KV head 0 matters more
    Answered pooled(input, adaptive_policy({2, 2}, input.code.gain, false));
    Answered apart(input, adaptive_policy({2, 2}, input.code.gain, true));
    pooled.run(input);
    apart.run(input);
    const auto of_head_0 = [](const Schedule& schedule) {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < schedule.depths.size() / 2; ++i) sum += schedule.depths[i];
        return sum;
    };
    EXPECT_EQ(of_head_0(apart.call.key_schedule), 16U);
    EXPECT_EQ(of_head_0(apart.call.value_schedule), 20U);
    EXPECT_GT(of_head_0(pooled.call.key_schedule), 16U);
    EXPECT_EQ(pooled.call.key_bits, apart.call.key_bits);
    EXPECT_EQ(pooled.call.value_bits, apart.call.value_bits);
}

TEST(TwoStage, weighs_values_by_one_or_by_variance) {
    const ReaderCase input = random_case({.kv_heads = 2, .query_heads = 2, .dim = 4, .tokens = 6}, 6);
    const auto policy = [&] { return adaptive_policy({2, 2}, input.code.gain, false); };
    Answered unit(input, policy(), ValueScale::unit);
    Answered variance(input, policy(), ValueScale::variance);
    unit.run(input);
    variance.run(input);
    for (std::size_t g = 0; g < 2; ++g) {
        double sum = 0;
        for (std::size_t c = 0; c < 4; ++c) sum += std::pow(input.calibration.values.scale[g * 4 + c], 2);
        EXPECT_EQ(unit.reader.value_scale(static_cast<int>(g)), 1);
        EXPECT_DOUBLE_EQ(variance.reader.value_scale(static_cast<int>(g)), sum);
        EXPECT_GT(std::abs(sum - 1), 1e-3);
        for (std::size_t j = 0; j < 6; ++j)
            EXPECT_DOUBLE_EQ(variance.call.value_weights[g * 6 + j],
                             sum * unit.call.value_weights[g * 6 + j]);
    }
}

/// H = 4, G = 2: heads 0 and 1 read KV head 0 (Pitfall: by tile, heads 0 and 2).
TEST(TwoStage, shares_a_kv_head_among_neighbours) {
    const ReaderCase input = random_case({.kv_heads = 2, .query_heads = 4, .dim = 4, .tokens = 5}, 7);
    Answered answered(input, fixed_policy(8));
    const Vector before = answered.reader.outputs(answered.run(input));
    const std::uint64_t bits = answered.call.key_bits;
    EXPECT_EQ(bits, 2U * 4 * 5 * 8); // once, though two heads use them
    answered.encoded.flip_key_bit(0, 1, 2, 0);
    const Vector after = answered.reader.outputs(answered.run(input));
    const auto same = [&](std::size_t h) {
        return std::equal(before.begin() + static_cast<std::ptrdiff_t>(4 * h),
                          before.begin() + static_cast<std::ptrdiff_t>(4 * h + 4),
                          after.begin() + static_cast<std::ptrdiff_t>(4 * h));
    };
    EXPECT_FALSE(same(0));
    EXPECT_FALSE(same(1));
    EXPECT_TRUE(same(2));
    EXPECT_TRUE(same(3));
}

TEST(TwoStage, spends_nothing_on_a_channel_of_zero_scale) {
    const ReaderCase input = random_case(
        {.kv_heads = 1, .query_heads = 1, .dim = 4, .tokens = 6, .hadamard = false, .zero_channel = true}, 8);
    ASSERT_LE(input.calibration.keys.scale[0], 1e-15);
    ReaderCase exact = input;
    exact.calibration.keys.scale[0] = 0;
    Answered answered(exact, adaptive_policy({6, 6}, exact.code.gain, false));
    const TwoStageCall& call = answered.run(exact);
    EXPECT_EQ(call.key_weights[0], 0);
    EXPECT_EQ(call.key_schedule.depths[0], 0);
    EXPECT_EQ(call.key_schedule.spent, 24U); // three channels of depth 8
    for (std::size_t j = 0; j < 6; ++j) EXPECT_EQ(call.keys[j], exact.calibration.keys.mean[0]);
}

TEST(TwoStage, of_constant_keys_attends_evenly_and_reads_none) {
    ReaderCase input =
        random_case({.kv_heads = 1, .query_heads = 2, .dim = 4, .tokens = 5, .hadamard = false}, 9);
    std::fill(input.layer.k.begin(), input.layer.k.end(), .75);
    input.calibration = calibrate(input.layer, input.keys, input.values);
    Answered answered(input, adaptive_policy({4, 4}, input.code.gain, false));
    const TwoStageCall& call = answered.run(input);
    EXPECT_EQ(call.key_bits, 0U);
    for (const Softmax& attention : call.attention)
        for (const double p : attention.probabilities) EXPECT_DOUBLE_EQ(p, .2);
    // equal weights: the levels go to the tokens one after the other
    EXPECT_EQ(call.value_schedule.depths, (std::vector<std::uint8_t>{4, 4, 4, 4, 4}));
}

TEST(TwoStage, of_one_token_returns_its_value) {
    const ReaderCase input =
        random_case({.kv_heads = 2, .query_heads = 4, .dim = 8, .tokens = 1, .foreign = 1}, 10);
    // calibrated on one token all scales are 0: its means are the vectors
    Answered answered(input, adaptive_policy({1, 1}, input.code.gain, false));
    const Vector outputs = answered.reader.outputs(answered.run(input));
    for (std::size_t h = 0; h < 4; ++h)
        for (std::size_t c = 0; c < 8; ++c)
            EXPECT_NEAR(outputs[h * 8 + c], input.layer.value(static_cast<int>(h / 2), 0)[c], 1e-14);
    for (const Softmax& attention : answered.call.attention) EXPECT_EQ(attention.probabilities[0], 1);
}

TEST(TwoStage, refuses_queries_that_are_no_numbers) {
    ReaderCase input = random_case({}, 11);
    Answered answered(input, adaptive_policy({2, 2}, input.code.gain, false));
    EXPECT_NO_THROW(answered.run(input));
    for (const double bad : {std::nan(""), HUGE_VAL, 1e200}) {
        ReaderCase other = input;
        other.queries[3] = bad;
        try {
            answered.run(other);
            FAIL() << bad << " was taken";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_weight) << error.what();
        }
    }
}

} // namespace
