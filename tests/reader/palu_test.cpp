// PALU: offsets, what truncation costs, bits against the closed form.
#include "lib/reader/palu.hpp"

#include "lib/account/bits.hpp"
#include "lib/codec/uniform_group.hpp"
#include "lib/error.hpp"
#include "lib/reader/palu_code.hpp"
#include "tests/reader/models.hpp"
#include "tests/record/refusal.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

WhitenedSvd plain_factors(std::size_t n) {
    WhitenedSvd out{n, n, Vector(n, 1), Vector(n * n), Vector(n * n), Vector(n * n)};
    for (std::size_t c = 0; c < n; ++c)
        out.directions[c * n + c] = out.to_latent[c * n + c] = out.from_latent[c * n + c] = 1;
    return out;
}

/// Codes with an integer zero point that is clamped to the codes, as in the public code: the mutant.
Vector with_zero_point(Vector x, int bits) {
    const double most = (1 << bits) - 1;
    const auto [low, high] = std::ranges::minmax(x);
    const double scale = (high - low) / most;
    const double zero = std::clamp(std::round(-low / scale), 0.0, most);
    for (double& entry : x) entry = (std::clamp(std::round(entry / scale) + zero, 0.0, most) - zero) * scale;
    return x;
}

/// Pitfall: a range on one side of 0 is out of reach of an integer zero point: [10, 11] came back as 1.
TEST(Palu, a_range_that_does_not_hold_zero_comes_back) {
    const PaluCode code{plain_factors(2), 2, 4, Transform::identity(2)};
    Vector row = {10, 11};
    EXPECT_EQ(code.quantise(row), 0U);
    EXPECT_NEAR(row[0], 10, 1e-15);
    EXPECT_NEAR(row[1], 11, 15 * 0x1p-15); // the scale 1/15 in binary16, fifteen times
    EXPECT_EQ(with_zero_point({10, 11}, 4), (Vector{1, 1}));
    // where the range holds 0, both are right
    EXPECT_NEAR(with_zero_point({0, 1}, 4)[1], 1, 1e-15);
}

/// By hand: H/sqrt(2) of (3, 1.2) is (4.2, 1.8)/sqrt(2), of which one bit over [0, 4.2/sqrt(2)] leaves (4.2,
/// 0)/sqrt(2).
TEST(Palu, rotates_latents) {
    EXPECT_EQ(palu_block(96).dimension(), 32U);
    EXPECT_EQ(palu_block(128).dimension(), 128U);
    EXPECT_EQ(palu_block(352).dimension(), 32U);
    const PaluCode code{plain_factors(4), 4, 1, Transform::hadamard(2)};
    Vector row = {3, 1.2, 0, 0};
    EXPECT_EQ(code.quantise(row), 0U);
    EXPECT_NEAR(row[0], 2.1, 2.1 * 0x1p-11); // the scale in binary16
    EXPECT_NEAR(row[1], row[0], 1e-15);
    EXPECT_EQ(row[2], 0);
    EXPECT_EQ(row[3], 0);
}

/// Truncation: the singular values that are left out are the error on the calibration inputs (what AATC's
/// Proposition 1 says of the transform), and codes add no more than their steps.
RC_GTEST_PROP(Palu, errs_by_the_singular_values_it_leaves_out, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    std::normal_distribution<double> normal;
    const std::size_t m = 12;
    const std::size_t n = 8;
    const std::size_t count = 30;
    Vector x(count * m);
    Vector w(m * n);
    for (double& entry : x) entry = normal(next);
    for (double& entry : w) entry = normal(next);
    Vector rows(count * n);
    for (std::size_t j = 0; j < count; ++j)
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t c = 0; c < n; ++c) rows[j * n + c] += x[j * m + i] * w[i * n + c];
    const std::size_t rank = 1 + next() % n;
    const PaluCode code{whitened_svd(input_root(x, m), w, n), rank, 8, Transform::identity(rank)};
    double left_out = 0;
    for (std::size_t c = rank; c < n; ++c) left_out += code.factors.singular[c] * code.factors.singular[c];
    left_out *= static_cast<double>(count);
    double codes = 0; // at most: half a step, and the rounding of fields to 11 bits
    for (std::size_t j = 0; j < count; ++j) {
        Vector h(n);
        code.factors.encode(std::span(rows).subspan(j * n, n), h);
        const auto [low, high] = std::ranges::minmax(std::span(h).first(rank));
        const double step = (high - low) / 255 * (1 + 0x1p-10);
        const double worst = step / 2 + (std::fabs(low) + high - low) * 0x1p-10;
        codes += code.factors.singular[0] * static_cast<double>(rank) * worst * worst;
    }
    Vector coded = rows;
    RC_ASSERT(code.quantise(coded) == 0U);
    double error = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) error += (rows[i] - coded[i]) * (rows[i] - coded[i]);
    const double rounding = 1e-9 * std::inner_product(rows.begin(), rows.end(), rows.begin(), 0.0);
    RC_ASSERT(error >= left_out - rounding);
    RC_ASSERT(error <= left_out + codes + rounding);
}

