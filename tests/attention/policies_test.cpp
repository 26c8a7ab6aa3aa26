// The readers of ReadKV's family that differ in how they choose depths: full, uniform, calibration (F.5),
// two-level (F.6) and the restricted one of the GPU (F.8), by name, against what each must be.
#include "lib/reader/prefix_reader.hpp"

#include "tests/attention/plain_reader.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::test;

namespace {

int pick(int least, int most) {
    return *rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most + 1)));
}

/// A layer with several query rows.
CaptureLayer layer_with_rows(const CaseSizes& sizes, int rows, std::uint64_t seed) {
    CaptureLayer layer = random_case(sizes, seed).layer;
    std::mt19937_64 next(seed + 1);
    std::normal_distribution<double> normal;
    layer.shape.queries = std::min(rows, sizes.tokens);
    layer.q.resize(static_cast<std::size_t>(sizes.query_heads) * layer.shape.queries * sizes.dim);
    for (double& x : layer.q) x = normal(next);
    return layer;
}

struct Stored {
    Stored(const std::string& name, const CaptureLayer& layer, const CaptureLayer& calibration,
           Pool pool = Pool::layer) {
        const auto d = static_cast<std::size_t>(layer.shape.dim);
        const bool turn = is_power_of_two(layer.shape.dim);
        const ReaderSettings settings{turn ? Transform::hadamard(d, 0, 0) : Transform::identity(d),
                                      turn ? Transform::hadamard(d, 0, 1) : Transform::identity(d),
                                      shipped_code(), ValueScale::unit, pool};
        stored = make_reader(name, 1)->encode({layer, &calibration, 0}, settings);
        prefix = dynamic_cast<PrefixLayer*>(stored.get());
    }
    TwoStageCall& run(const CaptureLayer& layer, int row) {
        const Vector queries = layer.queries_at(row);
        prefix->reader().run(queries, layer.shape.position(row) + 1, call);
        answer = prefix->answer(queries, layer.shape.position(row) + 1);
        return call;
    }
    std::unique_ptr<StoredLayer> stored;
    PrefixLayer* prefix;
    TwoStageCall call;
    Answer answer;
};

CaseSizes any_sizes() {
    constexpr int dims[] = {1, 2, 3, 4, 8};
    CaseSizes out;
    out.kv_heads = pick(1, 3);
    out.query_heads = out.kv_heads * pick(1, 2);
    out.dim = dims[pick(0, 4)];
    out.tokens = pick(2, 15);
    return out;
}

RC_GTEST_PROP(Policies, full_and_uniform_and_readkv_at_full_rate_are_one, ()) {
    const CaseSizes sizes = any_sizes();
    const CaptureLayer layer = layer_with_rows(sizes, 3, static_cast<std::uint64_t>(pick(0, 1 << 20)));
    const std::string depth = std::to_string(pick(1, 8));
    const int row = pick(0, layer.shape.queries - 1);
    Stored full("full:" + depth, layer, layer);
    full.run(layer, row);
    for (const std::string& name : {"uniform:" + depth, "readkv:" + depth + "," + depth}) {
        Stored other(name, layer, layer);
        other.run(layer, row);
        RC_ASSERT(other.answer.outputs == full.answer.outputs);
        RC_ASSERT(other.answer.bits() == full.answer.bits());
        RC_ASSERT(other.call.value_schedule.depths == full.call.value_schedule.depths);
        RC_ASSERT(other.stored->stored_bits(sizes.tokens) == full.stored->stored_bits(sizes.tokens));
    }
    // reading 8 stored levels to depth 4 is not storing 4
    Stored deep("readkv:8,1", layer, layer);
    deep.run(layer, row);
    RC_ASSERT(deep.stored->stored_bits(1) >= full.stored->stored_bits(1));
}

