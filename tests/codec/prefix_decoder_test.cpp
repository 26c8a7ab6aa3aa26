// Decoding prefixes in bulk against decode() of one code at a time.
#include "lib/codec/prefix_decoder.hpp"

#include "tests/codec/codebook_generator.hpp"
#include "tests/record/refusal.hpp"

#include <gtest/gtest.h>
#include <random>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

RC_GTEST_PROP(PrefixDecoderProperty, each_number_is_mu_plus_sigma_times_the_centroid, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const int depth = *rc::gen::inRange(1, 9);
    const Codebook<float> codebook = random_codebook(depth, next);
    const int t = *rc::gen::inRange(0, depth + 1);
    std::normal_distribution<double> normal;
    std::vector<std::uint8_t> codes(20);
    std::vector<double> mu(20);
    std::vector<double> sigma(20);
    for (std::size_t i = 0; i < codes.size(); ++i) {
        codes[i] = static_cast<std::uint8_t>(next() % (1U << static_cast<unsigned>(depth)));
        mu[i] = normal(next);
        sigma[i] = std::abs(normal(next));
    }
    const PrefixDecoder decoder(codebook, t);
    std::vector<double> token(codes.size());
    std::vector<double> channel(codes.size());
    decoder.decode_token(codes, mu, sigma, token);
    decoder.decode_channel(codes, mu[0], sigma[0], channel);
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const double centroid = decode(codebook, codes[i], t);
        RC_ASSERT(token[i] == mu[i] + sigma[i] * centroid);
        RC_ASSERT(channel[i] == mu[0] + sigma[0] * centroid);
    }
}

TEST(PrefixDecoder, refuses_codes_and_depths_that_the_table_lacks) {
    std::mt19937_64 next(1);
    const Codebook<float> codebook = random_codebook(2, next);
    EXPECT_TRUE(
        refuses([&] { PrefixDecoder(codebook, 3); }, ErrorCode::depth_out_of_range, {"depth 3 of 2"}));
    EXPECT_TRUE(refuses([&] { PrefixDecoder(codebook, -1); }, ErrorCode::depth_out_of_range, {"depth -1"}));
    const PrefixDecoder decoder(codebook, 1);
    const std::vector<std::uint8_t> codes = {3, 4};
    std::vector<double> out(2);
    EXPECT_TRUE(
        refuses([&] { decoder.decode_channel(codes, 0, 1, out); }, ErrorCode::bad_option, {"4 at 1"}));
    out.resize(1);
    EXPECT_TRUE(
        refuses([&] { decoder.decode_channel(codes, 0, 1, out); }, ErrorCode::internal, {"1 numbers"}));
}

} // namespace
