// KVTC: bytes by hand, realised sizes, budgets and errors.
#include "lib/reader/kvtc.hpp"

#include "lib/account/kvtc_bound.hpp"
#include "lib/codec/deflate.hpp"
#include "lib/error.hpp"
#include "lib/reader/kvtc_code.hpp"
#include "tests/reader/models.hpp"
#include "tests/record/refusal.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

/// Coordinates that are the entries themselves.
KvtcBasis plain_basis(std::size_t n, std::vector<CoordinateGroup> groups) {
    KvtcBasis out{{n, Vector(n), Vector(n * n), Vector(n)}, {std::move(groups), 0, 0}};
    for (std::size_t c = 0; c < n; ++c) out.axes.axes[c * n + c] = 1;
    return out;
}

/// Two tokens: no bits for the first entry, 2 for the next two, 4 for the last.
TEST(Kvtc, bytes_by_hand) {
    const KvtcBasis basis = plain_basis(4, {{0, 1, 0}, {1, 2, 2}, {3, 1, 4}});
    const Vector rows = {5, 1, 4, -2, 6, 8, 2, 0.5};
    const KvtcCodes codes(basis, rows);
    // shift and scale are 1, 1 and 2, 2; codes 0, 3 and 3, 0; then -2, 0 and 0.5, 0 with codes 0 and 0
    const std::vector<std::uint8_t> expected = {0x00, 0x3c, 0x00, 0x3c, 0x00, 0x40, 0x00, 0x40, 0x3c,
                                                0x00, 0xc0, 0x00, 0x00, 0x00, 0x38, 0x00, 0x00, 0x00};
    EXPECT_EQ(codes.bytes(2), expected);
    EXPECT_EQ(kvtc_decoded(basis, expected, 2), (Vector{0, 1, 4, -2, 0, 8, 2, 0.5}));
    // one token: as many bytes as its groups need, each filled up
    EXPECT_EQ(codes.bytes(1),
              (std::vector<std::uint8_t>{0x00, 0x3c, 0x00, 0x3c, 0x0c, 0x00, 0xc0, 0x00, 0x00, 0x00}));
    EXPECT_TRUE(codes.bytes(0).empty());
    EXPECT_THROW((void)kvtc_decoded(basis, std::span(expected).first(17), 2), Error);
}

/// An entry half-way between two codes, and an 8-bit code of 255.
TEST(Kvtc, codes_at_the_edges) {
    const KvtcBasis basis = plain_basis(3, {{0, 3, 8}});
    const Vector rows = {0, 255, 2.5};
    EXPECT_EQ(KvtcCodes(basis, rows).bytes(1), (std::vector<std::uint8_t>{0, 0, 0, 0x3c, 0, 255, 2}));
    EXPECT_EQ(kvtc_decoded(basis, KvtcCodes(basis, rows).bytes(1), 1), (Vector{0, 255, 2}));
}

/// By way of its bytes a token decodes to what the group's quantiser says, whatever the plan.
RC_GTEST_PROP(Kvtc, a_stream_holds_what_was_coded, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const CaptureLayer layer = random_layer({2, 2, 9, 40, 1}, seed);
    const std::size_t n = 18;
    const std::uint64_t budget = next() % (8 * n);
    const Vector rows(layer.k.begin(), layer.k.begin() + static_cast<std::ptrdiff_t>(20 * n));
    const KvtcBasis basis = learn_kvtc(rows, n, budget);
    RC_ASSERT(basis.plan.bits <= budget);
    const KvtcCodes codes(basis, rows);
    const Vector decoded = kvtc_decoded(basis, codes.bytes(20), 20);
    double error = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) error += (rows[i] - decoded[i]) * (rows[i] - decoded[i]);
    // the distortion that the plan was made by: axes are orthonormal up to rounding
    const double size = std::inner_product(rows.begin(), rows.end(), rows.begin(), 0.0);
    RC_ASSERT(std::fabs(error - basis.plan.distortion) <= size * 0x1p-40);
    std::uint64_t bits = 0;
    for (const CoordinateGroup& group : basis.plan.groups) bits += kvtc_menu().cost(group.size, group.bits);
    RC_ASSERT(bits == basis.plan.bits);
    // 20 tokens: nothing to fill up but where 2-bit codes are no multiple of 4
    RC_ASSERT(8 * codes.bytes(20).size() == 20 * bits);
}

