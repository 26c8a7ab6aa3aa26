// DEFLATE: round trips, its bound, and that damage is found.
#include "lib/codec/deflate.hpp"

#include "tests/record/refusal.hpp"

#include <gtest/gtest.h>
#include <random>
#include <rapidcheck/gtest.h>

using namespace kvproof;

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes random_bytes(std::size_t size, unsigned values, std::uint64_t seed) {
    std::mt19937_64 next(seed);
    Bytes out(size);
    for (std::uint8_t& byte : out) byte = static_cast<std::uint8_t>(next() % values);
    return out;
}

RC_GTEST_PROP(Deflate, gives_back_what_it_was_given, (const Bytes& bytes)) {
    const Bytes stream = deflated(bytes);
    RC_ASSERT(inflated(stream, bytes.size()) == bytes);
    RC_ASSERT(stream.size() <= deflate_bound(bytes.size()));
    RC_ASSERT(stream == deflated(bytes));
}

TEST(Deflate, keeps_its_bound_where_nothing_can_be_compressed) {
    for (const std::size_t size : {0UL, 1UL, 100UL, 4095UL, 16384UL, 65536UL, 1000000UL}) {
        const Bytes bytes = random_bytes(size, 256, size);
        const Bytes stream = deflated(bytes);
        EXPECT_LE(stream.size(), deflate_bound(size)) << size;
        EXPECT_EQ(inflated(stream, size), bytes) << size;
        EXPECT_EQ(stream.size() > size, size > 0) << size; // without its other terms the bound would fail
    }
}

/// Four of 256 values carry 2 bits of 8: no less than a quarter is left, and less than a third.
TEST(Deflate, compresses) {
    const std::size_t size = 100000;
    const std::size_t found = deflated(random_bytes(size, 4, 1)).size();
    EXPECT_GT(found, size / 4);
    EXPECT_LT(found, size / 3);
    EXPECT_LT(deflated(Bytes(size, 7)).size(), 200U);
}

TEST(Deflate, a_stream_that_is_not_whole_is_refused) {
    const Bytes bytes = random_bytes(1000, 4, 2);
    const Bytes stream = deflated(bytes);
    const Bytes cut(stream.begin(), stream.end() - 5);
    for (const auto& [damaged, size] :
         {std::pair(cut, bytes.size()), std::pair(stream, bytes.size() - 1),
          std::pair(stream, bytes.size() + 1), std::pair(Bytes(), std::size_t{1})})
        EXPECT_TRUE(testing_support::refuses([&] { (void)inflated(damaged, size); }, ErrorCode::internal,
                                             {"DEFLATE", "a whole one"}));
    EXPECT_TRUE(deflated({}).empty());
    EXPECT_TRUE(inflated({}, 0).empty());
}

} // namespace
