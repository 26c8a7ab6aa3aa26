// The device's random numbers against Random123, through lib/random.
#include "gpu/random/random_block.hpp"
#include "lib/random/philox.hpp"
#include "tests/gpu/executors.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::gpu;
using namespace kvproof::test;

namespace {

RC_GTEST_PROP(RandomBlockKernel, equals_random123,
              (std::uint64_t seed, std::uint64_t trial, std::uint16_t experiment, std::uint16_t stream,
               std::uint32_t first)) {
    const RandomPlace place{.seed = seed, .trial = trial, .experiment = experiment, .stream = stream};
    const DrawPlace same = {seed, trial, std::uint32_t{experiment} << 16U | stream};
    constexpr int count = 150;
    for (const FiberOptions& block : {FiberOptions{.width = 1}, FiberOptions{.width = 7},
                                      FiberOptions{.width = 128, .schedule = Schedule::random}}) {
        std::vector<RandomWords> words(count);
        run_block(block, [&](FiberGroup& g) { fill_random_words(g, same, first, count, words.data()); });
        for (std::uint32_t i = 0; i < count; ++i) {
            const auto expected = random_block(place, first + i);
            RC_ASSERT(std::equal(expected.begin(), expected.end(), words[i].word));
        }
    }
}

TEST(RandomBlockKernel, known_answers) {
    // of the generator's authors: all words 0, and the digits of pi
    const RandomWords zeros = random_block(DrawPlace{0, 0, 0}, 0);
    EXPECT_EQ(zeros.word[0], 0x6627e8d5U);
    EXPECT_EQ(zeros.word[3], 0x9b00dbd8U);
    const RandomWords pi =
        random_block(DrawPlace{0x299f31d0a4093822U, 0x85a308d3243f6a88U, 0x13198a2eU}, 0x03707344U);
    EXPECT_EQ(pi.word[0], 0xd16cfe09U);
    EXPECT_EQ(pi.word[3], 0x24126ea1U);
}

} // namespace
