// Bits as counted by the readers against the closed forms of ReadKV A.1, written down anew here.
#include "tests/reader/layers.hpp"

#include "lib/reader/protected_reader.hpp"
#include "tests/record/refusal.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

using Count = std::uint64_t;

struct Geometry {
    Count kv_heads;
    Count dim;
    Count t;
};

/// What a system reads in a call, keeps for a layer, and keeps once.
struct Expected {
    Count read = 0;
    Count stored = 0;
    Count shared = 0;
};

Count least(Count a, Count b) {
    return a < b ? a : b;
}

Expected dense(const Geometry& s) {
    const Count bits = 2 * s.dim * 16 * s.kv_heads * s.t;
    return {bits, bits, 0};
}

/// Per token and KV head b + 32/32 bits a scalar where quantised, 16 where not; a group of channels that is
/// not full costs as much as a full one.
Expected kivi(const Geometry& s, Count b) {
    const Count whole_keys = (s.t - 1) % 128 + 1;
    const Count whole_values = least(s.t, 128);
    const Count keys = s.kv_heads * ((s.t - whole_keys) * s.dim * (b + 1) + whole_keys * s.dim * 16);
    const Count groups = s.dim / 32 + (s.dim % 32 == 0 ? 0 : 1);
    const Count values =
        s.kv_heads * ((s.t - whole_values) * (s.dim * b + 32 * groups) + whole_values * s.dim * 16);
    return {keys + values, keys + values, 0};
}

Expected turboquant(const Geometry& s, Count b, Count fields) {
    const Count bits = s.t * s.kv_heads * (2 * b * s.dim + 16 * fields);
    return {bits, bits, 0};
}

Expected lloyd2(const Geometry& s) {
    const Count calibration = 4 * s.kv_heads * s.dim * 16;
    const Count codes = s.t * s.kv_heads * (2 * 2 * s.dim + 16);
    const Count tables = 2 * 4 * 32;
    return {codes + calibration + tables, codes + calibration, tables};
}

Expected sparq(const Geometry& s, Count r, Count k) {
    const Count mean = 16 * s.dim * s.kv_heads;
    return {s.kv_heads * (16 * r * s.t + 2 * s.dim * 16 * least(k + 1, s.t)) + mean, dense(s).stored + mean,
            0};
}

Expected sparq_nested(const Geometry& s, Count r, Count k) {
    const Count mean = 16 * s.dim * s.kv_heads;
    const Count calibration = 4 * s.kv_heads * s.dim * 16;
    const Count tables = 2 * 511 * 32;
    return {s.kv_heads * (2 * r * s.t + 2 * s.dim * 8 * least(k + 1, s.t)) + mean + calibration + tables,
            2 * s.dim * 8 * s.kv_heads * s.t + mean + calibration, tables};
}

Expected kvquant(const Geometry& s, Count b) {
    const Count scalars = s.kv_heads * s.dim;
    const Count outliers = scalars / 100 + (scalars % 100 == 0 ? 0 : 1);
    const Count token = 2 * (b * scalars + outliers * (16 + 16)) + 16 + 16;
    const Count layer = 2 * 16 * scalars + 2 * 32 * (Count{1} << b);
    const Count bits = 2 * 16 * scalars + (s.t - 1) * token + layer;
    return {bits, bits, 0};
}

/// In the order of baseline_readers.
std::vector<Expected> closed_forms(const Geometry& s) {
    std::vector<Expected> out = {dense(s), kivi(s, 2), kivi(s, 4), turboquant(s, 4, 3)};
    if (s.dim >= 2) {
        out.push_back(turboquant(s, 3, 2));
        out.push_back(turboquant(s, 3, 3));
    }
    const Count r = (s.dim + 1) / 2;
    out.push_back(lloyd2(s));
    out.push_back(sparq(s, r, 3));
    out.push_back(sparq(s, r, 3));
    out.push_back(sparq_nested(s, r, 3));
    out.push_back(kvquant(s, 2));
    out.push_back(kvquant(s, 3));
    return out;
}

