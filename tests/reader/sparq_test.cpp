// SparQ: the published test vector, ties, the mean term, what is read and what is not, the nested code.
#include "lib/reader/sparq.hpp"

#include "lib/capture/calibration.hpp"
#include "lib/reader/sparq_selection.hpp"
#include "tests/reader/layers.hpp"
#include "tests/record/refusal.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

TEST(SparqSelection, the_test_vector_of_the_official_code) {
    const Vector first = {1, 10, -20, 2};
    const Vector second = {30, 3, 4, 40};
    const std::vector<int> zero = {0};
    const std::vector<int> one = {1};
    EXPECT_EQ(sparq_channels(first, 2, 1), zero);
    EXPECT_EQ(sparq_channels(second, 2, 1), one);
    const auto logit = [](const Vector& q, int c, double key) {
        return q[static_cast<std::size_t>(c)] * key * sparq_logit_factor(q, std::vector<int>{c});
    };
    EXPECT_NEAR(logit({1, 10}, 0, 1), 2.3452, 5e-5);
    EXPECT_NEAR(logit({-20, 2}, 0, 1), -14.8324, 5e-5);
    EXPECT_NEAR(logit({30, 3}, 1, 2), 14.0712, 5e-5);
    EXPECT_NEAR(logit({4, 40}, 1, 2), 59.3296, 5e-5);
}

/// Pitfall: top-k whose ties fell differently from run to run. Here the lower index comes first, always.
TEST(SparqSelection, ties_go_to_the_lower_index) {
    EXPECT_EQ(sparq_channels(Vector{1, -1, 1, 1}, 4, 2), (std::vector<int>{0, 1}));
    EXPECT_EQ(sparq_tokens(Vector{5, 5, 5, 5, 5}, 2, 0), (std::vector<int>{0, 1, 4}));
    EXPECT_EQ(sparq_tokens(Vector{0, 7, 7, 7, 9}, 2, 0), (std::vector<int>{1, 2, 4}));
    EXPECT_EQ(sparq_tokens(Vector{5, 5, 5, 5, 5}, 3, 2), (std::vector<int>{0, 2, 3, 4}));
    EXPECT_EQ(sparq_tokens(Vector{9, 1, 1, 1, 1}, 1, 1), (std::vector<int>{3, 4}));
    EXPECT_EQ(sparq_tokens(Vector{3}, 4, 2), std::vector<int>{0});
    EXPECT_EQ(sparq_tokens(Vector{3, 1}, 4, 2), (std::vector<int>{0, 1}));
    EXPECT_EQ(sparq_logit_factor(Vector{0, 0}, std::vector<int>{0}), 0); // 0/0 in the formula
    EXPECT_EQ(sparq_logit_factor(Vector{0, 3}, std::vector<int>{0}), 0);
}

RC_GTEST_PROP(SparqProperty, the_selected_tokens_are_the_best_and_the_current_one, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    Vector scores(1 + next() % 30);
    for (double& s : scores) s = static_cast<double>(next() % 8); // many ties
    const int k = 1 + static_cast<int>(next() % 10);
    const std::vector<int> found = sparq_tokens(scores, k, 0);
    const int current = static_cast<int>(scores.size()) - 1;
    RC_ASSERT(found.size() == std::min<std::size_t>(static_cast<std::size_t>(k) + 1, scores.size()));
    RC_ASSERT(found.back() == current);
    // by counting: a past token is in iff fewer than k past ones stand before it
    for (int j = 0; j < current; ++j) {
        int before = 0;
        for (int i = 0; i < current; ++i) {
            const double a = scores[static_cast<std::size_t>(i)];
            const double b = scores[static_cast<std::size_t>(j)];
            before += a > b || (a == b && i < j) ? 1 : 0;
        }
        RC_ASSERT(std::ranges::count(found, j) == (before < k ? 1 : 0));
    }
}

Vector answered(const Reader& reader, const CaptureLayer& layer, int tokens, int row = 0) {
    return stored(reader, layer)->answer(layer.queries_at(row), tokens).outputs;
}

