#include "sim/montecarlo/quantised_tokens.hpp"

#include "lib/reader/rotated_keys.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kvproof {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// The relative errors of one token; h becomes what is decoded.
void quantise_token(QuantisedTokens& out, std::vector<double>& h, const AatcLatents& latents,
                    const std::vector<std::uint8_t>& bits, TokenCode form) {
    const double alpha = stored_token_scale(token_scale(h, latents.scale), form).value;
    out.token_scale.push_back(alpha);
    for (std::size_t c = 0; c < h.size(); ++c) {
        const TokenQuantiser channel{alpha * latents.scale[c], bits[c], form};
        const double decoded = bits[c] == 0 ? 0 : channel.quantised(h[c]);
        const double step = channel.step();
        const double relative = step > 0 ? (decoded - h[c]) / step : 0;
        out.relative.push_back(step > 0 && bits[c] > 0 ? relative : none);
        out.power[c] += relative * relative;
        h[c] = decoded;
    }
}

} // namespace

QuantisedTokens quantise_tokens(const CaptureLayer& layer, CacheSide side, const AatcLatents& latents,
                                const std::vector<std::uint8_t>& bits, TokenCode form, const Rotary& rotary) {
    const auto d = static_cast<std::size_t>(layer.shape.dim);
    const auto count = static_cast<std::size_t>(layer.shape.tokens);
    QuantisedTokens out;
    out.channels = bits.size();
    out.power.resize(out.channels);
    out.errors.resize(out.channels * count);
    std::vector<double> h(out.channels);
    std::vector<double> rows = side == CacheSide::keys ? unturned_key_rows(layer, rotary) : value_rows(layer);
    for (int t = 0; t < layer.shape.tokens; ++t) {
        const std::span<double> heads =
            std::span(rows).subspan(static_cast<std::size_t>(t) * out.channels, out.channels);
        latents.encode(heads, h);
        quantise_token(out, h, latents, bits, form);
        latents.decode(h, heads);
        for (int g = 0; g < layer.shape.kv_heads; ++g) {
            const std::span<double> head = heads.subspan(static_cast<std::size_t>(g) * d, d);
            if (side == CacheSide::keys) rotary.turn(head, t);
            const auto exact = side == CacheSide::keys ? layer.key(g, t) : layer.value(g, t);
            double* error =
                out.errors.data() + (static_cast<std::size_t>(g) * count + static_cast<std::size_t>(t)) * d;
            for (std::size_t c = 0; c < d; ++c) error[c] = head[c] - exact[c];
        }
    }
    for (std::size_t c = 0; c < out.channels; ++c) {
        out.unit.push_back(std::ldexp(latents.scale[c], 1 - bits[c]));
        out.power[c] /= static_cast<double>(count);
        out.assumed.push_back(bits[c] > 0 ? 1.0 / 12 : out.power[c]);
    }
    return out;
}

std::vector<double> head_covariance(const QuantisedTokens& tokens, const AatcLatents& latents,
                                    const std::vector<double>& power, int kv_head, int dim) {
    const auto d = static_cast<std::size_t>(dim);
    const std::size_t width = latents.width();
    const std::size_t place = static_cast<std::size_t>(kv_head) * d;
    const WhitenedSvd& group = latents.groups[place / width];
    const std::size_t first = place / width * width;
    std::vector<double> out(d * d);
    for (std::size_t c = 0; c < width; ++c) {
        const double* b = group.from_latent.data() + c * width + place % width;
        const double unit = tokens.unit[first + c];
        const double factor = unit * unit * power[first + c];
        for (std::size_t i = 0; i < d; ++i)
            for (std::size_t j = 0; j < d; ++j) out[i * d + j] += factor * b[i] * b[j];
    }
    return out;
}

} // namespace kvproof
