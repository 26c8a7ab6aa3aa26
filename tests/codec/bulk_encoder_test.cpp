// The bulk encoder against the walk down the tree, over exact rationals, on the values that matter.
#include "lib/codec/bulk_encoder.hpp"

#include "lib/codec/lloyd_tree.hpp"
#include "tests/codec/codebook_generator.hpp"
#include "tests/record/refusal.hpp"

#include <gtest/gtest.h>
#include <random>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

/// Boundaries, their neighbours as floats and, far nearer, as doubles, and others.
std::vector<double> probes_of(const Codebook<float>& codebook, std::mt19937_64& next) {
    const double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> out = {-infinity, infinity, 0.0, -0.0, 1e300, -1e300, 5e-324, -5e-324};
    for (const float b : codebook.boundaries.back())
        out.insert(out.end(), {double{b}, std::nextafter(double{b}, -infinity),
                               std::nextafter(double{b}, infinity), double{std::nextafter(b, 1e38F)}});
    for (int i = 0; i < 50; ++i) out.push_back(hard_float(next));
    return out;
}

std::uint32_t by_walk(const Codebook<Rational>& exact, double z) {
    if (std::isinf(z)) return z > 0 ? (1U << exact.depth()) - 1 : 0;
    return encode(exact, rational_from(z));
}

RC_GTEST_PROP(BulkEncoderProperty, the_search_is_the_walk, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const Codebook<float> codebook = random_codebook(*rc::gen::inRange(1, 9), next);
    const Codebook<Rational> exact = exact_codebook(codebook);
    const std::vector<double> z = probes_of(codebook, next);
    std::vector<std::uint8_t> codes(z.size());
    BulkEncoder(codebook).encode(z, codes);
    for (std::size_t i = 0; i < z.size(); ++i) RC_ASSERT(codes[i] == by_walk(exact, z[i]));
}

/// Even boundaries go by the grid, and these by the search once there are three in a cell: one far off makes
/// the cells wide.
TEST(BulkEncoder, grid_and_search_are_the_walk) {
    std::mt19937_64 next(5);
    for (int depth = 1; depth <= 8; ++depth)
        for (const float far : {0.0F, 10.0F, 1000.0F, 1e30F}) {
            std::set<float> boundaries;
            const int count = (1 << depth) - 1;
            for (int i = 0; i < count; ++i) boundaries.insert(static_cast<float>(i) * 0.013F - 1);
            if (far != 0 && depth > 1) {
                boundaries.erase(*boundaries.rbegin());
                boundaries.insert(far);
            }
            Codebook<float> codebook = nested(depth, boundaries);
            for (int t = 0; t <= depth; ++t) codebook.centroids[t].assign(std::size_t{1} << t, 0);
            const Codebook<Rational> exact = exact_codebook(codebook);
            const std::vector<double> z = probes_of(codebook, next);
            std::vector<std::uint8_t> codes(z.size());
            BulkEncoder(codebook).encode(z, codes);
            for (std::size_t i = 0; i < z.size(); ++i) EXPECT_EQ(codes[i], by_walk(exact, z[i]));
        }
}

TEST(BulkEncoder, agrees_on_the_lloyd_table_to_its_boundaries_neighbours) {
    const Codebook<float> codebook = float32_codebook(8);
    const Codebook<Rational> exact = exact_codebook(codebook);
    std::mt19937_64 next(1);
    const std::vector<double> z = probes_of(codebook, next);
    std::vector<std::uint8_t> codes(z.size());
    BulkEncoder(codebook).encode(z, codes);
    int rounded_differ = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
        EXPECT_EQ(codes[i], by_walk(exact, z[i]));
        // The mutant: z rounded to float first. It moves numbers just below a boundary up to it.
        if (std::fabs(z[i]) < 1e30) rounded_differ += codes[i] != encode(codebook, static_cast<float>(z[i]));
    }
    EXPECT_GT(rounded_differ, 200);
}

RC_GTEST_PROP(BulkEncoderProperty, channels_and_tokens_are_standardised_in_double, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    std::normal_distribution<double> normal;
    const Codebook<float> codebook = random_codebook(*rc::gen::inRange(1, 9), next);
    const BulkEncoder encoder(codebook);
    const std::size_t n = next() % 50;
    std::vector<double> x(n);
    std::vector<double> mu(n);
    std::vector<double> sigma(n);
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = 100 * normal(next);
        mu[i] = normal(next);
        sigma[i] = next() % 4 == 0 ? 0.0 : std::fabs(normal(next));
    }
    std::vector<double> z(n);
    std::vector<std::uint8_t> expected(n);
    std::vector<std::uint8_t> found(n);
    for (std::size_t i = 0; i < n; ++i) z[i] = sigma[i] == 0 ? 0 : (x[i] - mu[i]) / sigma[i];
    encoder.encode(z, expected);
    encoder.encode_token(x, mu, sigma, found);
    RC_ASSERT(found == expected);
    if (n == 0) return;
    for (std::size_t i = 0; i < n; ++i) z[i] = sigma[0] == 0 ? 0 : (x[i] - mu[0]) / sigma[0];
    encoder.encode(z, expected);
    encoder.encode_channel(x, mu[0], sigma[0], found);
    RC_ASSERT(found == expected);
}

/// A constant channel must not become 0 (a released system did that): mu + 0 * z^ is mu at every depth.
TEST(BulkEncoder, a_channel_of_scale_0_gives_its_mean) {
    const Codebook<float> codebook = naive_lloyd_tree(8);
    const std::vector<double> x = {3.5, 3.5, 4};
    std::vector<std::uint8_t> codes(3);
    BulkEncoder(codebook).encode_channel(x, 3.5, 0, codes);
    for (const std::uint8_t code : codes) {
        EXPECT_EQ(code, encode(codebook, 0.0F));
        for (int t = 0; t <= 8; ++t) EXPECT_EQ(3.5 + 0.0 * double{decode(codebook, code, t)}, 3.5);
    }
}

TEST(BulkEncoder, what_cannot_be_is_refused) {
    std::mt19937_64 next(1);
    EXPECT_TRUE(refuses([&] { BulkEncoder(random_codebook(9, next)); }, ErrorCode::internal, {"depth 9"}));
    const BulkEncoder encoder(naive_lloyd_tree(2));
    std::vector<std::uint8_t> codes(20);
    std::vector<double> z(20);
    z[17] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(refuses([&] { encoder.encode(z, codes); }, ErrorCode::internal, {"NaN at 17"}));
    z.resize(19);
    EXPECT_TRUE(refuses([&] { encoder.encode(z, codes); }, ErrorCode::internal, {"20 entries, expected 19"}));
    const std::vector<double> twenty(20);
    EXPECT_TRUE(refuses([&] { encoder.encode_token(twenty, z, twenty, codes); }, ErrorCode::internal,
                        {"19 entries, expected 20"}));
}

} // namespace