/// SparQ from its formula, head by head, on plain arrays: channels are scored on one cache, tokens read from
/// another, and the mean is that of the captured values.
Vector by_formula(const CaptureLayer& layer, const CaptureLayer& scored, const CaptureLayer& read, int tokens,
                  int r, int k) {
    const int d = layer.shape.dim;
    const int heads = layer.shape.query_heads / layer.shape.kv_heads;
    Vector out;
    for (int g = 0; g < layer.shape.kv_heads; ++g) {
        std::vector<std::pair<double, int>> channels;
        for (int c = 0; c < d; ++c) {
            double sum = 0;
            for (int h = 0; h < heads; ++h)
                sum += std::fabs(layer.query(g * heads + h, 0)[static_cast<std::size_t>(c)]);
            channels.emplace_back(-sum, c);
        }
        std::sort(channels.begin(), channels.end());
        channels.resize(static_cast<std::size_t>(r));
        std::vector<Vector> logits;
        for (int h = 0; h < heads; ++h) {
            const auto q = layer.query(g * heads + h, 0);
            double all = 0;
            double selected = 0;
            for (const double x : q) all += std::fabs(x);
            for (const auto& [sum, c] : channels) selected += std::fabs(q[static_cast<std::size_t>(c)]);
            Vector row;
            for (int j = 0; j < tokens; ++j) {
                double dot = 0;
                for (const auto& [sum, c] : channels)
                    dot += q[static_cast<std::size_t>(c)] * scored.key(g, j)[static_cast<std::size_t>(c)];
                row.push_back(dot / std::sqrt(d * selected / all));
            }
            logits.push_back(row);
        }
        std::vector<std::pair<double, int>> order;
        for (int j = 0; j + 1 < tokens; ++j) {
            double sum = 0;
            for (const Vector& row : logits) sum += row[static_cast<std::size_t>(j)];
            order.emplace_back(-sum, j);
        }
        std::sort(order.begin(), order.end());
        if (static_cast<int>(order.size()) > k) order.resize(static_cast<std::size_t>(k));
        order.emplace_back(0, tokens - 1);
        for (int h = 0; h < heads; ++h) {
            const auto q = layer.query(g * heads + h, 0);
            double inside = 0;
            double mass = 0;
            for (int j = 0; j < tokens; ++j)
                mass += std::exp(logits[static_cast<std::size_t>(h)][static_cast<std::size_t>(j)]);
            Vector sum(static_cast<std::size_t>(d));
            double total = 0;
            for (const auto& [score, j] : order) {
                inside += std::exp(logits[static_cast<std::size_t>(h)][static_cast<std::size_t>(j)]);
                double dot = 0;
                for (int c = 0; c < d; ++c)
                    dot += q[static_cast<std::size_t>(c)] * read.key(g, j)[static_cast<std::size_t>(c)];
                const double weight = std::exp(dot / std::sqrt(static_cast<double>(d)));
                total += weight;
                for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += weight * read.value(g, j)[c];
            }
            const double alpha = inside / mass;
            for (std::size_t c = 0; c < sum.size(); ++c) {
                double mean = 0;
                for (int j = 0; j < tokens; ++j) mean += layer.value(g, j)[c] / tokens;
                out.push_back(alpha * sum[c] / total + (1 - alpha) * mean);
            }
        }
    }
    return out;
}

RC_GTEST_PROP(SparqProperty, is_its_formula, (std::uint64_t seed)) {
    const CaptureLayer layer = random_layer({2, 6, 8, 25, 1}, seed);
    const int tokens = 1 + static_cast<int>(seed % 25);
    const int r = 1 + static_cast<int>(seed / 25 % 8);
    const int k = 1 + static_cast<int>(seed / 200 % 10);
    const Vector found = answered(*sparq_reader({.channels = r, .selected = k}), layer, tokens);
    const Vector expected = by_formula(layer, layer, layer, tokens, r, k);
    for (std::size_t i = 0; i < found.size(); ++i)
        RC_ASSERT(std::fabs(found[i] - expected[i]) <= 1e-11 * (1 + std::fabs(expected[i])));
}

/// All channels and all tokens: nothing is left out, and SparQ is attention.
TEST(Sparq, with_everything_selected_it_is_dense) {
    const CaptureLayer layer = random_layer({2, 4, 8, 25, 1}, 3);
    const Vector dense = answered(*dense_reader(), layer, 25);
    const Vector found = answered(*sparq_reader({.channels = 8, .selected = 24}), layer, 25);
    for (std::size_t i = 0; i < dense.size(); ++i) EXPECT_NEAR(found[i], dense[i], 1e-14);
}

