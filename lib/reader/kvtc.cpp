#include "lib/reader/kvtc.hpp"

#include "lib/capture/projections.hpp"
#include "lib/codec/deflate.hpp"
#include "lib/error.hpp"
#include "lib/reader/kvtc_code.hpp"
#include "lib/reader/prepared_layer.hpp"
#include "lib/reader/rotated_keys.hpp"
#include "lib/reader/windowed_layer.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>

namespace kvproof {
namespace {

constexpr std::uint64_t mean_bits = 16; // of each entry
constexpr std::uint64_t plan_bits = 24; // of each group with bits: 16 for its place, 8 for its kind

/// The coded tokens of keys or of values.
class KvtcPart {
public:
    /// `vectors` become what the coded tokens decode to, by way of the stream.
    KvtcPart(const KvtcBasis& basis, HeadVectors& vectors, const CaptureShape& shape)
        : codes_(basis, token_rows(vectors, 0, shape.kv_heads, TokenWindow{}.first,
                                   TokenWindow{}.coded(shape.tokens))) {
        const auto tokens = static_cast<std::size_t>(TokenWindow{}.coded(shape.tokens));
        const std::vector<std::uint8_t> bytes = codes_.bytes(tokens);
        put_token_rows(vectors, 0, shape.kv_heads, TokenWindow{}.first,
                       kvtc_decoded(basis, inflated(deflated(bytes), bytes.size()), tokens),
                       static_cast<std::size_t>(shape.dim));
        const auto coded = std::ranges::count_if(basis.plan.groups, [](const auto& g) { return g.bits > 0; });
        learnt_bits_ = mean_bits * basis.axes.dim + plan_bits * static_cast<std::uint64_t>(coded);
        lengths_.resize(tokens / static_cast<std::size_t>(TokenWindow{}.step) + 1);
    }

    [[nodiscard]] std::uint64_t saturated() const { return codes_.saturated(); }
    /// Mean and groups.
    [[nodiscard]] std::uint64_t learnt_bits() const { return learnt_bits_; }
    /// Of the stream of the first so many coded tokens; each length is compressed when first asked for.
    [[nodiscard]] std::uint64_t stream_bits(int coded) const {
        Length& length = lengths_[static_cast<std::size_t>(coded / TokenWindow{}.step)];
        std::call_once(length.made, [&] {
            length.bits =
                std::uint64_t{byte_bits} * deflated(codes_.bytes(static_cast<std::size_t>(coded))).size();
        });
        return length.bits;
    }

private:
    struct Length {
        std::once_flag made;
        std::uint64_t bits = 0;
    };
    KvtcCodes codes_;
    std::uint64_t learnt_bits_ = 0;
    mutable std::deque<Length> lengths_; // a deque does not move what it holds
};

/// What the calibration decided for a layer.
struct LayerBases {
    CaptureShape shape;
    KvtcBasis keys;
    KvtcBasis values;
};

LayerBases learn_layer(const CaptureLayer& calibration, const Rotary& rotary, const Rational& bits) {
    const CaptureShape& shape = calibration.shape;
    const int width = shape.kv_heads * shape.dim;
    const auto budget = static_cast<std::uint64_t>(floor(bits * Rational(width)));
    const auto basis = [&](const std::vector<double>& rows) {
        return learn_kvtc(rows, static_cast<std::size_t>(width), budget);
    };
    return {shape, basis(unturned_key_rows(calibration, rotary)), basis(value_rows(calibration))};
}

struct CodedCache {
    HeadVectors keys;
    HeadVectors values;
    std::unique_ptr<KvtcPart> key_part;
    std::unique_ptr<KvtcPart> value_part;
};

CodedCache coded_cache(const CaptureLayer& layer, const LayerBases& bases, const Rotary& rotary) {
    const CaptureShape& shape = layer.shape;
    CodedCache out{{shape, layer.k}, {shape, layer.v}, nullptr, nullptr};
    turn_keys(out.keys, shape, rotary, -1);
    out.key_part = std::make_unique<KvtcPart>(bases.keys, out.keys, shape);
    turn_keys(out.keys, shape, rotary, 1);
    out.value_part = std::make_unique<KvtcPart>(bases.values, out.values, shape);
    return out;
}

class KvtcLayer final : public WindowedLayer {
public:
    KvtcLayer(const CaptureLayer& layer, CodedCache coded)
        : WindowedLayer(layer, std::move(coded.keys), std::move(coded.values)),
          key_part_(std::move(coded.key_part)), value_part_(std::move(coded.value_part)) {}

    [[nodiscard]] std::uint64_t saturated() const override {
        return key_part_->saturated() + value_part_->saturated();
    }

private:
    [[nodiscard]] CallBits call_bits(int tokens) const override {
        const int coded = TokenWindow{}.coded(tokens);
        return {whole_bits(tokens) + key_part_->stream_bits(coded) + value_part_->stream_bits(coded),
                key_part_->learnt_bits() + value_part_->learnt_bits()};
    }

    std::unique_ptr<KvtcPart> key_part_;
    std::unique_ptr<KvtcPart> value_part_;
};

class KvtcReader final : public Reader {
public:
    explicit KvtcReader(const Rational& bits) : bits_(bits) {}
    [[nodiscard]] bool needs_calibration() const override { return true; }
    void prepare(const CaptureSource& calibration, std::span<const int> layers) override {
        rotary_ = required_rotary(calibration, "kvtc");
        bases_.clear();
        for (const int index : layers) bases_[index] = learn_layer(calibration.layer(index), *rotary_, bits_);
    }
    [[nodiscard]] std::unique_ptr<StoredLayer> encode(const LayerInput& input,
                                                      const ReaderSettings&) const override {
        const LayerBases& bases = prepared_layer(bases_, input, "kvtc");
        return std::make_unique<KvtcLayer>(input.layer, coded_cache(input.layer, bases, *rotary_));
    }

private:
    Rational bits_;
    std::optional<Rotary> rotary_;
    std::map<int, LayerBases> bases_;
};

} // namespace

std::unique_ptr<Reader> kvtc_reader(const Rational& bits) {
    constexpr int most = 8;
    if (bits < 0 || bits > most)
        throw Error(ErrorCode::bad_option, "reader \"kvtc\": found " + bits.str() + " bits, expected 0 to 8");
    return std::make_unique<KvtcReader>(bits);
}

} // namespace kvproof
