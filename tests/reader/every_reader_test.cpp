// What holds of every baseline: causality, the mapping of query heads, no state between calls, sane answers
// on hard input. Each test names the defect of released code that it is there for.
#include "tests/reader/layers.hpp"

#include "lib/codec/half.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <rapidcheck/gtest.h>
#include <thread>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

Sizes random_sizes(std::mt19937_64& next) {
    const int groups = 1 + static_cast<int>(next() % 3);
    return {groups, groups * (1 + static_cast<int>(next() % 3)), 2 + static_cast<int>(next() % 15),
            2 + static_cast<int>(next() % 270), 2};
}

/// A token that a call does not see changes nothing of it: outputs or bits.
RC_GTEST_PROP(EveryReader, answers_depend_on_the_visible_tokens_alone, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const Sizes sizes = random_sizes(next);
    const CaptureLayer layer = random_layer(sizes, seed);
    const int visible = 1 + static_cast<int>(next() % static_cast<std::uint64_t>(sizes.tokens - 1));
    CaptureLayer changed = layer;
    for (int g = 0; g < sizes.kv_heads; ++g)
        for (int j = visible; j < sizes.tokens; ++j) {
            set_vector(changed.k, layer.shape, g, j, Vector(static_cast<std::size_t>(sizes.dim), 1e5));
            set_vector(changed.v, layer.shape, g, j, Vector(static_cast<std::size_t>(sizes.dim), -1e5));
        }
    const Vector queries = layer.queries_at(0);
    for (const NamedReader& r : baseline_readers(sizes.dim)) {
        const auto before = stored(*r.reader, layer, &layer);
        const auto after = stored(*r.reader, changed, &layer);
        const Answer found = after->answer(queries, visible);
        RC_ASSERT(found.outputs == before->answer(queries, visible).outputs);
        RC_ASSERT(found.bits() == before->answer(queries, visible).bits());
        // The mutant: a call that sees one of them.
        RC_ASSERT(after->answer(queries, visible + 1).outputs !=
                  before->answer(queries, visible + 1).outputs);
    }
}

/// Pitfall: query heads were tiled over KV heads (0, 1, 0, 1) where they come in contiguous groups (0, 0, 1,
/// 1). H = 4, G = 2: head 1 uses KV head 0.
TEST(EveryReader, head_1_of_4_uses_kv_head_0_of_2) {
    const CaptureLayer layer = random_layer({2, 4, 8, 140, 1}, 8);
    CaptureLayer changed = layer;
    for (int j = 0; j < 140; ++j) {
        Vector k = {layer.key(1, j).begin(), layer.key(1, j).end()};
        Vector v = {layer.value(1, j).begin(), layer.value(1, j).end()};
        for (double& x : k) x *= 1.5; // KV head 1 alone
        for (double& x : v) x = 4 - x;
        set_vector(changed.k, layer.shape, 1, j, k);
        set_vector(changed.v, layer.shape, 1, j, v);
    }
    const Vector queries = layer.queries_at(0);
    for (const NamedReader& r : baseline_readers(8)) {
        if (r.name.starts_with("kvquant")) continue; // a token's values share a scale over its heads
        const Vector before = stored(*r.reader, layer, &layer)->answer(queries, 140).outputs;
        const Vector after = stored(*r.reader, changed, &layer)->answer(queries, 140).outputs;
        for (std::size_t h = 0; h < 4; ++h) {
            const bool same = std::equal(before.begin() + static_cast<std::ptrdiff_t>(h * 8),
                                         before.begin() + static_cast<std::ptrdiff_t>(h * 8 + 8),
                                         after.begin() + static_cast<std::ptrdiff_t>(h * 8));
            EXPECT_EQ(same, h < 2) << r.name << " head " << h;
        }
    }
}

/// Renaming the KV heads, each with its query heads, renames the outputs.
RC_GTEST_PROP(EveryReader, heads_may_be_permuted, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const int groups = 2 + static_cast<int>(next() % 2);
    const int per_group = 1 + static_cast<int>(next() % 3);
    const CaptureLayer layer = random_layer({groups, groups * per_group, 8, 150, 3}, seed);
    const auto rotated = [&](const std::vector<double>& all) { // heads 1, 2, ..., 0
        std::vector<double> out = all;
        std::rotate(out.begin(),
                    out.begin() + static_cast<std::ptrdiff_t>(all.size() / static_cast<std::size_t>(groups)),
                    out.end());
        return out;
    };
    CaptureLayer moved = layer;
    moved.q = rotated(layer.q);
    moved.k = rotated(layer.k);
    moved.v = rotated(layer.v);
    for (const NamedReader& r : baseline_readers(8)) {
        // KVQuant ranks outliers over heads: the ends of two channels' ranges have equal |z|, the index
        // decides
        if (r.name.starts_with("kvquant")) continue;
        RC_ASSERT(stored(*r.reader, moved)->answer(moved.queries_at(0), 150).outputs ==
                  rotated(stored(*r.reader, layer)->answer(layer.queries_at(0), 150).outputs));
    }
}

