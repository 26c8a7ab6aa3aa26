// Philox4x32-10: known answers, our own ten rounds against Random123's, and the layout of places.
#include "lib/random/philox.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

using namespace kvproof;

namespace {

using Counter = std::array<std::uint32_t, 4>;
using Key = std::array<std::uint32_t, 2>;

/// The rounds as the paper writes them.
Counter by_definition(Counter c, Key k, int rounds) {
    for (int r = 0; r < rounds; ++r) {
        const std::uint64_t p = std::uint64_t{0xD2511F53} * c[0];
        const std::uint64_t q = std::uint64_t{0xCD9E8D57} * c[2];
        c = {static_cast<std::uint32_t>(q >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(q),
             static_cast<std::uint32_t>(p >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(p)};
        k[0] += 0x9E3779B9; // the golden ratio
        k[1] += 0xBB67AE85; // sqrt(3) - 1
    }
    return c;
}

TEST(Philox, known_answers) {
    EXPECT_EQ(philox_10({0, 0, 0, 0}, {0, 0}), (Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    const std::uint32_t ones = 0xffffffff;
    EXPECT_EQ(philox_10({ones, ones, ones, ones}, {ones, ones}),
              (Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    // the digits of pi
    EXPECT_EQ(philox_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              (Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

RC_GTEST_PROP(Philox, equals_the_rounds_of_the_paper, (const Counter& counter, const Key& key)) {
    RC_ASSERT(philox_10(counter, key) == by_definition(counter, key, 10));
    RC_ASSERT(philox_10(counter, key) != by_definition(counter, key, 9));
}

TEST(Philox, a_place_is_laid_out_as_documented) {
    const RandomPlace place{
        .seed = 0x1111111122222222, .trial = 0x3333333344444444, .experiment = 0x5555, .stream = 0x6666};
    EXPECT_EQ(random_block(place, 0x77777777),
              philox_10({0x44444444, 0x33333333, 0x55556666, 0x77777777}, {0x22222222, 0x11111111}));
}

TEST(Philox, neighbouring_places_share_no_word) {
    std::set<std::uint32_t> words;
    std::size_t drawn = 0;
    for (std::uint64_t seed : {0, 1})
        for (std::uint64_t trial : {0, 1})
            for (const auto experiment : {std::uint16_t{0}, std::uint16_t{1}})
                for (const auto stream : {std::uint16_t{0}, std::uint16_t{1}})
                    for (std::uint32_t sample : {0, 1})
                        for (const std::uint32_t word :
                             random_block({seed, trial, experiment, stream}, sample)) {
                            words.insert(word);
                            ++drawn;
                        }
    EXPECT_EQ(words.size(), drawn);
}

} // namespace