RC_GTEST_PROP(Policies, two_levels_spend_what_f6_says, ()) {
    const CaseSizes sizes = any_sizes();
    const CaptureLayer layer = layer_with_rows(sizes, 2, static_cast<std::uint64_t>(pick(0, 1 << 20)));
    const int deep = pick(2, 8);
    const int low = pick(0, 1);
    const int quarters = pick(4 * low, 4 * deep);
    constexpr const char* scopes[] = {"keys", "values", "both"};
    const std::string scope = scopes[pick(0, 2)];
    const std::string rate = std::to_string(quarters / 4) + (quarters % 4 == 0   ? ".0"
                                                             : quarters % 4 == 1 ? ".25"
                                                             : quarters % 4 == 2 ? ".5"
                                                                                 : ".75");
    const std::string w = std::to_string(deep);
    Stored two("two-level:" + std::to_string(low) + "," + w + "," + rate + "," + rate + "," + scope, layer,
               layer);
    Stored free("readkv:" + w + "," + rate, layer, layer);
    const TwoStageCall& call = two.run(layer, 0);
    free.run(layer, 0);
    const auto check = [&](const Schedule& schedule, const Vector& weights) {
        const std::uint64_t n = weights.size();
        const std::uint64_t budget = static_cast<std::uint64_t>(quarters) * n / 4;
        const std::uint64_t count = std::min(n, (budget - static_cast<std::uint64_t>(low) * n) /
                                                    static_cast<std::uint64_t>(deep - low));
        RC_ASSERT(schedule.requested == budget);
        RC_ASSERT(schedule.spent ==
                  static_cast<std::uint64_t>(low) * n + count * static_cast<std::uint64_t>(deep - low));
        std::uint64_t high = 0;
        double least_high = HUGE_VAL;
        double most_low = 0;
        for (std::size_t i = 0; i < n; ++i) {
            RC_ASSERT((schedule.depths[i] == low || schedule.depths[i] == deep));
            if (schedule.depths[i] == deep) {
                ++high;
                least_high = std::min(least_high, weights[i]);
            } else {
                most_low = std::max(most_low, weights[i]);
            }
        }
        RC_ASSERT(high == count);
        RC_ASSERT(least_high >= most_low);
    };
    if (scope == "values")
        RC_ASSERT(call.key_schedule.depths == free.call.key_schedule.depths);
    else
        check(call.key_schedule, call.key_weights);
    if (scope == "keys")
        RC_ASSERT(call.value_schedule.depths == [&] {
            AllocationWorkspace workspace;
            return adaptive_policy({1, parse_rational(rate)}, cut(shipped_code(), deep).gain, false)
                ->choose({Stage::values, static_cast<std::size_t>(sizes.kv_heads), call.value_weights},
                         workspace)
                .depths;
        }());
    else
        check(call.value_schedule, call.value_weights);
}

RC_GTEST_PROP(Policies, the_restricted_reader_pairs_tokens_and_pays_for_padding, ()) {
    const CaseSizes sizes = any_sizes();
    const CaptureLayer layer = layer_with_rows(sizes, 2, static_cast<std::uint64_t>(pick(0, 1 << 20)));
    const int rate = pick(1, 8);
    Stored gpu("readkv-gpu:8," + std::to_string(rate), layer, layer);
    const int row = pick(0, layer.shape.queries - 1);
    const TwoStageCall& call = gpu.run(layer, row);
    const auto tokens = static_cast<std::size_t>(call.tokens);
    const auto d = static_cast<std::size_t>(sizes.dim);
    const std::uint64_t pairs = (tokens + 1) / 2;
    std::uint64_t value_bits = 0;
    for (std::size_t g = 0; g < static_cast<std::size_t>(sizes.kv_heads); ++g) {
        std::uint64_t keys = 0;
        for (std::size_t c = 0; c < d; ++c) {
            RC_ASSERT(call.key_schedule.depths[g * d + c] >= 1);
            keys += call.key_schedule.depths[g * d + c];
        }
        RC_ASSERT(keys == static_cast<std::uint64_t>(rate) * d); // each head its own budget
        std::uint64_t spent = 0;
        for (std::size_t j = 0; j < tokens; j += 2) {
            const unsigned depth = call.value_schedule.depths[g * tokens + j];
            RC_ASSERT(depth >= 1U);
            if (j + 1 < tokens) RC_ASSERT(call.value_schedule.depths[g * tokens + j + 1] == depth);
            spent += depth;
            value_bits += 2 * depth * d; // both tokens of the pair, or one and its padding
        }
        RC_ASSERT(spent == static_cast<std::uint64_t>(rate) * pairs);
        if (rate == 1)
            for (std::size_t j = 0; j < tokens; ++j)
                RC_ASSERT(call.value_schedule.depths[g * tokens + j] == 1);
    }
    RC_ASSERT(call.value_bits == value_bits);
    RC_ASSERT(call.key_bits == tokens * call.key_schedule.spent);
    RC_ASSERT(gpu.answer.payload_bits == call.key_bits + call.value_bits);
}