/// Readers that code in transformed coordinates: on vectors that are turned beforehand, without a transform,
/// they give the same answer, turned.
RC_GTEST_PROP(EveryReader, a_transform_is_a_change_of_coordinates, (std::uint64_t seed)) {
    const CaptureLayer layer = random_layer({2, 4, 16, 40, 1}, seed);
    const ReaderSettings turning = settings_for(16);
    const ReaderSettings still{Transform::identity(16), Transform::identity(16), shipped_code()};
    CaptureLayer turned = layer;
    turning.keys.apply_rows(turned.q);
    turning.keys.apply_rows(turned.k);
    turning.values.apply_rows(turned.v);
    std::vector<NamedReader> readers;
    readers.push_back({"lloyd2", lloyd2_reader()});
    readers.push_back({"sparq-nested", sparq_nested_reader({.channels = 5, .selected = 6})});
    for (const NamedReader& r : readers) {
        Vector found = r.reader->encode({layer, &layer, 0}, turning)->answer(layer.queries_at(0), 40).outputs;
        const Vector untouched =
            r.reader->encode({layer, &layer, 0}, still)->answer(layer.queries_at(0), 40).outputs;
        const Vector expected =
            r.reader->encode({turned, &turned, 0}, still)->answer(turned.queries_at(0), 40).outputs;
        RC_ASSERT(found != untouched);
        turning.values.apply_rows(found);
        for (std::size_t i = 0; i < found.size(); ++i) RC_ASSERT(std::fabs(found[i] - expected[i]) <= 1e-11);
    }
}

/// Dense and SparQ answer with convex combinations of the visible values, so they stay in their range; KIVI
/// leaves it by its binary16 fields alone.
RC_GTEST_PROP(EveryReader, outputs_are_convex_combinations, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const Sizes sizes = random_sizes(next);
    const CaptureLayer layer = random_layer(sizes, seed);
    const int t = sizes.tokens;
    const int per_group = sizes.query_heads / sizes.kv_heads;
    for (const NamedReader& r : baseline_readers(sizes.dim)) {
        const bool fields = r.name.starts_with("kivi");
        if (r.name != "dense" && r.name != "sparq" && r.name != "sparq local" && !fields) continue;
        const Vector out = stored(*r.reader, layer)->answer(layer.queries_at(0), t).outputs;
        for (int h = 0; h < sizes.query_heads; ++h) {
            double largest = 0;
            for (int j = 0; j < t; ++j)
                for (const double x : layer.value(h / per_group, j))
                    largest = std::fmax(largest, std::fabs(x));
            for (std::size_t c = 0; c < static_cast<std::size_t>(sizes.dim); ++c) {
                double low = HUGE_VAL;
                double high = -HUGE_VAL;
                for (int j = 0; j < t; ++j) {
                    // a group's codes stay within its token's range; without codes within the channel's
                    const auto v = layer.value(h / per_group, j);
                    const auto [a, b] =
                        fields ? std::ranges::minmax(v) : std::ranges::minmax_result<double>{v[c], v[c]};
                    low = std::fmin(low, a);
                    high = std::fmax(high, b);
                }
                const double slack = largest * (fields ? 0x1p-9 : 1e-14);
                const double x = out[static_cast<std::size_t>(h * sizes.dim) + c];
                RC_ASSERT((x >= low - slack && x <= high + slack));
            }
        }
    }
}

/// Pitfall: one activation of -125000 among small ones, in keys or values, made a whole cache NaN. Codes with
/// 16-bit fields report that it did not fit; Dense and SparQ keep the captured number.
TEST(EveryReader, a_saturating_value_gives_finite_answers_and_is_reported) {
    CaptureLayer layer = random_layer({2, 4, 8, 300, 1}, 9);
    for (const NamedReader& r : baseline_readers(8))
        EXPECT_EQ(stored(*r.reader, layer)->saturated(), 0u) << r.name;
    CaptureLayer bad = layer;
    for (std::size_t c : {0, 3}) {
        bad.k[5 * 8 + c] = -125000;
        bad.v[6 * 8 + c] = -125000;
    }
    for (const NamedReader& r : baseline_readers(8)) {
        const auto cache = stored(*r.reader, bad, &layer);
        const Vector out = cache->answer(layer.queries_at(0), 300).outputs;
        for (const double x : out) EXPECT_TRUE(std::isfinite(x)) << r.name;
        const bool whole = r.name == "dense" || r.name.starts_with("sparq");
        EXPECT_EQ(cache->saturated() > 0, !whole) << r.name;
        // the other KV head's answers are what they were
        const Vector before = stored(*r.reader, layer, &layer)->answer(layer.queries_at(0), 300).outputs;
        if (r.name.starts_with("kvquant")) continue;
        EXPECT_TRUE(std::equal(before.begin() + 16, before.end(), out.begin() + 16)) << r.name;
    }
}