RC_GTEST_PROP(Palu, touches_the_bits_of_the_closed_form, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const int groups = 1 + static_cast<int>(next() % 6); // 5: a group of 4, and one of 1
    const int dim = 32 * (1 + static_cast<int>(next() % 2));
    const CaptureLayer layer =
        random_layer({groups, groups, dim, 1 + static_cast<int>(next() % 250), 1}, seed);
    const int rest = groups % 4 == 0 ? 4 : groups % 4;
    const int rank = 32 * (1 + static_cast<int>(next() % static_cast<std::uint64_t>(rest * dim / 32)));
    const int bits = 1 + static_cast<int>(next() % 8);
    const auto reader = palu_reader(rank, bits);
    const auto cache = stored_with_source(*reader, layer, layer);
    const System system = parse_system("palu:" + std::to_string(rank) + "," + std::to_string(bits));
    const LayerGeometry geometry{groups, groups, dim};
    const int t = 1 + static_cast<int>(next() % static_cast<std::uint64_t>(layer.shape.tokens));
    const Answer answer = cache->answer(layer.queries_at(0), t);
    RC_ASSERT(Integer(answer.bits()) == layer_call_bits(system, geometry, t).total());
    const Cost kept = layer_stored_bits(system, geometry, t) + layer_retained_bits(system, geometry);
    RC_ASSERT(Integer(cache->stored_bits(t)) == kept.total());
    RC_ASSERT(Integer(reader->shared_bits()) == model_retained_bits(system, geometry).total());
}

/// Stages must not be switched off silently: rank, bits and rotation each change the answer.
TEST(Palu, every_stage_shows) {
    const CaptureLayer layer = random_layer({2, 4, 32, 300, 1}, 5);
    const Vector queries = layer.queries_at(0);
    const auto answer = [&](int rank, int bits, bool rotation = true) {
        return stored_with_source(*palu_reader(rank, bits), layer, layer, rotation)
            ->answer(queries, 300)
            .outputs;
    };
    const Vector base = answer(32, 4);
    EXPECT_NE(base, answer(64, 4));
    EXPECT_NE(base, answer(32, 3));
    EXPECT_NE(base, answer(32, 4, false));
    const Vector dense = stored(*dense_reader(), layer)->answer(queries, 300).outputs;
    const auto distance = [&](const Vector& x) {
        double sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - dense[i]) * (x[i] - dense[i]);
        return sum;
    };
    EXPECT_LT(distance(answer(64, 8)), distance(answer(64, 2)));
    EXPECT_LT(distance(answer(64, 8)), distance(answer(32, 8)));
}

TEST(Palu, refusals) {
    for (const int rank : {0, -32, 31, 48})
        EXPECT_TRUE(refuses([&] { (void)palu_reader(rank, 4); }, ErrorCode::bad_option, {"multiple of 32"}));
    for (const int bits : {0, 9})
        EXPECT_TRUE(refuses([&] { (void)palu_reader(32, bits); }, ErrorCode::bad_option, {"1 to 8"}));
    const CaptureLayer layer = random_layer({1, 1, 8, 20, 1}, 6);
    EXPECT_TRUE(refuses([&] { (void)stored_with_source(*palu_reader(32, 4), layer, layer); },
                        ErrorCode::bad_capture, {"memory", "palu", "8 channels", "32"}));
    const CaptureLayer wide = random_layer({1, 1, 32, 20, 1}, 7);
    for (const char* const name : {"x", "wk", "wv"}) {
        MemoryCapture source = capture_of(wide);
        source.matrices.erase(std::string("0.") + name);
        EXPECT_TRUE(refuses([&] { palu_reader(32, 4)->prepare(source, std::vector<int>{0}); },
                            ErrorCode::bad_capture, {"memory", name, "palu"}));
    }
}

/// 70%, to the nearest multiple of 32.
TEST(Palu, usual_rank) {
    const auto rank = [](int kv_heads, int dim) {
        CaptureShape shape;
        shape.kv_heads = kv_heads;
        shape.dim = dim;
        return usual_palu_rank(shape);
    };
    EXPECT_EQ(rank(4, 128), 352); // of 358.4
    EXPECT_EQ(rank(8, 128), 352);
    EXPECT_EQ(rank(1, 128), 96); // of 89.6
    EXPECT_EQ(rank(2, 64), 96);
    EXPECT_EQ(rank(4, 8), 32);
    EXPECT_EQ(rank(1, 8), 32); // which it does not have
    EXPECT_EQ(rank(5, 64), 32);
}

} // namespace
