// The bits of a layer: against another count, token by token; and run sums against sums over calls.
#include "lib/account/bits.hpp"

#include "lib/error.hpp"
#include "tests/account/generators.hpp"
#include "tests/account/oracle.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

RC_GTEST_PROP(Bits, are_those_counted_token_by_token, ()) {
    const LayerGeometry layer = any_layer();
    const System system = parse_system(any_system(layer));
    const long t = any(0, 3) == 0 ? *rc::gen::element(1L, 2L, 128L, 129L, 256L) : any(1, 700);
    const Counted counted = count(system, layer, t);
    RC_ASSERT(layer_call_bits(system, layer, t).total() == counted.read);
    RC_ASSERT(layer_stored_bits(system, layer, t).total() == counted.stored);
    RC_ASSERT(layer_retained_bits(system, layer).total() == counted.layer);
    // KVQuant's codebooks belong to a layer, and that is where the oracle has them.
    RC_ASSERT(model_retained_bits(system, layer).total() == counted.model);
}

RC_GTEST_PROP(Bits, of_a_run_are_the_sum_over_its_calls, ()) {
    const LayerGeometry layer = any_layer();
    const System system = parse_system(any_system(layer));
    const long first = any(1, 1500);
    const long last = first + any(0, 1500);
    Cost sum;
    for (long t = first; t <= last; ++t) sum += layer_call_bits(system, layer, t);
    RC_ASSERT(layer_run_bits(system, layer, first, last) == sum);
}

RC_GTEST_PROP(Bits, no_part_is_negative_and_no_call_reads_what_is_not_retained, ()) {
    const LayerGeometry layer = any_layer();
    const System system = parse_system(any_system(layer));
    const long t = any(1, 700);
    const Cost read = layer_call_bits(system, layer, t);
    const Cost kept = layer_stored_bits(system, layer, t) + layer_retained_bits(system, layer) +
                      model_retained_bits(system, layer);
    for (const CostPart part : all_parts()) {
        RC_ASSERT(read[part] >= 0);
        RC_ASSERT(kept[part] >= 0);
        // Probes read the retained payload; a channel or a token may be probed first and read whole then.
        if (part != CostPart::payload && part != CostPart::probes) RC_ASSERT(read[part] <= kept[part]);
    }
    RC_ASSERT(read[CostPart::payload] <= kept[CostPart::payload]);
}

/// Layers are equal, but for a budget that they share: its floor is taken once.
RC_GTEST_PROP(Bits, of_many_layers_are_so_many_times_those_of_one, ()) {
    const LayerGeometry layer = any_layer();
    const System system = parse_system(any_system(layer));
    const long t = any(1, 700);
    const long layers = any(0, 40);
    const bool shares = system.kind == System::Kind::aatc || system.kind == System::Kind::aatc_var;
    const Integer coded = shares && t > 132 ? Integer(t - value_at(Growth::window(132, 16), t)) : Integer(0);
    const auto budget = [&](const Rational& rate, long n) {
        return floor(rate * Rational(n * layer.kv_heads * layer.head_dim));
    };
    const Integer gained = budget(system.key_rate, layers) - layers * budget(system.key_rate, 1) +
                           budget(system.value_rate, layers) - layers * budget(system.value_rate, 1);
    RC_ASSERT(layer_call_bits(system, layer, t, layers).total() ==
              layers * layer_call_bits(system, layer, t).total() + coded * gained);
    RC_ASSERT(layer_stored_bits(system, layer, t, layers).total() ==
              layers * layer_stored_bits(system, layer, t).total() + coded * gained);
}