/// Bits as touched: whole tokens, the realised streams, means and groups; never beyond the bound.
RC_GTEST_PROP(Kvtc, bits_are_the_realised_ones_and_within_the_bound, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const int groups = 1 + static_cast<int>(next() % 3);
    const Sizes sizes{groups, groups, 2 * (1 + static_cast<int>(next() % 12)),
                      1 + static_cast<int>(next() % 400), 1};
    const CaptureLayer layer = random_layer(sizes, seed);
    const Rational rate(static_cast<long>(next() % 33), 4);
    const auto cache = stored_with_source(*kvtc_reader(rate), layer, layer);
    System system = parse_system("kvtc:0");
    system.key_rate = rate;
    const LayerGeometry geometry{groups, groups, sizes.dim};
    const int t = 1 + static_cast<int>(next() % static_cast<std::uint64_t>(sizes.tokens));
    const Answer answer = cache->answer(layer.queries_at(0), t);
    RC_ASSERT(Integer(answer.bits()) <= kvtc_most_bits(system, geometry, t));
    RC_ASSERT(cache->stored_bits(t) == answer.bits());
}

/// The streams again, from the parts: nothing else is in the count.
TEST(Kvtc, charges_the_bytes_of_two_streams) {
    const CaptureLayer layer = random_layer({2, 4, 32, 300, 1}, 3);
    const auto cache = stored_with_source(*kvtc_reader(2), layer, layer);
    std::uint64_t expected = 2 * 16 * 64 * (300 - 176); // whole tokens
    std::uint64_t learnt = 2 * 16 * 64;                 // means
    const Rotary rotary(RotaryPairs::half, 10000, 32);
    for (const bool keys : {true, false}) {
        Vector rows; // all tokens of both heads side by side, keys turned back
        for (int j = 0; j < 300; ++j)
            for (int g = 0; g < 2; ++g) {
                const auto x = keys ? layer.key(g, j) : layer.value(g, j);
                Vector copy(x.begin(), x.end());
                if (keys) rotary.turn(copy, -j);
                rows.insert(rows.end(), copy.begin(), copy.end());
            }
        const KvtcBasis basis = learn_kvtc(rows, 64, 128);
        const KvtcCodes codes(basis, std::span(rows).subspan(4 * 64, 176 * 64));
        expected += 8 * deflated(codes.bytes(176)).size();
        for (const CoordinateGroup& group : basis.plan.groups) learnt += group.bits > 0 ? 24 : 0;
        EXPECT_LT(deflated(codes.bytes(176)).size(), codes.bytes(176).size()); // there is something to gain
    }
    const Answer answer = cache->answer(layer.queries_at(0), 300);
    EXPECT_EQ(answer.payload_bits, expected);
    EXPECT_EQ(answer.overhead_bits, learnt);
}

TEST(Kvtc, more_bits_less_error) {
    const CaptureLayer layer = random_layer({2, 4, 32, 400, 8}, 4);
    const auto dense = stored(*dense_reader(), layer);
    double before = HUGE_VAL;
    for (const int bits : {0, 1, 2, 4, 8}) {
        const auto cache = stored_with_source(*kvtc_reader(bits), layer, layer);
        double sum = 0;
        for (int row = 0; row < 8; ++row) {
            const Vector truth = dense->answer(layer.queries_at(row), 400).outputs;
            const Vector found = cache->answer(layer.queries_at(row), 400).outputs;
            for (std::size_t i = 0; i < truth.size(); ++i)
                sum += (truth[i] - found[i]) * (truth[i] - found[i]);
        }
        EXPECT_LT(sum, before) << bits;
        before = sum;
    }
}

TEST(Kvtc, refusals) {
    for (const Rational& bits : {Rational(-1), Rational(17, 2)})
        EXPECT_TRUE(refuses([&] { (void)kvtc_reader(bits); }, ErrorCode::bad_option, {"kvtc", "0 to 8"}));
}

} // namespace