/// What is neither scored nor selected does not matter: unselected channels of unselected keys, at all.
RC_GTEST_PROP(SparqProperty, unread_bits_do_not_matter, (std::uint64_t seed)) {
    CaptureLayer layer = random_layer({1, 2, 8, 20, 1}, seed);
    const auto reader = sparq_reader({.channels = 3, .selected = 4});
    const Vector before = answered(*reader, layer, 20);
    const Vector queries = layer.queries_at(0);
    const std::vector<int> channels = sparq_channels(queries, 8, 3);
    Vector scores(20);
    for (std::size_t h = 0; h < 2; ++h) {
        const std::span<const double> q = std::span(queries).subspan(h * 8, 8);
        for (int j = 0; j < 20; ++j) {
            double sum = 0;
            for (const int c : channels)
                sum += q[static_cast<std::size_t>(c)] * layer.key(0, j)[static_cast<std::size_t>(c)];
            scores[static_cast<std::size_t>(j)] += sum * sparq_logit_factor(q, channels);
        }
    }
    const std::vector<int> read = sparq_tokens(scores, 4, 0);
    CaptureLayer touched = layer;
    for (int j = 0; j < 20; ++j)
        for (int c = 0; c < 8; ++c)
            if (std::ranges::count(read, j) == 0 && std::ranges::count(channels, c) == 0)
                touched.k[static_cast<std::size_t>(j * 8 + c)] = 1e6 * (c + 1);
    RC_ASSERT(touched.k != layer.k);
    RC_ASSERT(answered(*reader, touched, 20) == before);
    // The mutant: a scored channel of the same keys does matter.
    for (int j = 0; j < 19; ++j)
        if (std::ranges::count(read, j) == 0)
            touched.k[static_cast<std::size_t>(j * 8 + channels[0])] =
                queries[static_cast<std::size_t>(channels[0])] * 100;
    RC_ASSERT(answered(*reader, touched, 20) != before);
}

/// Pitfall: a stage silently off. The mean term, the local window, r and k each change the output.
TEST(Sparq, every_stage_changes_the_output) {
    const CaptureLayer layer = random_layer({2, 4, 8, 40, 1}, 5);
    for (const bool nested : {false, true}) {
        std::vector<Vector> outputs;
        for (const SparqOptions& options : {SparqOptions{4, 6, 0, true},
                                            {4, 6, 0, false},
                                            {4, 6, 5, true},
                                            {2, 6, 0, true},
                                            {4, 3, 0, true}})
            outputs.push_back(
                answered(nested ? *sparq_nested_reader(options) : *sparq_reader(options), layer, 40));
        for (std::size_t i = 0; i < outputs.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) EXPECT_NE(outputs[i], outputs[j]) << i << " " << j;
    }
}

/// The mean is of the visible values: not of all of them, not without the current one.
TEST(Sparq, the_mean_is_over_the_visible_tokens) {
    CaptureLayer layer = random_layer({1, 1, 2, 4, 1}, 0);
    layer.q = {0, 0}; // all logits 0: k + 1 of t tokens have mass (k + 1) / t
    layer.k = {1, 0, 2, 0, 3, 0, 4, 0};
    layer.v = {1, 0, 2, 0, 6, 0, 100, 0};
    const auto reader = sparq_reader({.channels = 1, .selected = 1});
    EXPECT_DOUBLE_EQ(answered(*reader, layer, 3)[0], 2.0 / 3 * 3.5 + 1.0 / 3 * 3);
    EXPECT_DOUBLE_EQ(answered(*reader, layer, 2)[0], 1.5);
    EXPECT_DOUBLE_EQ(answered(*reader, layer, 4)[0], .5 * 50.5 + .5 * 27.25);
}

/// A layer decoded at a depth, from the definition: the cell of z is how many boundaries are not above it.
CaptureLayer decoded(const CaptureLayer& layer, std::size_t depth) {
    const Transform identity = Transform::identity(static_cast<std::size_t>(layer.shape.dim));
    const Calibration learnt = calibrate(layer, identity, identity);
    CaptureLayer out = layer;
    const auto decode_all = [&](std::vector<double>& all, const ChannelStatistics& statistics) {
        const std::size_t d = identity.dimension();
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::size_t channel = i / (d * static_cast<std::size_t>(layer.shape.tokens)) * d + i % d;
            const double z = (all[i] - statistics.mean[channel]) / statistics.scale[channel];
            const auto cell = std::ranges::count_if(shipped_code().codebook.boundaries[depth],
                                                    [&](float b) { return b <= z; });
            all[i] = statistics.mean[channel] +
                     statistics.scale[channel] *
                         shipped_code().codebook.centroids[depth][static_cast<std::size_t>(cell)];
        }
    };
    decode_all(out.k, learnt.keys);
    decode_all(out.v, learnt.values);
    return out;
}

