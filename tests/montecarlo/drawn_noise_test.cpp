// Noise that obeys the assumptions, and its sizes.
#include "lib/codec/token_quantiser.hpp"
#include "sim/montecarlo/capture_noise.hpp"
#include "tests/montecarlo/small_step.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

RC_GTEST_PROP(DrawnNoise, entries_are_their_words, (std::uint64_t trial, bool signs)) {
    const RandomPlace place{5, trial, 1001, 2};
    const auto rows = static_cast<std::size_t>(*rc::gen::inRange(1, 20));
    const auto columns = static_cast<std::size_t>(*rc::gen::inRange(1, 40));
    const DrawnNoise noise(signs ? NoiseLaw::signs : NoiseLaw::uniform, place, rows, columns);
    const std::size_t words = signs ? (rows * columns + 31) / 32 : rows * columns;
    const std::size_t blocks = (words + 3) / 4;
    std::vector<double> out(columns);
    for (std::size_t r = 0; r < rows; ++r) {
        std::vector<double> weights(rows);
        weights[r] = 1;
        noise.over_rows(weights, out);
        for (std::size_t c = 0; c < columns; ++c) {
            const std::size_t entry = r * columns + c;
            const std::size_t word = signs ? entry / 32 : entry;
            const std::uint32_t bits =
                random_block(place, static_cast<std::uint32_t>(word % blocks))[word / blocks];
            const double expected =
                signs ? ((bits >> (entry % 32) & 1U) != 0 ? -1.0 : 1.0)
                      : (2.0 * bits + 1 - 0x1p32) * 0x1p-32 * std::sqrt(3.0); // odd multiples of 2^-32
            RC_ASSERT(out[c] == expected);
        }
    }
}

TEST(DrawnNoise, has_mean_0_and_variance_1) {
    for (const NoiseLaw law : {NoiseLaw::signs, NoiseLaw::uniform}) {
        constexpr std::size_t count = 1 << 16;
        const DrawnNoise noise(law, {1, 2, 1002, 0}, 1, count);
        std::vector<double> out(count);
        noise.over_rows(std::vector<double>{1}, out);
        double sum = 0;
        double squares = 0;
        for (const double x : out) {
            sum += x;
            squares += x * x;
            EXPECT_LE(std::fabs(x), kappa_of(law));
        }
        EXPECT_LT(std::fabs(sum / count), 5.0 / 256);
        EXPECT_LT(std::fabs(squares / count - 1), 5.0 / 256); // the variance of x^2 is below 1
    }
}

TEST(NoiseSizes, are_those_of_the_quantiser) {
    const SmallCapture capture = small_capture({.kv_heads = 2, .tokens = 7}, 3);
    const QueryRows rows(capture, nullptr);
    const std::vector<NoiseSizes> sizes = noise_sizes(rows, {.bits = 3, .keys = 2, .values = 1});
    ASSERT_EQ(sizes.size(), 2U);
    for (int g = 0; g < 2; ++g) {
        const NoiseSizes& own = sizes[static_cast<std::size_t>(g)];
        for (int t = 0; t < 7; ++t) {
            const auto key = capture.tokens.key(g, t);
            for (std::size_t c = 0; c < 2; ++c) {
                // sigma sqrt(12) = Delta, whose cells reach over every entry
                const double step =
                    own.key_token[static_cast<std::size_t>(t)] * own.key_channel[c] / 2 * std::sqrt(12.0);
                EXPECT_GE(step * 4, std::fabs(key[c]) * (1 - 0x1p-48));
                const TokenQuantiser code{step * 4, 3, TokenCode::repaired};
                EXPECT_LE(std::fabs(code.quantised(key[c]) - key[c]), step / 2 * (1 + 0x1p-40));
            }
        }
    }
    const std::vector<NoiseSizes> equal = noise_sizes(rows, {.quantiser = false, .keys = 0.5, .values = 2});
    EXPECT_EQ(equal[1].key_token[6] * equal[1].key_channel[1], 0.5);
    EXPECT_EQ(equal[0].value_token[0] * equal[0].value_channel[0], 2);
    EXPECT_EQ(equal[0].kappa, std::sqrt(3.0));
}

} // namespace
