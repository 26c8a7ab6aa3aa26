// Means and scales against a running recurrence in long double, exact small cases, and what must not change
// them.
#include "lib/capture/calibration.hpp"

#include "tests/capture/files.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <rapidcheck/gtest.h>

using namespace kvproof;

namespace {

struct Sizes {
    int heads;
    int tokens;
    int dim;
    [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(heads) * tokens * dim; }
};

Sizes any_sizes() {
    return {*rc::gen::inRange(1, 4), *rc::gen::inRange(1, 40), 1 << *rc::gen::inRange(0, 4)};
}

/// Numbers far from zero and near each other, where a one-pass sum of squares fails.
std::vector<double> any_vectors(const Sizes& sizes) {
    const double offset = std::ldexp(1.0, *rc::gen::inRange(0, 24));
    std::vector<double> out;
    for (std::size_t i = 0; i < sizes.count(); ++i)
        out.push_back(offset + *rc::gen::inRange(-1000, 1001) / 7.0);
    return out;
}

/// Welford's recurrence for the mean and the sum of squared deviations.
struct Running {
    long double mean = 0;
    long double squares = 0;
    int count = 0;
    void take(long double x) {
        const long double before = x - mean;
        mean += before / ++count;
        squares += before * (x - mean);
    }
    [[nodiscard]] long double scale() const { return std::sqrt(squares / count); }
};

/// U x by its definition, sum_j U_ij x_j, in long double.
std::vector<long double> transformed(const std::vector<double>& vectors, std::size_t at,
                                     const Transform& transform) {
    const std::size_t d = transform.dimension();
    std::vector<long double> out(d);
    for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < d; ++j) {
            const bool odd = (std::popcount(i & j) & 1) != 0;
            const long double entry = transform.is_identity() ? (i == j ? 1.0L : 0.0L)
                                                              : (odd ? -1.0L : 1.0L) * transform.signs()[j] /
                                                                    std::sqrt(static_cast<long double>(d));
            out[i] += entry * vectors[at + j];
        }
    return out;
}

RC_GTEST_PROP(Calibration, is_welfords_mean_and_deviation, (bool hadamard)) {
    const Sizes sizes = any_sizes();
    const std::vector<double> vectors = any_vectors(sizes);
    const auto d = static_cast<std::size_t>(sizes.dim);
    const Transform transform = hadamard ? Transform::hadamard(d, 3, 0) : Transform::identity(d);
    const ChannelStatistics found = channel_statistics(vectors, sizes.heads, sizes.dim, transform);
    RC_ASSERT(found.mean.size() == static_cast<std::size_t>(sizes.heads) * d);
    RC_ASSERT(found.scale.size() == found.mean.size());
    double largest = 0;
    for (const double x : vectors) largest = std::max(largest, std::abs(x));
    for (int g = 0; g < sizes.heads; ++g) {
        std::vector<Running> running(d);
        for (int j = 0; j < sizes.tokens; ++j) {
            const auto x =
                transformed(vectors, (static_cast<std::size_t>(g) * sizes.tokens + j) * d, transform);
            for (std::size_t c = 0; c < d; ++c) running[c].take(x[c]);
        }
        for (std::size_t c = 0; c < d; ++c) {
            // a transformed entry is off by a few units of the largest sum, d numbers over its root
            const auto slack =
                static_cast<long double>(largest) * std::sqrt(static_cast<long double>(d)) * 0x1p-46L;
            RC_ASSERT(std::abs(found.mean[g * d + c] - running[c].mean) <= slack);
            RC_ASSERT(std::abs(found.scale[g * d + c] - running[c].scale()) <= slack);
        }
    }
}

