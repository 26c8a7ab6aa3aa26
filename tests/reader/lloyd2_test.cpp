// Lloyd-2: standardisation, the four published levels, the key norm.
#include "lib/reader/lloyd2.hpp"

#include "lib/capture/calibration.hpp"
#include "lib/codec/half.hpp"
#include "tests/reader/layers.hpp"
#include "tests/record/refusal.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

ReaderSettings unrotated(int dim) {
    const auto d = static_cast<std::size_t>(dim);
    return {Transform::identity(d), Transform::identity(d), shipped_code()};
}

TEST(Lloyd2, values_go_to_the_published_levels_of_their_channel) {
    // calibration: channel 0 is +-1 (mean 0, scale 1), channel 1 is 5 +- 2, channel 2 constant 3
    CaptureLayer calibration = random_layer({1, 1, 3, 2, 1}, 0);
    calibration.v = {1, 7, 3, -1, 3, 3};
    CaptureLayer layer = random_layer({1, 1, 3, 1, 1}, 0);
    const auto decoded = [&](const Vector& value) {
        layer.v = value;
        return lloyd2_reader()->encode({layer, &calibration, 0}, unrotated(3))->answer(layer.q, 1).outputs;
    };
    const auto expect = [&](const Vector& value, const Vector& expected) {
        const Vector found = decoded(value);
        for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(found[c], expected[c], 2e-6) << c;
    };
    expect({.3, 5.1, 3}, {.452780, 5 + 2 * .452780, 3});
    expect({-40, 5 + 2 * .99, 77}, {-1.510418, 5 + 2 * 1.510418, 3}); // the boundary is .981599
    expect({.98, 5 - 2 * .98, -1}, {.452780, 5 - 2 * .452780, 3});
    expect({0, 5, 3}, {.452780, 5 + 2 * .452780, 3}); // a boundary goes up
}

/// A decoded key, read off the weights that it gets against a key of 0 (which its norm of 0 keeps 0).
Vector decoded_key(const Vector& key, const CaptureLayer& calibration) {
    const int d = static_cast<int>(key.size());
    CaptureLayer layer = random_layer({1, 1, d, 2, 1}, 0);
    layer.k.assign(2 * key.size(), 0.0);
    set_vector(layer.k, layer.shape, 0, 1, key);
    layer.v.assign(2 * key.size(), -2.0);
    std::fill(layer.v.begin() + d, layer.v.end(), 2.0);
    const auto values = [&](const Vector& query, int tokens) {
        return lloyd2_reader()
            ->encode({layer, &calibration, 0}, unrotated(d))
            ->answer(query, tokens)
            .outputs[0];
    };
    const double first = values(Vector(key.size()), 1);
    const double second = 2 * values(Vector(key.size()), 2) - first; // a query of 0 takes the mean
    Vector out;
    for (std::size_t c = 0; c < key.size(); ++c) {
        Vector query(key.size());
        query[c] = 1;
        const double weight = (values(query, 2) - first) / (second - first);
        out.push_back(std::log(weight / (1 - weight)) * std::sqrt(static_cast<double>(d)));
    }
    return out;
}

/// The four levels by comparison with the published numbers.
double published_level(double z) {
    const double size = std::fabs(z) < .981599 ? .452780 : 1.510418;
    return z < 0 ? -size : size;
}

TEST(Lloyd2, keys_keep_their_binary16_norm_and_the_direction_of_their_levels) {
    const CaptureLayer calibration = random_layer({1, 1, 4, 50, 1}, 9);
    const Calibration learnt = calibrate(calibration, Transform::identity(4), Transform::identity(4));
    for (const Vector& key : {Vector{1, -2, .5, 3}, Vector{.1, 0, 0, .7}, Vector{-4, -4, 1, 2}}) {
        Vector expected;
        for (std::size_t c = 0; c < 4; ++c)
            expected.push_back(learnt.keys.mean[c] +
                               learnt.keys.scale[c] *
                                   published_level((key[c] - learnt.keys.mean[c]) / learnt.keys.scale[c]));
        const auto norm = [](const Vector& x) {
            double sum = 0;
            for (const double entry : x) sum += entry * entry;
            return std::sqrt(sum);
        };
        const double factor = nearest_half(norm(key)).value / norm(expected);
        const Vector found = decoded_key(key, calibration);
        for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(found[c], factor * expected[c], 2e-5) << c;
        EXPECT_GT(std::fabs(factor - 1), 1e-3); // without the correction the test would fail
    }
}

TEST(Lloyd2, charges) {
    const CaptureLayer layer = random_layer({2, 4, 8, 10, 1}, 1);
    const auto cache = stored(*lloyd2_reader(), layer);
    const Answer answer = cache->answer(layer.queries_at(0), 10);
    EXPECT_EQ(answer.payload_bits, 2u * 2 * 2 * 8 * 10);
    EXPECT_EQ(answer.overhead_bits, 2u * 16 * 10 + 4 * 2 * 8 * 16 + 2 * 4 * 32);
    EXPECT_EQ(cache->stored_bits(10), answer.bits() - 2 * 4 * 32);
    EXPECT_EQ(lloyd2_reader()->shared_bits(), 2u * 4 * 32);
}

TEST(Lloyd2, needs_a_calibration_of_the_same_heads) {
    const CaptureLayer layer = random_layer({2, 4, 8, 10, 1}, 1);
    const CaptureLayer other = random_layer({1, 4, 8, 10, 1}, 1);
    EXPECT_TRUE(lloyd2_reader()->needs_calibration());
    EXPECT_TRUE(refuses(
        [&] {
            (void)lloyd2_reader()->encode({layer, nullptr, 0}, settings_for(8));
        },
        ErrorCode::bad_option, {"lloyd2", "no calibration", "--calibration"}));
    EXPECT_TRUE(refuses(
        [&] {
            (void)lloyd2_reader()->encode({layer, &other, 0}, settings_for(8));
        },
        ErrorCode::bad_option, {"1 KV heads of dimension 8", "2 KV heads"}));
}

} // namespace
