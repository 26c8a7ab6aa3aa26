// TurboQuant's reader: what is stored of keys and values, its options, and what it charges. Golden vectors of
// its code are in tests/codec/unit_vector_code_test.cpp.
#include "lib/reader/turboquant.hpp"

#include "lib/codec/half.hpp"
#include "lib/codec/unit_vector_code.hpp"
#include "tests/reader/layers.hpp"
#include "tests/record/refusal.hpp"

#include <algorithm>
#include <gtest/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

/// With one token the output is its decoded value.
Vector decoded_value(const TurboQuantOptions& options, const Vector& value) {
    CaptureLayer layer = random_layer({1, 1, static_cast<int>(value.size()), 1, 1}, 0);
    layer.v = value;
    return stored(*turboquant_reader(options), layer)->answer(layer.q, 1).outputs;
}

TEST(TurboQuant, values_are_uniform_per_token_not_rotated_rounding_half_up) {
    // scale 1: 0.5 goes up, as do 1.5 and 2.5 (half to even would send the last and first down)
    EXPECT_EQ(decoded_value({}, {0, 15, .5, 1.5, 2.5, 7.25, 14.5, 3}), (Vector{0, 15, 1, 2, 3, 7, 15, 3}));
    EXPECT_EQ(decoded_value({}, Vector(8, -2.5)), Vector(8, -2.5));
    // encoded against the stored scale: range 1 gives 1/15 in binary16, and 15 of it are not 1
    EXPECT_EQ(decoded_value({}, {0, 1})[1], 15 * nearest_half(1.0 / 15).value);
}

TEST(TurboQuant, vector_values_are_turned_by_signs_of_their_own) {
    const CaptureLayer layer = random_layer({1, 1, 16, 1, 1}, 3);
    const auto coded = [&](std::uint16_t stream) {
        Vector x = layer.v;
        EXPECT_FALSE(
            (UnitVectorCode{Transform::hadamard(16, 5, stream), unit_vector_levels(2, 16), false}.quantise(
                x)));
        return x;
    };
    EXPECT_EQ(decoded_value(turboquant_mse(2, 5), layer.v), coded(1));
    EXPECT_NE(coded(0), coded(1));
}

TEST(TurboQuant, a_saturating_value_is_reported_and_leaves_the_vector) {
    CaptureLayer layer = random_layer({1, 1, 8, 1, 1}, 0);
    layer.v = {-125000, 1, 2, 3, 4, 5, 6, 7};
    layer.k = {1e6, 0, 0, 0, 0, 0, 0, 0};
    const auto cache = stored(*turboquant_reader(), layer);
    EXPECT_EQ(cache->saturated(), 2u);
    const Vector found = cache->answer(layer.q, 1).outputs;
    EXPECT_EQ(found[0], -65504);
    for (std::size_t c = 1; c < 8; ++c)
        EXPECT_LE(std::fabs(found[c] - layer.v[c]), 40) << c; // 15 ulps of the scale
    layer.v[0] = -12;
    layer.k[0] = 1;
    EXPECT_EQ(stored(*turboquant_reader(), layer)->saturated(), 0u);
}

/// Two tokens whose values are 0 and 1 show the weight of the second, and so what its key became.
double weight_of_second(const TurboQuantOptions& options, const Vector& query, const Vector& key) {
    const int d = static_cast<int>(key.size());
    CaptureLayer layer = random_layer({1, 1, d, 2, 1}, 0);
    layer.k.assign(2 * key.size(), 0.0);
    set_vector(layer.k, layer.shape, 0, 1, key);
    layer.v.assign(2 * key.size(), 0.0);
    std::fill(layer.v.begin() + d, layer.v.end(), 1.0);
    return stored(*turboquant_reader(options), layer)->answer(query, 2).outputs[0];
}

TEST(TurboQuant, keys_are_the_golden_ones_in_the_reader_too) {
    Vector one_hot(128);
    one_hot[9] = 4;
    const auto logit = [](double w) { return std::log(w / (1 - w)) * std::sqrt(128.0); };
    EXPECT_NEAR(logit(weight_of_second({}, one_hot, one_hot)), 16, 1e-10);
    TurboQuantOptions plain;
    plain.norm_correction = false;
    EXPECT_NEAR(logit(weight_of_second(plain, one_hot, one_hot)), 16 * .942340, 1e-4);
    const Vector ones(128, 1);
    EXPECT_NEAR(logit(weight_of_second({}, ones, ones)), .883751 * std::sqrt(128.0) * 11.3125, 1e-3);
}

/// Pitfall: a stage that was silently off. Every option must change what comes out.
TEST(TurboQuant, every_option_changes_the_output) {
    const CaptureLayer layer = random_layer({1, 2, 64, 20, 1}, 7);
    std::vector<Vector> outputs;
    const auto add = [&](const TurboQuantOptions& options) {
        outputs.push_back(
            stored(*turboquant_reader(options), layer)->answer(layer.queries_at(0), 20).outputs);
    };
    add({});
    add({.bits = 3});
    add({.signs = true});
    add({.signs = true, .seed = 1});
    add({.law = TurboQuantOptions::Law::unit_vector});
    add({.norm_correction = false});
    add({.sketch = true});
    add({.vector_values = true});
    add(turboquant_mse(4, 0));
    add(turboquant_prod(4, 0));
    ReaderSettings unrotated = settings_for(64);
    unrotated.keys = Transform::identity(64);
    outputs.push_back(
        turboquant_reader()->encode({layer, nullptr, 0}, unrotated)->answer(layer.queries_at(0), 20).outputs);
    for (std::size_t i = 0; i < outputs.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) EXPECT_NE(outputs[i], outputs[j]) << i << " " << j;
}

TEST(TurboQuant, charges_of_the_paper) {
    // ReadKV: 4.1875 MiB for one layer, 8192 tokens, G = 4, d_h = 128. Counted on one token.
    const CaptureLayer layer = random_layer({4, 4, 128, 1, 1}, 0);
    const auto cache = stored(*turboquant_reader(), layer);
    EXPECT_EQ(cache->stored_bits(1) * 8192, static_cast<std::uint64_t>(4.1875 * (1 << 23)));
    EXPECT_EQ(cache->answer(layer.queries_at(0), 1).payload_bits, 4u * 1024);
    EXPECT_EQ(stored(*turboquant_reader(turboquant_prod(4, 0)), layer)->stored_bits(1), 4u * (1024 + 48));
    EXPECT_EQ(stored(*turboquant_reader(turboquant_mse(2, 0)), layer)->stored_bits(1), 4u * (512 + 32));
}

TEST(TurboQuant, what_has_no_hadamard_matrix_is_refused) {
    const CaptureLayer layer = random_layer({1, 1, 12, 3, 1}, 0);
    ReaderSettings settings = settings_for(8);
    EXPECT_NO_THROW((void)stored(*turboquant_reader(), layer)); // asked for the identity
    EXPECT_TRUE(refuses([] { (void)turboquant_reader({.bits = 9}); }, ErrorCode::bad_option, {"found 9"}));
    EXPECT_TRUE(refuses([] { (void)turboquant_reader({.bits = 1, .sketch = true}); }, ErrorCode::bad_option,
                        {"expected 2 to 8"}));
}

} // namespace