/// The check above would see the sample deviation (over T - 1) and a scale left at the variance.
TEST(Calibration, is_the_population_deviation_by_hand) {
    const ChannelStatistics found =
        channel_statistics({1, 10, 3, 10, 5, 10, 7, 10}, 1, 2, Transform::identity(2));
    EXPECT_EQ(found.mean, (std::vector<double>{4, 10}));
    EXPECT_EQ(found.scale, (std::vector<double>{std::sqrt(5.0), 0})); // 20/4, and exactly 0 for a constant
    // two heads are two heads
    const ChannelStatistics two = channel_statistics({1, 3, 10, 14}, 2, 1, Transform::identity(1));
    EXPECT_EQ(two.mean, (std::vector<double>{2, 12}));
    EXPECT_EQ(two.scale, (std::vector<double>{1, 2}));
    // H/sqrt(2) of (3, 1) and (1, 3): both sums are 4/sqrt(2), the differences +-2/sqrt(2)
    const ChannelStatistics turned = channel_statistics({3, 1, 1, 3}, 1, 2, Transform::hadamard(2));
    EXPECT_DOUBLE_EQ(turned.mean[0], 4 / std::sqrt(2.0));
    EXPECT_EQ(turned.mean[1], 0);
    EXPECT_EQ(turned.scale[0], 0);
    EXPECT_DOUBLE_EQ(turned.scale[1], std::sqrt(2.0));
}

/// The order of the tokens changes roundings only; and channels permuted beforehand are channels permuted
/// afterwards, bit for bit.
RC_GTEST_PROP(Calibration, does_not_know_the_order_of_tokens, ()) {
    const Sizes sizes = any_sizes();
    const std::vector<double> vectors = any_vectors(sizes);
    const auto d = static_cast<std::size_t>(sizes.dim);
    std::vector<std::size_t> order(static_cast<std::size_t>(sizes.tokens));
    std::iota(order.begin(), order.end(), 0);
    std::rotate(order.begin(), order.begin() + *rc::gen::inRange(0, sizes.tokens), order.end());
    if (*rc::gen::arbitrary<bool>()) std::reverse(order.begin(), order.end());
    std::vector<double> shuffled(vectors.size());
    std::vector<double> reversed(vectors.size());
    for (std::size_t g = 0; g < static_cast<std::size_t>(sizes.heads); ++g)
        for (std::size_t j = 0; j < order.size(); ++j)
            for (std::size_t c = 0; c < d; ++c) {
                const double x = vectors[(g * order.size() + j) * d + c];
                shuffled[(g * order.size() + order[j]) * d + c] = x;
                reversed[(g * order.size() + j) * d + (d - 1 - c)] = x;
            }
    const Transform identity = Transform::identity(d);
    const ChannelStatistics found = channel_statistics(vectors, sizes.heads, sizes.dim, identity);
    const ChannelStatistics other = channel_statistics(shuffled, sizes.heads, sizes.dim, identity);
    const ChannelStatistics turned = channel_statistics(reversed, sizes.heads, sizes.dim, identity);
    double largest = 0; // at most 40 sums, each rounded relative to what is summed
    for (const double x : vectors) largest = std::max(largest, std::abs(x));
    const double slack = largest * 0x1p-45;
    for (std::size_t i = 0; i < found.mean.size(); ++i) {
        RC_ASSERT(std::abs(found.mean[i] - other.mean[i]) <= slack);
        RC_ASSERT(std::abs(found.scale[i] - other.scale[i]) <= slack);
        const std::size_t mirrored = i / d * d + (d - 1 - i % d);
        RC_ASSERT(found.mean[i] == turned.mean[mirrored]);
        RC_ASSERT(found.scale[i] == turned.scale[mirrored]);
    }
}

TEST(Calibration, of_a_layer_is_of_its_keys_and_of_its_values) {
    CaptureLayer layer;
    layer.shape = {.layers = 1, .query_heads = 2, .kv_heads = 1, .dim = 2, .tokens = 2, .queries = 1};
    layer.q = {9, 9, 9, 9};
    layer.k = {1, 2, 3, 4};
    layer.v = {10, 20, 30, 60};
    const Calibration found = calibrate(layer, Transform::identity(2), Transform::identity(2));
    EXPECT_EQ(found.keys.mean, (std::vector<double>{2, 3}));
    EXPECT_EQ(found.keys.scale, (std::vector<double>{1, 1}));
    EXPECT_EQ(found.values.mean, (std::vector<double>{20, 40}));
    EXPECT_EQ(found.values.scale, (std::vector<double>{10, 20}));
    // each stage has its own transform
    const Calibration turned = calibrate(layer, Transform::hadamard(2), Transform::identity(2));
    EXPECT_EQ(turned.values.mean, found.values.mean);
    EXPECT_NE(turned.keys.mean, found.keys.mean);
}

} // namespace