RC_GTEST_PROP(Bits, are_the_closed_forms, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const int groups = 1 + static_cast<int>(next() % 3);
    const Sizes sizes{groups, groups * (1 + static_cast<int>(next() % 3)), 1 + static_cast<int>(next() % 40),
                      1 + static_cast<int>(next() % 300), 1};
    const CaptureLayer layer = random_layer(sizes, seed);
    const std::vector<NamedReader> readers = baseline_readers(sizes.dim);
    std::vector<std::unique_ptr<StoredLayer>> caches;
    for (const NamedReader& r : readers) caches.push_back(stored(*r.reader, layer));
    for (int call = 0; call < 4; ++call) {
        const int t = 1 + static_cast<int>(next() % static_cast<std::uint64_t>(sizes.tokens));
        const std::vector<Expected> expected =
            closed_forms({static_cast<Count>(groups), static_cast<Count>(sizes.dim), static_cast<Count>(t)});
        RC_ASSERT(expected.size() == readers.size());
        for (std::size_t i = 0; i < readers.size(); ++i) {
            RC_ASSERT(caches[i]->answer(layer.queries_at(0), t).bits() == expected[i].read);
            RC_ASSERT(caches[i]->stored_bits(t) == expected[i].stored);
            RC_ASSERT(readers[i].reader->shared_bits() == expected[i].shared);
        }
    }
}

/// Cells of ReadKV's Table 2 that one layer alone decides: KIVI on 2048 tokens of d_h = 128.
TEST(Bits, kivi_capacity_of_table_2) {
    const Geometry s{4, 128, 2048};
    EXPECT_NEAR(100.0 * static_cast<double>(kivi(s, 2).stored) / static_cast<double>(dense(s).stored), 23.8,
                .05);
    EXPECT_NEAR(100.0 * static_cast<double>(kivi(s, 4).stored) / static_cast<double>(dense(s).stored), 35.5,
                .05);
}

/// Pitfall: fields of small groups made "compressed" caches larger than the 16-bit one, and nobody added them
/// up. Here they are in the count.
TEST(Bits, a_compressed_cache_can_be_larger_than_dense_and_says_so) {
    const CaptureLayer layer = random_layer({1, 1, 1, 300, 1}, 0);
    const Count sixteen = dense_bits(layer.shape, 300);
    EXPECT_GT(stored(*kivi_reader(4), layer)->stored_bits(300), sixteen);
    EXPECT_GT(stored(*turboquant_reader(), layer)->stored_bits(300), sixteen);
    EXPECT_GT(stored(*sparq_reader({1, 3}), layer)->stored_bits(300), sixteen);
    // and at ordinary sizes it is smaller
    const CaptureLayer ordinary = random_layer({1, 1, 64, 300, 1}, 0);
    EXPECT_LT(stored(*kivi_reader(4), ordinary)->stored_bits(300), dense_bits(ordinary.shape, 300));
    EXPECT_LT(stored(*turboquant_reader(), ordinary)->stored_bits(300), dense_bits(ordinary.shape, 300));
}

TEST(Protected, first_two_and_last_two_layers_are_dense) {
    const CaptureLayer layer = random_layer({2, 4, 8, 30, 1}, 1);
    const Vector queries = layer.queries_at(0);
    const Answer whole = stored(*dense_reader(), layer)->answer(queries, 30);
    const Answer coded = stored(*lloyd2_reader(), layer)->answer(queries, 30);
    ASSERT_NE(whole.outputs, coded.outputs);
    const auto reader = protected_reader(lloyd2_reader(), 6);
    for (int index = 0; index < 6; ++index) {
        const bool dense = index < 2 || index > 3;
        const Answer found = stored(*reader, layer, nullptr, index)->answer(queries, 30);
        EXPECT_EQ(found.outputs, dense ? whole.outputs : coded.outputs) << index;
        EXPECT_EQ(found.bits(), dense ? whole.bits() : coded.bits()) << index;
    }
    EXPECT_TRUE(reader->needs_calibration());
    EXPECT_EQ(reader->shared_bits(), 256u);
    // four layers: none is left to compress
    const auto none = protected_reader(lloyd2_reader(), 4);
    EXPECT_FALSE(none->needs_calibration());
    EXPECT_EQ(none->shared_bits(), 0u);
    for (int index = 0; index < 4; ++index)
        EXPECT_EQ(stored(*none, layer, nullptr, index)->answer(queries, 30).outputs, whole.outputs);
    for (const int layers : {0, 1, 3})
        EXPECT_TRUE(
            refuses([&] { (void)protected_reader(kivi_reader(2), layers); }, ErrorCode::bad_option,
                    {"+protect", "found a model of " + std::to_string(layers) + " layers", "at least 4"}));
}

} // namespace
