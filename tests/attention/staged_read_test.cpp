// readkv.s3.staged2 on the instrumented reader: key addresses depend on the query alone, value addresses on
// the query and the fetched key bits, and no bit that was not charged is looked at. Every bit is turned over.
#include "tests/attention/reader_case.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::test;

namespace {

/// All that a call lets out.
struct Seen {
    Vector outputs;
    std::vector<std::uint8_t> key_depths;
    std::vector<std::uint8_t> value_depths;
    std::uint64_t key_bits;
    std::uint64_t value_bits;
    bool operator==(const Seen&) const = default;
};

Seen seen_by(Answered& answered, const ReaderCase& input, int tokens) {
    const TwoStageCall& call = answered.run(input, tokens);
    return {answered.reader.outputs(call), call.key_schedule.depths, call.value_schedule.depths,
            call.key_bits, call.value_bits};
}

struct Bits {
    std::uint64_t unread = 0;
    std::uint64_t unread_that_matter = 0; ///< 0 for a reader that is staged(2)
    std::uint64_t read = 0;
    std::uint64_t read_in_vain = 0;     ///< turning it over changed not even a reconstruction
    std::uint64_t read_that_matter = 0; ///< changed what the call lets out
};

/// Turns over every stored bit in turn and looks at what changes.
Bits turn_every_bit(Answered& answered, const ReaderCase& input, int tokens) {
    const CaptureShape& shape = input.layer.shape;
    const Seen before = seen_by(answered, input, tokens);
    const Vector keys = answered.call.keys;
    const Vector values = answered.call.values;
    Bits out;
    const auto turn = [&](bool read, const std::function<void()>& flip) {
        flip();
        const bool same = seen_by(answered, input, tokens) == before;
        const bool same_inside = answered.call.keys == keys && answered.call.values == values;
        flip();
        (read ? out.read : out.unread) += 1;
        if (!read && !same) ++out.unread_that_matter;
        if (read && same_inside) ++out.read_in_vain;
        if (read && !same) ++out.read_that_matter;
    };
    for (int g = 0; g < shape.kv_heads; ++g)
        for (int j = 0; j < shape.tokens; ++j)
            for (int c = 0; c < shape.dim; ++c)
                for (int plane = 0; plane < input.code.depth(); ++plane) {
                    const bool visible = j < tokens;
                    turn(visible && plane < before.key_depths[static_cast<std::size_t>(g * shape.dim + c)],
                         [&] { answered.encoded.flip_key_bit(g, c, j, plane); });
                    turn(visible &&
                             plane < before.value_depths[static_cast<std::size_t>(g * tokens + j * visible)],
                         [&] { answered.encoded.flip_value_bit(g, j, c, plane); });
                }
    EXPECT_EQ(seen_by(answered, input, tokens), before); // all is as it was
    return out;
}

struct Drawn {
    ReaderCase input;
    Rates rates;
    bool per_head;
    int tokens;
};

Drawn any_case() {
    const auto pick = [](int least, int most) {
        return *rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most + 1)));
    };
    CaseSizes sizes;
    sizes.kv_heads = pick(1, 2);
    sizes.query_heads = sizes.kv_heads * pick(1, 2);
    sizes.dim = pick(1, 4);
    sizes.tokens = pick(1, 5);
    sizes.depth = pick(1, 5);
    return {random_case(sizes, static_cast<std::uint64_t>(pick(0, 1 << 30))),
            {Rational(pick(0, 4 * sizes.depth), 4), Rational(pick(0, 4 * sizes.depth), 4)},
            pick(0, 1) == 1,
            pick(1, sizes.tokens)};
}

RC_GTEST_PROP(StagedRead, looks_at_no_bit_that_it_does_not_charge, ()) {
    const Drawn drawn = any_case();
    Answered answered(drawn.input, adaptive_policy(drawn.rates, drawn.input.code.gain, drawn.per_head));
    const Bits bits = turn_every_bit(answered, drawn.input, drawn.tokens);
    RC_ASSERT(bits.unread_that_matter == 0);
    RC_ASSERT(bits.read == answered.call.key_bits + answered.call.value_bits);
    // a cache of one token is its own mean, of scale 0: nothing to tell
    if (drawn.input.layer.shape.tokens > 1) RC_ASSERT(bits.read_in_vain == 0);
}

TEST(StagedRead, looks_at_the_bits_that_it_charges) {
    const ReaderCase input = random_case({.kv_heads = 2, .query_heads = 4, .dim = 4, .tokens = 6}, 3);
    Answered answered(input, adaptive_policy({3, 3}, input.code.gain, false));
    const Bits bits = turn_every_bit(answered, input, 6);
    EXPECT_EQ(bits.unread_that_matter, 0U);
    EXPECT_EQ(bits.read, 2U * 2 * 4 * 6 * 3);
    EXPECT_EQ(bits.unread, 2U * 2 * 4 * 6 * 5);
    EXPECT_EQ(bits.read_in_vain, 0U);
    EXPECT_EQ(bits.read_that_matter, bits.read); // each of them reaches the output
}