RC_GTEST_PROP(SparqProperty, nested_is_its_formula_on_depths_two_and_eight, (std::uint64_t seed)) {
    const CaptureLayer layer = random_layer({2, 6, 8, 25, 1}, seed);
    const int tokens = 1 + static_cast<int>(seed % 25);
    const int r = 1 + static_cast<int>(seed / 25 % 8);
    const int k = 1 + static_cast<int>(seed / 200 % 10);
    const ReaderSettings settings{Transform::identity(8), Transform::identity(8), shipped_code()};
    const Vector found = sparq_nested_reader({.channels = r, .selected = k})
                             ->encode({layer, &layer, 0}, settings)
                             ->answer(layer.queries_at(0), tokens)
                             .outputs;
    const Vector expected = by_formula(layer, decoded(layer, 2), decoded(layer, 8), tokens, r, k);
    for (std::size_t i = 0; i < found.size(); ++i)
        RC_ASSERT(std::fabs(found[i] - expected[i]) <= 1e-11 * (1 + std::fabs(expected[i])));
}

TEST(SparqNested, reads_depth_two_of_channels_and_depth_eight_of_tokens) {
    const CaptureLayer layer = random_layer({2, 4, 8, 40, 1}, 6);
    // everything selected, everything scored: attention on depth-8 vectors, near the truth
    const Vector dense = answered(*dense_reader(), layer, 40);
    const Vector fine = answered(*sparq_nested_reader({.channels = 8, .selected = 39}), layer, 40);
    double largest = 0;
    for (std::size_t i = 0; i < dense.size(); ++i)
        largest = std::fmax(largest, std::fabs(fine[i] - dense[i]));
    EXPECT_LT(largest, .1);
    EXPECT_GT(largest, 1e-6);
    const auto cache = stored(*sparq_nested_reader({.channels = 3, .selected = 4}), layer);
    const Answer answer = cache->answer(layer.queries_at(0), 40);
    EXPECT_EQ(answer.payload_bits, 2u * (2 * 3 * 40 + 2 * 8 * 8 * 5));
    EXPECT_EQ(answer.overhead_bits, 2u * 16 * 8 + 4 * 2 * 8 * 16 + 2 * 511 * 32);
    EXPECT_EQ(cache->stored_bits(40), 2u * 2 * 8 * 8 * 40 + 2 * 16 * 8 + 4 * 2 * 8 * 16);
    EXPECT_EQ(sparq_nested_reader({3, 4})->shared_bits(), 2u * 511 * 32);
}

TEST(SparqNested, a_user_codebook_may_be_deeper_but_not_shallower) {
    const CaptureLayer layer = random_layer({2, 4, 8, 40, 1}, 6);
    const auto reader = sparq_nested_reader({.channels = 3, .selected = 4});
    ReaderSettings settings = settings_for(8);
    const Vector expected =
        reader->encode({layer, &layer, 0}, settings)->answer(layer.queries_at(0), 40).outputs;
    settings.code = gaussian_code(9); // the same tree, one level more
    EXPECT_EQ(reader->encode({layer, &layer, 0}, settings)->answer(layer.queries_at(0), 40).outputs,
              expected);
    settings.code = gaussian_code(7);
    EXPECT_TRUE(refuses(
        [&] {
            (void)reader->encode({layer, &layer, 0}, settings);
        },
        ErrorCode::bad_option, {"depth 7", "at least 8"}));
}

TEST(Sparq, options_out_of_range_are_refused) {
    for (const SparqOptions& options : {SparqOptions{0, 1}, {1, 0}, {1, 1, 2}, {1, 1, -1}}) {
        EXPECT_TRUE(refuses([&] { (void)sparq_reader(options); }, ErrorCode::bad_option, {"sparq", "r = "}));
        EXPECT_TRUE(
            refuses([&] { (void)sparq_nested_reader(options); }, ErrorCode::bad_option, {"sparq-nested"}));
    }
    const CaptureLayer layer = random_layer({1, 1, 8, 3, 1}, 0);
    EXPECT_TRUE(refuses(
        [&] {
            (void)stored(*sparq_reader({9, 1}), layer);
        },
        ErrorCode::bad_option, {"found r = 9", "at most the head dimension 8"}));
}

} // namespace