/// Pitfall: a channel (or token, or cache) that does not vary has scale 0 and came back as 0 or NaN.
TEST(EveryReader, constant_values_come_back) {
    CaptureLayer layer = random_layer({1, 2, 8, 200, 2}, 10);
    std::fill(layer.v.begin(), layer.v.end(), -1.5);
    for (const NamedReader& r : baseline_readers(8)) {
        // the vector codes of TurboQuant's own variants are not made for this
        if (r.name.starts_with("turboquant ")) continue;
        for (const int t : {1, 150, 200})
            for (const double x : stored(*r.reader, layer)->answer(layer.queries_at(0), t).outputs)
                EXPECT_NEAR(x, -1.5, 1e-12) << r.name;
    }
    // constant keys, too: every token has the same logit, and the answer is a mean (of decoded values)
    CaptureLayer flat = random_layer({1, 2, 8, 100, 2}, 11);
    std::fill(flat.k.begin(), flat.k.end(), .25);
    CaptureLayer asked = flat;
    std::fill(asked.q.begin(), asked.q.end(), 0.0); // a query of 0 takes the mean as well
    for (const NamedReader& r : baseline_readers(8)) {
        const Vector mean = stored(*r.reader, asked)->answer(asked.queries_at(0), 100).outputs;
        const Vector found = stored(*r.reader, flat)->answer(flat.queries_at(0), 100).outputs;
        for (std::size_t i = 0; i < 16; ++i) EXPECT_NEAR(found[i], mean[i], 1e-12) << r.name;
    }
}

/// Zero everywhere: no 0/0 from a norm, a scale or a share.
TEST(EveryReader, an_empty_signal_is_answered_with_zeros) {
    CaptureLayer layer = random_layer({2, 4, 8, 140, 2}, 12);
    for (auto* all : {&layer.q, &layer.k, &layer.v}) std::fill(all->begin(), all->end(), 0.0);
    for (const NamedReader& r : baseline_readers(8))
        EXPECT_EQ(stored(*r.reader, layer)->answer(layer.queries_at(0), 140).outputs, Vector(32)) << r.name;
}

/// Pitfall: the head dimension was taken to be hidden size / heads. It is the tensors' own: 6 heads of 8.
TEST(EveryReader, the_head_dimension_is_the_tensors_own) {
    const CaptureLayer layer = random_layer({3, 6, 8, 5, 1}, 13);
    for (const NamedReader& r : baseline_readers(8))
        EXPECT_EQ(stored(*r.reader, layer)->answer(layer.queries_at(0), 5).outputs.size(), 48u) << r.name;
}

/// Answers keep no state: the same from four threads at once, in any order of calls.
TEST(EveryReader, calls_from_several_threads_agree) {
    const CaptureLayer layer = random_layer({2, 4, 8, 140, 4}, 14);
    for (const NamedReader& r : baseline_readers(8)) {
        const auto cache = stored(*r.reader, layer);
        std::vector<Vector> expected;
        for (int t = 100; t < 140; ++t) expected.push_back(cache->answer(layer.queries_at(t % 4), t).outputs);
        std::vector<int> wrong(4);
        std::vector<std::thread> threads;
        for (int n = 0; n < 4; ++n)
            threads.emplace_back([&, n] {
                for (int i = 39; i >= 0; --i)
                    wrong[static_cast<std::size_t>(n)] +=
                        cache->answer(layer.queries_at(i % 4), 100 + i).outputs ==
                                expected[static_cast<std::size_t>(i)]
                            ? 0
                            : 1;
            });
        for (std::thread& thread : threads) thread.join();
        EXPECT_EQ(std::accumulate(wrong.begin(), wrong.end(), 0), 0) << r.name;
    }
}

/// A sanity check that a code is a code: more bits, less error, and all are nearer than no cache at all.
TEST(EveryReader, errors_are_in_the_expected_order) {
    const CaptureLayer layer = random_layer({2, 4, 64, 400, 8}, 15);
    const auto error = [&](const Reader& reader) {
        const auto cache = stored(reader, layer);
        const auto dense = stored(*dense_reader(), layer);
        double sum = 0;
        double size = 0;
        for (int row = 0; row < 8; ++row) {
            const Vector truth = dense->answer(layer.queries_at(row), 400).outputs;
            const Vector found = cache->answer(layer.queries_at(row), 400).outputs;
            for (std::size_t i = 0; i < truth.size(); ++i) {
                sum += (truth[i] - found[i]) * (truth[i] - found[i]);
                size += truth[i] * truth[i];
            }
        }
        return sum / size;
    };
    EXPECT_EQ(error(*dense_reader()), 0);
    EXPECT_LT(error(*kivi_reader(4)), error(*kivi_reader(2)) / 4);
    EXPECT_LT(error(*kvquant_reader(4)), error(*kvquant_reader(2)) / 4);
    EXPECT_LT(error(*turboquant_reader(turboquant_mse(4, 0))),
              error(*turboquant_reader(turboquant_mse(2, 0))) / 2);
    EXPECT_LT(error(*turboquant_reader()), error(*lloyd2_reader()));
    for (const NamedReader& r : baseline_readers(64)) EXPECT_LT(error(*r.reader), 1) << r.name;
}

} // namespace