/// The paper's operating point: 2.5 bits on Llama-3.1-8B, 8192 tokens, 2 head groups: 184 MB at 5.82x,
/// without the scales of channels. The window of this count is that of a call at 8192 tokens, 4 + 116, not a
/// flat 132; the flat one gives the printed digits (claim aatc.compression.ratio).
TEST(Bits, aatc_at_its_operating_point) {
    const LayerGeometry llama = {32, 8, 128};
    const Cost cost = layer_stored_bits(parse_system("aatc:2.5,groups=2"), llama, 8192, 32);
    const Integer window = value_at(Growth::window(132, 16), 8192);
    EXPECT_EQ(window, 132 - 16 + 1 + (8192 - 133) % 16);
    EXPECT_EQ(cost[CostPart::payload], (8192 - window) * 163840);
    EXPECT_EQ(cost[CostPart::metadata], (8192 - window) * 32 * 2 * 2 * 16);
    EXPECT_EQ(cost[CostPart::residual], window * 32 * 2 * 1024 * 16);
    EXPECT_EQ(cost.total() + (132 - window) * (32 * 2 * 1024 * 16 - 163840 - 2048),
              Integer(8060) * 165888 + Integer(132) * 1048576);
    EXPECT_THROW((void)layer_stored_bits(parse_system("aatc:2,groups=3"), llama, 1), Error);
}

/// Qwen2.5-7B's layer.
const LayerGeometry layer = {28, 4, 128};

Integer payload_read(const std::string& name, long t) {
    return layer_call_bits(parse_system(name), layer, t)[CostPart::payload];
}

TEST(Bits, budgets_are_floors_taken_at_each_call) {
    // B_K = floor(2.3 * 512) = 1177; B_V = floor(1.7 * 4 * 3) = 20, not 3 * floor(6.8) = 18.
    EXPECT_EQ(payload_read("readkv:8,2.3,1.7", 3), 3 * 1177 + 128 * 20);
    // Heads on their own floor on their own: floor(2.3 * 128) = 294, four of them 1176; floor(2.3 * 2 pairs)
    // = 4.
    EXPECT_EQ(payload_read("readkv-gpu:8,2.3", 3), 3 * 4 * 294 + 4 * 2 * 128 * 4);
}

TEST(Bits, an_odd_last_token_is_padded_and_charged) {
    EXPECT_EQ(payload_read("readkv-gpu:8,4", 8192), payload_read("readkv:8,4", 8192));
    EXPECT_EQ(payload_read("readkv-gpu:8,4", 7) - payload_read("readkv:8,4", 7), 4 * 128 * 4);
}

TEST(Bits, two_depths_leave_what_no_item_can_take) {
    // 512 * 3 = 1536 increments: 1 for each of 512, then 146 items of 7 more, 2 increments left.
    EXPECT_EQ(payload_read("two-level:1,8,3,3,keys", 1), 512 + 146 * 7 + 128 * 3 * 4);
    EXPECT_EQ(payload_read("readkv:8,3", 1), 1536 + 128 * 3 * 4);
}

TEST(Bits, payloads_of_table_4) {
    const Integer mebibyte = Integer(8) << 20;
    const auto retained = [](const std::string& name) {
        return layer_stored_bits(parse_system(name), layer, 8192).total();
    };
    EXPECT_EQ(retained("dense"), 16 * mebibyte);
    EXPECT_EQ(retained("readkv:8,4"), 8 * mebibyte);
    EXPECT_EQ(retained("full:4"), 4 * mebibyte);
    EXPECT_EQ(Rational(retained("turboquant")) / Rational(mebibyte), Rational(67, 16)); // 4.1875
}

TEST(Bits, a_system_that_does_not_fit_is_refused) {
    const LayerGeometry narrow = {1, 1, 16};
    EXPECT_THROW((void)layer_call_bits(parse_system("sparq:17,4"), narrow, 1), Error);
    EXPECT_NO_THROW((void)layer_call_bits(parse_system("sparq:16,4"), narrow, 1));
    const LayerGeometry wide = {4096, 4096, 128};
    EXPECT_THROW((void)layer_call_bits(parse_system("kvquant:2"), wide, 1), Error);
}

} // namespace
