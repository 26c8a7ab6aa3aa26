#include "lib/reader/aatc.hpp"

#include "lib/error.hpp"
#include "lib/reader/aatc_allocation.hpp"
#include "lib/reader/aatc_latents.hpp"
#include "lib/reader/prepared_layer.hpp"
#include "lib/reader/rotated_keys.hpp"
#include "lib/reader/windowed_layer.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace kvproof {
namespace {

constexpr int most_bits = 16;

/// What the calibration decided for one layer's keys or values.
struct Code {
    AatcLatents latents;
    std::vector<std::uint8_t> bits; // [G d_h]

    [[nodiscard]] std::uint64_t token_bits() const {
        return std::accumulate(bits.begin(), bits.end(), std::uint64_t{0});
    }

    /// Replaces the heads of one token by what their codes say; returns how many scales did not fit 16 bits.
    /// A channel without bits is 0 (Remark 5), whatever the form.
    [[nodiscard]] std::uint64_t apply(std::span<double> heads, TokenCode form) const {
        std::vector<double> h(heads.size());
        latents.encode(heads, h);
        std::uint64_t saturated = 0;
        const std::size_t width = latents.width();
        for (std::size_t first = 0; first < h.size(); first += width) {
            const std::span<double> group = std::span(h).subspan(first, width);
            const std::span<const double> scales = std::span(latents.scale).subspan(first, width);
            const Half alpha = stored_token_scale(token_scale(group, scales), form);
            saturated += alpha.saturated ? 1 : 0;
            for (std::size_t c = 0; c < width; ++c) {
                const int b = bits[first + c];
                group[c] = b == 0 ? 0 : TokenQuantiser{alpha.value * scales[c], b, form}.quantised(group[c]);
            }
        }
        latents.decode(h, heads);
        return saturated;
    }
};

struct LayerCode {
    CaptureShape shape;
    Code keys;
    Code values;
};

/// Replaces the coded tokens of `vectors`; returns how many scales did not fit.
std::uint64_t code_vectors(HeadVectors& vectors, const CaptureShape& shape, const Code& code,
                           TokenCode form) {
    const TokenWindow window;
    std::vector<double> rows =
        token_rows(vectors, 0, shape.kv_heads, window.first, window.coded(shape.tokens));
    const std::size_t width = code.bits.size();
    std::uint64_t saturated = 0;
    for (std::size_t at = 0; at < rows.size(); at += width)
        saturated += code.apply(std::span(rows).subspan(at, width), form);
    put_token_rows(vectors, 0, shape.kv_heads, window.first, rows, static_cast<std::size_t>(shape.dim));
    return saturated;
}

class AatcLayer final : public WindowedLayer {
public:
    AatcLayer(const CaptureLayer& layer, HeadVectors keys, HeadVectors values, const LayerCode& code,
              std::uint64_t saturated)
        : WindowedLayer(layer, std::move(keys), std::move(values)), groups_(code.keys.latents.groups.size()),
          token_bits_(code.keys.token_bits() + code.values.token_bits()), saturated_(saturated) {}
    [[nodiscard]] std::uint64_t saturated() const override { return saturated_; }

private:
    /// The scales of channels are loaded by every call; transforms are weights, and the numbers of bits a
    /// schedule: neither is charged.
    [[nodiscard]] CallBits call_bits(int tokens) const override {
        constexpr std::uint64_t half = 16;
        const auto coded = static_cast<std::uint64_t>(TokenWindow{}.coded(tokens));
        return {whole_bits(tokens) + coded * token_bits_, coded * 2 * half * groups_ + 2 * half * scalars()};
    }

    std::uint64_t groups_;
    std::uint64_t token_bits_; // codes of one token, keys and values
    std::uint64_t saturated_;
};

class AatcReader final : public Reader {
public:
    explicit AatcReader(const AatcOptions& options)
        : options_(options), name_(options.weighted ? "aatc" : "aatc-var") {}

    [[nodiscard]] bool needs_calibration() const override { return true; }

    void prepare(const CaptureSource& calibration, std::span<const int> layers) override {
        const CaptureShape& shape = calibration.shape();
        if (options_.head_groups < 1 || shape.kv_heads % options_.head_groups != 0)
            throw Error(ErrorCode::bad_option, "reader \"" + name_ + "\": found " +
                                                   std::to_string(options_.head_groups) +
                                                   " head groups, expected a divisor of the " +
                                                   std::to_string(shape.kv_heads) + " KV heads");
        if (shape.queries == 0)
            throw Error(ErrorCode::bad_capture, calibration.source() +
                                                    ": found no queries, expected some: "
                                                    "reader \"" +
                                                    name_ + "\" weighs key channels with them");
        rotary_ = required_rotary(calibration, name_);
        codes_.clear();
        for (const int index : layers) {
            const CaptureLayer layer = calibration.layer(index);
            const Projections projections = required_projections(calibration, index, name_);
            codes_[index] = {shape,
                             {aatc_keys(layer, projections, *rotary_, options_.head_groups), {}},
                             {aatc_values(layer, projections, options_.head_groups), {}}};
        }
        const Rational raised = std::min(Rational(options_.bits + 1), Rational(most_bits));
        const std::size_t fixed = options_.plain ? 0 : aatc_fixed_layers(layers, options_.bits, raised);
        share_out(&LayerCode::keys, {options_.bits, fixed, raised, !options_.plain, !options_.plain});
        share_out(&LayerCode::values, {options_.bits, fixed, options_.bits, !options_.plain, false});
    }

    [[nodiscard]] std::unique_ptr<StoredLayer> encode(const LayerInput& input,
                                                      const ReaderSettings&) const override {
        const LayerCode& code = prepared_layer(codes_, input, name_);
        const CaptureShape& shape = input.layer.shape;
        HeadVectors keys(shape, input.layer.k);
        HeadVectors values(shape, input.layer.v);
        turn_keys(keys, shape, *rotary_, -1);
        const std::uint64_t saturated = code_vectors(keys, shape, code.keys, options_.code) +
                                        code_vectors(values, shape, code.values, options_.code);
        turn_keys(keys, shape, *rotary_, 1);
        return std::make_unique<AatcLayer>(input.layer, std::move(keys), std::move(values), code, saturated);
    }

private:
    /// One budget for the keys of all layers, one for the values.
    void share_out(Code LayerCode::*side, const AatcRule& rule) {
        std::vector<AatcLayerChannels> layers;
        for (const auto& [index, code] : codes_) {
            const AatcLatents& latents = (code.*side).latents;
            AatcLayerChannels channels{latents.variance, latents.weight, {}};
            if (!options_.weighted) std::ranges::fill(channels.weight, 1.0);
            for (const double scale : latents.scale) channels.live.push_back(scale > 0);
            layers.push_back(std::move(channels));
        }
        std::vector<std::vector<std::uint8_t>> bits = aatc_bits(layers, rule);
        std::size_t at = 0;
        for (auto& [index, code] : codes_) (code.*side).bits = std::move(bits[at++]);
    }

    AatcOptions options_;
    std::string name_;
    std::optional<Rotary> rotary_;
    std::map<int, LayerCode> codes_;
};

} // namespace

std::unique_ptr<Reader> aatc_reader(const AatcOptions& options) {
    if (options.bits < 0 || options.bits > most_bits)
        throw Error(ErrorCode::bad_option, "reader \"aatc\": found an average of " + to_string(options.bits) +
                                               " bits, expected 0 to 16");
    return std::make_unique<AatcReader>(options);
}

} // namespace kvproof
