// readkv.code.prefix on stored bits: what a prefix of t planes gives, and that it reads these t planes alone.
#include "lib/codec/bit_planes.hpp"

#include "lib/codec/bit_block.hpp"
#include "lib/codec/codebook.hpp"
#include "tests/codec/codebook_generator.hpp"
#include "tests/record/refusal.hpp"

#include <gtest/gtest.h>
#include <random>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

template <class Code>
std::vector<Code> random_codes(std::size_t n, int depth, std::mt19937_64& next) {
    std::vector<Code> out(n);
    for (Code& code : out) code = static_cast<Code>(next() % (1U << depth));
    return out;
}

template <class Code>
std::vector<Code> prefix(const BitPlanes& planes, int t, std::size_t visible) {
    std::vector<Code> out(visible + 3, 77); // what lies behind must stay
    const std::uint64_t bits = planes.read_prefix(t, visible, std::span<Code>(out));
    EXPECT_EQ(bits, static_cast<std::uint64_t>(t) * visible);
    EXPECT_EQ(std::vector<Code>(out.end() - 3, out.end()), std::vector<Code>(3, 77));
    out.resize(visible);
    return out;
}

bool bit_of(const BitPlanes& planes, int p, std::size_t item) {
    return ((planes.plane(p)[item / 64] >> (item % 64)) & 1) != 0;
}

template <class Code>
void prefixes_are_the_first_bits(std::uint64_t seed, int deepest) {
    std::mt19937_64 next(seed);
    const int depth = 1 + static_cast<int>(next() % deepest);
    const std::size_t n = next() % 200;
    const std::vector<Code> codes = random_codes<Code>(n, depth, next);
    const BitPlanes planes = BitPlanes::pack(std::span<const Code>(codes), depth);
    RC_ASSERT(planes.size() == n);
    RC_ASSERT(planes.payload_bits() == n * depth);
    for (int p = 0; p < depth; ++p) {
        for (std::size_t i = 0; i < n; ++i)
            RC_ASSERT(bit_of(planes, p, i) == (((codes[i] >> (depth - 1 - p)) & 1) != 0)); // the layout
        RC_ASSERT(planes.plane(p).size() == (n + 63) / 64);
        if (n % 64 != 0) RC_ASSERT(planes.plane(p).back() >> (n % 64) == 0U);
    }
    for (int t = 0; t <= depth; ++t) {
        const std::size_t visible = n == 0 ? 0 : next() % (n + 1);
        const std::vector<Code> found = prefix<Code>(planes, t, visible);
        for (std::size_t i = 0; i < visible; ++i) RC_ASSERT(found[i] == codes[i] >> (depth - t));
    }
}

RC_GTEST_PROP(BitPlanesProperty, a_prefix_is_the_first_bits, (std::uint64_t seed)) {
    prefixes_are_the_first_bits<std::uint8_t>(seed, 8);
    prefixes_are_the_first_bits<std::uint16_t>(seed, 16);
}

RC_GTEST_PROP(BitPlanesProperty, codes_one_by_one_are_codes_in_bulk, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const int depth = 1 + static_cast<int>(next() % 12);
    const auto codes = random_codes<std::uint16_t>(next() % 300, depth, next);
    const std::size_t in_bulk = codes.empty() ? 0 : next() % codes.size();
    BitPlanes grown = BitPlanes::pack(std::span(codes).first(in_bulk), depth);
    for (std::size_t i = in_bulk; i < codes.size(); ++i) grown.append(codes[i]);
    const BitPlanes bulk = BitPlanes::pack(std::span(codes), depth);
    RC_ASSERT(grown.size() == bulk.size());
    for (int p = 0; p < depth; ++p) RC_ASSERT(std::ranges::equal(grown.plane(p), bulk.plane(p)));
    RC_ASSERT(prefix<std::uint16_t>(grown, depth, codes.size()) == codes);
}

/// Every bit of every plane, turned over: it shows where it was to be read, and nowhere else.
RC_GTEST_PROP(BitPlanesProperty, exactly_the_prefix_is_read, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const int depth = 1 + static_cast<int>(next() % 8);
    const std::size_t n = 1 + next() % 90;
    const auto codes = random_codes<std::uint8_t>(n, depth, next);
    BitPlanes planes = BitPlanes::pack(std::span(codes), depth);
    const int t = static_cast<int>(next() % (depth + 1));
    const std::size_t visible = next() % (n + 1);
    const auto before = prefix<std::uint8_t>(planes, t, visible);
    for (int p = 0; p < depth; ++p)
        for (std::size_t i = 0; i < n; ++i) {
            planes.flip(p, i);
            const auto after = prefix<std::uint8_t>(planes, t, visible);
            for (std::size_t j = 0; j < visible; ++j) {
                const bool read = p < t && j == i;
                RC_ASSERT(after[j] == (before[j] ^ (read ? 1 << (t - 1 - p) : 0)));
            }
            planes.flip(p, i);
        }
}