/// The mean over calibration queries, and nothing of the queries that are asked.
RC_GTEST_PROP(Policies, calibration_does_not_look_at_the_query, ()) {
    const CaseSizes sizes = any_sizes();
    const CaptureLayer layer = layer_with_rows(sizes, 3, static_cast<std::uint64_t>(pick(0, 1 << 20)));
    CaseSizes of_calibration = sizes;
    of_calibration.tokens = pick(3, 12);
    const CaptureLayer calibration =
        layer_with_rows(of_calibration, 3, static_cast<std::uint64_t>(pick(0, 1 << 20)));
    const bool per_head = pick(0, 1) == 1;
    Stored stored("calibration:8,2.5,3.25", layer, calibration, per_head ? Pool::head : Pool::layer);
    const std::vector<std::uint8_t> depths = stored.run(layer, 0).key_schedule.depths;
    for (int row = 1; row < layer.shape.queries; ++row)
        RC_ASSERT(stored.run(layer, row).key_schedule.depths == depths);

    const auto d = static_cast<std::size_t>(sizes.dim);
    const bool turn = is_power_of_two(sizes.dim);
    const Transform transform = turn ? Transform::hadamard(d, 0, 0) : Transform::identity(d);
    const ChannelStatistics keys = calibrate(calibration, transform, transform).keys;
    Vector queries = calibration.q;
    transform.apply_rows(queries);
    Vector weights(static_cast<std::size_t>(sizes.kv_heads) * d);
    const auto rows = static_cast<std::size_t>(calibration.shape.queries);
    for (std::size_t h = 0; h < static_cast<std::size_t>(sizes.query_heads); ++h)
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t c = 0; c < d; ++c) {
                const std::size_t at =
                    static_cast<std::size_t>(layer.shape.kv_head_of(static_cast<int>(h))) * d + c;
                weights[at] +=
                    std::pow(queries[(h * rows + i) * d + c] * keys.scale[at], 2) / static_cast<double>(rows);
            }
    const auto expected = plain_schedule(weights, static_cast<std::size_t>(sizes.kv_heads),
                                         shipped_code().gain, Rational(5, 2), per_head);
    RC_ASSERT(std::equal(depths.begin(), depths.end(), expected.begin(), expected.end()));

    // one weight for all tokens of a head: the levels are handed out evenly, the first tokens first
    const TwoStageCall& call = stored.run(layer, layer.shape.queries - 1);
    const auto tokens = static_cast<std::size_t>(call.tokens);
    for (std::size_t g = 0; g < static_cast<std::size_t>(sizes.kv_heads); ++g) {
        const auto head = std::span(call.value_schedule.depths).subspan(g * tokens, tokens);
        RC_ASSERT(std::is_sorted(head.rbegin(), head.rend()));
        RC_ASSERT(head.front() - head.back() <= 1);
    }
}

/// The current query's own reader does look: the property above can fail.
TEST(Policies, the_adaptive_reader_looks_at_the_query) {
    const CaptureLayer layer = layer_with_rows({.dim = 8, .tokens = 12}, 3, 4);
    Stored stored("readkv:8,2", layer, layer);
    const std::vector<std::uint8_t> first = stored.run(layer, 0).key_schedule.depths;
    EXPECT_NE(stored.run(layer, 1).key_schedule.depths, first);
    const auto tokens = static_cast<std::size_t>(stored.call.tokens);
    const auto head = std::span(stored.call.value_schedule.depths).subspan(0, tokens);
    EXPECT_GT(*std::max_element(head.begin(), head.end()) - *std::min_element(head.begin(), head.end()), 1);
}

} // namespace