/// A policy that looks one level deeper into the cache than it charges for: what the check must see.
class PeekingPolicy final : public DepthPolicy {
public:
    PeekingPolicy(std::unique_ptr<DepthPolicy> honest, const EncodedLayer*& layer, Stage stage)
        : honest_(std::move(honest)), layer_(layer), stage_(stage) {}
    [[nodiscard]] Schedule choose(const StageItems& items, AllocationWorkspace& workspace) const override {
        Schedule out = honest_->choose(items, workspace);
        if (items.stage != stage_) return out;
        double value = 0;
        layer_->read_key_channel(0, 0, layer_->stored_depth(), 1, &value);
        const double mean = layer_->calibration().keys.mean[0];
        if (value > mean) out.depths.back() = out.depths.back() == 0 ? 1 : 0;
        return out;
    }

private:
    std::unique_ptr<DepthPolicy> honest_;
    const EncodedLayer*& layer_;
    Stage stage_;
};

TEST(StagedRead, check_sees_a_policy_that_peeks) {
    for (const Stage stage : {Stage::keys, Stage::values}) {
        const ReaderCase input =
            random_case({.kv_heads = 1, .query_heads = 1, .dim = 3, .tokens = 4, .depth = 4}, 4);
        const EncodedLayer* layer = nullptr;
        // nothing is spent on channel 0's keys, so that the bit it peeks at stays unread
        ReaderCase blind = input;
        blind.queries[0] = 0;
        auto peeking =
            std::make_unique<PeekingPolicy>(adaptive_policy({2, 2}, input.code.gain, false), layer, stage);
        Answered answered(blind, std::move(peeking));
        layer = &answered.encoded;
        EXPECT_GT(turn_every_bit(answered, blind, 4).unread_that_matter, 0U);
    }
}

/// Two caches of one calibration: whatever they hold, a query asks for the same keys; and caches that agree
/// in the fetched key bits are asked for the same values.
RC_GTEST_PROP(StagedRead, addresses_know_the_query_and_the_fetched_bits_only, ()) {
    const Drawn drawn = any_case();
    const ReaderCase& input = drawn.input;
    const CaptureShape& shape = input.layer.shape;
    const auto policy = [&] { return adaptive_policy(drawn.rates, input.code.gain, drawn.per_head); };
    Answered first(input, policy());
    Answered other(input, policy());
    Answered agreeing(input, policy());
    const Seen seen = seen_by(first, input, drawn.tokens);
    std::mt19937_64 next(static_cast<std::uint64_t>(shape.tokens) + 17);
    for (int g = 0; g < shape.kv_heads; ++g)
        for (int j = 0; j < shape.tokens; ++j)
            for (int c = 0; c < shape.dim; ++c)
                for (int plane = 0; plane < input.code.depth(); ++plane) {
                    if (next() % 2 == 0) other.encoded.flip_key_bit(g, c, j, plane);
                    if (next() % 2 == 0) other.encoded.flip_value_bit(g, j, c, plane);
                    if (next() % 2 == 0) agreeing.encoded.flip_value_bit(g, j, c, plane);
                    const bool fetched = j < drawn.tokens &&
                                         plane < seen.key_depths[static_cast<std::size_t>(g * shape.dim + c)];
                    if (!fetched && next() % 2 == 0) agreeing.encoded.flip_key_bit(g, c, j, plane);
                }
    const Seen of_other = seen_by(other, input, drawn.tokens);
    const Seen of_agreeing = seen_by(agreeing, input, drawn.tokens);
    RC_ASSERT(of_other.key_depths == seen.key_depths);
    RC_ASSERT(of_other.key_bits == seen.key_bits);
    RC_ASSERT(of_agreeing.key_depths == seen.key_depths);
    RC_ASSERT(of_agreeing.value_depths == seen.value_depths);
    RC_ASSERT(of_agreeing.value_bits == seen.value_bits);
}

/// The value schedule does follow the fetched key bits, and the key schedule the query: neither is constant.
TEST(StagedRead, addresses_do_depend_on_them) {
    ReaderCase input =
        random_case({.kv_heads = 1, .query_heads = 2, .dim = 4, .tokens = 8, .query_scale = 3}, 12);
    Answered answered(input, adaptive_policy({2, 2}, input.code.gain, false));
    const Seen before = seen_by(answered, input, 8);
    int changed = 0;
    for (int j = 0; j < 8; ++j)
        for (int c = 0; c < 4; ++c) {
            if (before.key_depths[static_cast<std::size_t>(c)] == 0) continue;
            answered.encoded.flip_key_bit(0, c, j, 0);
            if (seen_by(answered, input, 8).value_depths != before.value_depths) ++changed;
            answered.encoded.flip_key_bit(0, c, j, 0);
        }
    EXPECT_GT(changed, 0);
    std::swap(input.queries[0], input.queries[3]);
    input.queries[1] *= 10;
    EXPECT_NE(seen_by(answered, input, 8).key_depths, before.key_depths);
}

} // namespace
