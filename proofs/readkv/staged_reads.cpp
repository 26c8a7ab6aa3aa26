#include "proofs/readkv/staged_reads.hpp"

#include "proofs/draws.hpp"
#include "proofs/outcome.hpp"
#include "proofs/readkv/synthetic_case.hpp"

#include <numeric>

namespace kvproof {
namespace {

constexpr std::uint16_t flip_stream = 64; // behind those of synthetic_case

/// One stored bit: of a key channel's plane at a token, or of a value token's plane at a channel.
struct Bit {
    Stage stage;
    int head;
    int item;  ///< channel of keys, token of values
    int place; ///< token of keys, channel of values
    int plane;
    bool read;
};

/// All bits of the layer, and whether the schedules read them.
std::vector<Bit> all_bits(const EncodedLayer& layer, const TwoStageCall& call) {
    const CaptureShape& shape = layer.shape();
    std::vector<Bit> out;
    for (int g = 0; g < shape.kv_heads; ++g) {
        for (int c = 0; c < shape.dim; ++c) {
            const int depth = call.key_schedule.depths[g * shape.dim + c];
            for (int j = 0; j < shape.tokens; ++j)
                for (int p = 0; p < layer.stored_depth(); ++p)
                    out.push_back({Stage::keys, g, c, j, p, p < depth && j < call.tokens});
        }
        for (int j = 0; j < shape.tokens; ++j) {
            const int depth = j < call.tokens ? call.value_schedule.depths[g * call.tokens + j] : 0;
            for (int c = 0; c < shape.dim; ++c)
                for (int p = 0; p < layer.stored_depth(); ++p)
                    out.push_back({Stage::values, g, j, c, p, p < depth});
        }
    }
    return out;
}

std::vector<Bit> chosen(const std::vector<Bit>& bits, const auto& condition) {
    std::vector<Bit> out;
    for (const Bit& bit : bits)
        if (condition(bit)) out.push_back(bit);
    return out;
}

void flip(EncodedLayer& layer, const std::vector<Bit>& bits) {
    for (const Bit& bit : bits) {
        if (bit.stage == Stage::keys)
            layer.flip_key_bit(bit.head, bit.item, bit.place, bit.plane);
        else
            layer.flip_value_bit(bit.head, bit.item, bit.place, bit.plane);
    }
}

std::uint64_t total(const Schedule& schedule) {
    return std::accumulate(schedule.depths.begin(), schedule.depths.end(), std::uint64_t{0});
}

/// What a call left, apart from its scratch space.
struct Seen {
    std::vector<std::uint8_t> key_depths, value_depths;
    std::vector<double> keys, logits, values, outputs;
};

Seen seen_in(const TwoStageCall& call) {
    return {call.key_schedule.depths,
            call.value_schedule.depths,
            call.keys,
            call.logits,
            call.values,
            call.outputs};
}

/// One case: the reader, and what it saw of the cache as stored.
class Flips {
public:
    Flips(const SyntheticCase& drawn, const MakePolicy& make_policy, Draws draws)
        : drawn_(drawn), run_(drawn.layer, drawn.calibration, drawn.setup, make_policy), draws_(draws) {}

    void check(Outcome& outcome) {
        const TwoStageCall& call = run_.run(drawn_.layer.q, drawn_.visible);
        const auto d = static_cast<std::uint64_t>(drawn_.layer.shape.dim);
        if (call.key_bits != static_cast<std::uint64_t>(drawn_.visible) * total(call.key_schedule) ||
            call.value_bits != d * total(call.value_schedule))
            outcome.fail("the bits charged are not those of the schedules", drawn_.where);
        const Seen before = seen_in(call);
        const std::vector<Bit> bits = all_bits(run_.encoded(), call);

        const Seen other = after(bits);
        if (other.key_depths != before.key_depths)
            outcome.fail("key addresses depend on the cache", drawn_.where);
        const Seen unread_keys =
            after(chosen(bits, [](const Bit& b) { return b.stage == Stage::values || !b.read; }));
        if (unread_keys.logits != before.logits || unread_keys.value_depths != before.value_depths)
            outcome.fail("value addresses depend on more than the fetched key bits", drawn_.where);
        const Seen unread = after(chosen(bits, [](const Bit& b) { return !b.read; }));
        const Seen half = after(chosen(bits, [this](const Bit& b) { return !b.read && draws_.one_in(2); }));
        if (unread.outputs != before.outputs || half.outputs != before.outputs)
            outcome.fail("the outputs depend on unread bits", drawn_.where);

        const Seen key = after(one_of(bits, Stage::keys));
        if (any_ && key.keys == before.keys)
            outcome.fail("a key bit that was read is not seen", drawn_.where);
        const Seen value = after(one_of(bits, Stage::values));
        if (any_ && value.values == before.values)
            outcome.fail("a value bit that was read is not seen", drawn_.where);
    }

private:
    /// What the reader sees with these bits turned over; they are turned back.
    Seen after(const std::vector<Bit>& bits) {
        flip(run_.encoded(), bits);
        Seen out = seen_in(run_.run(drawn_.layer.q, drawn_.visible));
        flip(run_.encoded(), bits);
        return out;
    }

    /// A random one of the bits that were read of a channel with a scale; none where there is none.
    std::vector<Bit> one_of(const std::vector<Bit>& bits, Stage stage) {
        const int dim = drawn_.layer.shape.dim;
        const std::vector<Bit> read = chosen(bits, [&](const Bit& b) {
            const bool is_key = stage == Stage::keys;
            const auto& scales = is_key ? drawn_.calibration.keys.scale : drawn_.calibration.values.scale;
            return b.read && b.stage == stage && scales[b.head * dim + (is_key ? b.item : b.place)] > 1e-6;
        });
        any_ = !read.empty();
        if (!any_) return {};
        return {read[static_cast<std::size_t>(draws_.below(static_cast<int>(read.size())))]};
    }

    const SyntheticCase& drawn_;
    ReaderRun run_;
    Draws draws_;
    bool any_ = false;
};

} // namespace

Decision reads_are_staged(const Sample& sample, const MakePolicy& make_policy) {
    Outcome outcome;
    for (std::uint64_t i = 0; i < sample.cases && !outcome.failed(); ++i) {
        const SyntheticCase drawn = synthetic_case(sample, i, {.dim = 16, .tokens = 21});
        Flips(drawn, make_policy, Draws(sample.seed, i, flip_stream)).check(outcome);
        outcome.count();
    }
    return outcome.decision();
}

} // namespace kvproof