/// The stored prefix is what encoding to depth t would have stored.
RC_GTEST_PROP(BitPlanesProperty, a_prefix_is_the_code_of_the_shallower_book, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const int depth = *rc::gen::inRange(1, 9);
    const Codebook<float> codebook = random_codebook(depth, next);
    std::vector<float> z(130);
    for (float& x : z) x = hard_float(next);
    std::vector<std::uint8_t> codes;
    for (const float x : z) codes.push_back(static_cast<std::uint8_t>(encode(codebook, x)));
    const BitPlanes planes = BitPlanes::pack(std::span<const std::uint8_t>(codes), depth);
    for (int t = 1; t <= depth; ++t) {
        Codebook<float> shallow = codebook;
        shallow.boundaries.resize(t + 1);
        shallow.centroids.resize(t + 1);
        const auto found = prefix<std::uint8_t>(planes, t, z.size());
        for (std::size_t i = 0; i < z.size(); ++i) {
            RC_ASSERT(found[i] == encode(shallow, z[i]));
            RC_ASSERT(decode(shallow, found[i], t) == decode(codebook, codes[i], t));
        }
    }
}

RC_GTEST_PROP(BitPlanesProperty, the_form_for_every_processor_is_the_same, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const int depth = 1 + static_cast<int>(next() % 8);
    const auto codes = random_codes<std::uint8_t>(next() % 300, depth, next);
    const BitPlanes planes = BitPlanes::pack(std::span(codes), depth);
    const std::size_t stride = (codes.size() + 63) / 64;
    std::vector<std::uint64_t> words(stride * depth);
    any_processor::pack_planes(codes, depth, words);
    for (int p = 0; p < depth; ++p)
        RC_ASSERT(std::ranges::equal(planes.plane(p), std::span(words).subspan(p * stride, stride)));
    for (int t = 0; t <= depth; ++t) {
        std::vector<std::uint8_t> found(codes.size());
        any_processor::read_planes(words, stride, t, found);
        RC_ASSERT(found == prefix<std::uint8_t>(planes, t, codes.size()));
    }
}

/// Released systems masked 3-bit codes with 3 instead of 7: every value of every depth must survive.
TEST(BitPlanes, all_values_of_all_depths_survive) {
    for (int depth = 1; depth <= 8; ++depth) {
        std::vector<std::uint8_t> codes;
        for (int value = 0; value < 1 << depth; ++value) codes.push_back(static_cast<std::uint8_t>(value));
        EXPECT_EQ(prefix<std::uint8_t>(BitPlanes::pack(std::span(codes), depth), depth, codes.size()), codes);
        if (depth != 3) continue;
        auto masked = codes; // the mutant: the bit count as mask
        for (std::uint8_t& code : masked) code &= 3;
        EXPECT_NE(prefix<std::uint8_t>(BitPlanes::pack(std::span(masked), 3), 3, 8), codes);
    }
}

TEST(BitPlanes, both_orders_of_a_block_are_each_others_inverse) {
    std::mt19937_64 next(3);
    for (int k = 0; k < 100; ++k) {
        BitBlock block{};
        for (std::uint64_t& row : block) row = next();
        BitBlock codes = block;
        planes_to_codes(codes);
        for (std::size_t i = 0; i < 64; ++i)
            for (std::size_t b = 0; b < 8; ++b)
                ASSERT_EQ((codes[i / 8] >> (i % 8 * 8 + b)) & 1, (block[b] >> i) & 1);
        codes_to_planes(codes);
        ASSERT_EQ(codes, block);
    }
}

TEST(BitPlanes, what_cannot_be_is_refused) {
    const std::vector<std::uint8_t> codes = {1, 7, 8};
    const auto refused = [](const auto& call, const std::vector<std::string>& parts) {
        EXPECT_TRUE(refuses(call, ErrorCode::internal, parts));
    };
    refused([] { BitPlanes(0); }, {"depth of 0"});
    refused([] { BitPlanes(17); }, {"depth of 17"});
    refused([&] { (void)BitPlanes::pack(std::span(codes), 3); }, {"code 8 at 2", "3 bits"});
    BitPlanes planes = BitPlanes::pack(std::span(codes), 4);
    refused([&] { planes.append(16); }, {"code 16 at 3"});
    std::vector<std::uint8_t> out(2);
    refused([&] { planes.read_prefix(5, 1, std::span(out)); }, {"prefix of 5", "at most 4"});
    refused([&] { planes.read_prefix(1, 3, std::span(out)); }, {"3 codes", "at most 2"});
    refused([&] { BitPlanes(12).read_prefix(9, 0, std::span(out)); }, {"prefix of 9", "at most 8"});
    refused([&] { (void)planes.plane(4); }, {"plane 4 of 4"});
    refused([&] { planes.flip(0, 3); }, {"flip"});
}

} // namespace
