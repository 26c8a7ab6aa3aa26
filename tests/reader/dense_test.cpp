// Exact attention: by hand, against an own two-pass sum in long double, and against check values computed by
// two other programs.
#include "lib/reader/dense.hpp"

#include "lib/reader/exact_attention.hpp"
#include "lib/record/file.hpp"
#include "lib/record/json_value.hpp"
#include "tests/reader/layers.hpp"
#include "tests/record/refusal.hpp"

#include <charconv>
#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(AttentionWeights, by_hand_and_without_overflow) {
    EXPECT_EQ(attention_weights(Vector{7}), Vector{1});
    EXPECT_EQ(attention_weights(Vector{2, 2}), (Vector{.5, .5}));
    EXPECT_EQ(attention_weights(Vector{1e4, 1e4, -1e4}), (Vector{.5, .5, 0}));
    EXPECT_NEAR(attention_weights(Vector{0, std::log(3.0)})[1], .75, 1e-15);
    EXPECT_TRUE(attention_weights(Vector{}).empty());
}

/// Pitfall: a row whose every token is masked gave exp(-inf + inf) = NaN, which then spread through a batch.
TEST(AttentionWeights, a_fully_masked_row_has_no_weight) {
    EXPECT_EQ(attention_weights(Vector{-infinity, -infinity}), (Vector{0, 0}));
    EXPECT_EQ(attention_weights(Vector{-infinity, 3}), (Vector{0, 1}));
    // and a call that sees no token is refused, not answered
    const CaptureLayer layer = random_layer({}, 1);
    for (const NamedReader& r : baseline_readers(layer.shape.dim)) {
        const auto cache = stored(*r.reader, layer);
        for (const int tokens : {0, -1, layer.shape.tokens + 1})
            EXPECT_TRUE(refuses([&] { (void)cache->answer(layer.queries_at(0), tokens); },
                                ErrorCode::internal, {"visible tokens"}))
                << r.name;
        EXPECT_TRUE(
            refuses([&] { (void)cache->answer(Vector(3), 1); }, ErrorCode::internal, {"query entries"}));
    }
}

/// Attention in long double without subtracting a maximum: another algorithm, good for small logits.
Vector plain_attention(const CaptureLayer& layer, const Vector& queries, int h, int g, int tokens) {
    const auto d = static_cast<std::size_t>(layer.shape.dim);
    std::vector<long double> sums(d);
    long double mass = 0;
    for (int j = 0; j < tokens; ++j) {
        long double logit = 0;
        for (std::size_t c = 0; c < d; ++c)
            logit +=
                static_cast<long double>(queries[static_cast<std::size_t>(h) * d + c]) * layer.key(g, j)[c];
        const long double weight = std::exp(logit / std::sqrt(static_cast<long double>(d)));
        mass += weight;
        for (std::size_t c = 0; c < d; ++c) sums[c] += weight * layer.value(g, j)[c];
    }
    Vector out;
    for (const long double sum : sums) out.push_back(static_cast<double>(sum / mass));
    return out;
}

RC_GTEST_PROP(DenseProperty, is_attention, (std::uint64_t seed)) {
    const int groups = 1 + static_cast<int>(seed % 3);
    const Sizes sizes{groups, groups * (1 + static_cast<int>(seed / 3 % 3)),
                      1 + static_cast<int>(seed / 9 % 9), 30, 4};
    const CaptureLayer layer = random_layer(sizes, seed);
    const auto cache = stored(*dense_reader(), layer);
    const int tokens = 1 + static_cast<int>(seed / 81 % 30);
    const Vector queries = layer.queries_at(1);
    const Answer found = cache->answer(queries, tokens);
    for (int h = 0; h < sizes.query_heads; ++h) {
        const Vector expected = plain_attention(layer, queries, h, h / (sizes.query_heads / groups), tokens);
        for (std::size_t c = 0; c < expected.size(); ++c)
            RC_ASSERT(std::fabs(found.outputs[static_cast<std::size_t>(h) * expected.size() + c] -
                                expected[c]) <= 1e-12 * (1 + std::fabs(expected[c])));
    }
}

const JsonValue& member(const JsonValue& object, std::string_view key) {
    const JsonValue* const found = object.find(key);
    if (found == nullptr) throw std::out_of_range("no member " + std::string(key));
    return *found;
}

double number(const JsonValue& value) {
    double out = 0;
    std::from_chars(value.text.data(), value.text.data() + value.text.size(), out);
    return out;
}

/// Largest difference over largest entry.
double relative_difference(const Vector& found, const std::vector<double>& expected) {
    double difference = 0;
    double largest = 0;
    for (std::size_t c = 0; c < expected.size(); ++c) {
        difference = std::fmax(difference, std::fabs(found[c] - expected[c]));
        largest = std::fmax(largest, std::fabs(expected[c]));
    }
    return difference / largest;
}

TEST(Dense, agrees_with_the_check_values_of_the_captures) {
    const std::filesystem::path folder =
        std::filesystem::path(KVPROOF_SOURCE_DIR) / "../shared/data/captures";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no captures beside the sources";
    const JsonValue checks =
        parse_json(read_file(folder / "expected_attention.json", 1 << 20), "expected_attention.json");
    const auto dense = dense_reader();
    int rows = 0;
    const JsonValue& files = member(checks, "files");
    for (std::size_t i = 0; i < files.keys.size(); ++i) {
        const std::string& file = files.keys[i];
        const Capture capture(folder / file);
        for (const JsonValue& check : member(files.items[i], "attention").items) {
            const CaptureLayer layer = capture.layer(static_cast<int>(number(member(check, "layer"))));
            const auto cache = stored(*dense, layer);
            const auto row = static_cast<int>(number(member(check, "q_index")));
            const Answer answer = cache->answer(layer.queries_at(row), layer.shape.position(row) + 1);
            const auto d = static_cast<std::size_t>(layer.shape.dim);
            const auto h = static_cast<std::size_t>(number(member(check, "head")));
            const auto at = answer.outputs.begin() + static_cast<std::ptrdiff_t>(h * d);
            Vector expected;
            for (const JsonValue& x : member(check, "out").items) expected.push_back(number(x));
            const Vector found(at, at + static_cast<std::ptrdiff_t>(d));
            EXPECT_LE(relative_difference(found, expected), 1e-12) << file;
            // A mutant: one token less.
            if (layer.shape.position(row) > 0) {
                const Answer other = cache->answer(layer.queries_at(row), layer.shape.position(row));
                EXPECT_NE(other.outputs, answer.outputs);
            }
            ++rows;
        }
    }
    EXPECT_GE(rows, 36);
}

TEST(Dense, charges_sixteen_bits_a_scalar) {
    // ReadKV: one layer, 8192 tokens, G = 4, d_h = 128: 16 MiB
    EXPECT_EQ(dense_bits({.kv_heads = 4, .dim = 128}, 8192), 16ull << 23);
    EXPECT_EQ(dense_reader()->shared_bits(), 0u);
    EXPECT_FALSE(dense_reader()->needs_calibration());
}

} // namespace
