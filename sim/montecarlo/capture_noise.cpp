#include "sim/montecarlo/capture_noise.hpp"

#include "lib/codec/token_quantiser.hpp"
#include "lib/reader/aatc_latents.hpp"

#include <cmath>

namespace kvproof {
namespace {

struct Sizes {
    std::vector<double> token;
    std::vector<double> channel;
};

/// Of one head's vectors [T, d].
Sizes quantiser_sizes(std::span<const double> vectors, std::size_t d, int bits, double factor) {
    constexpr std::size_t scale_percent = 99;
    Sizes out;
    std::vector<double> scales;
    for (std::size_t c = 0; c < d; ++c) {
        std::vector<double> magnitudes;
        for (std::size_t i = c; i < vectors.size(); i += d) magnitudes.push_back(std::fabs(vectors[i]));
        scales.push_back(percentile(std::move(magnitudes), scale_percent));
        out.channel.push_back(factor * std::ldexp(scales.back(), 1 - bits) / std::sqrt(12.0));
    }
    for (std::size_t i = 0; i < vectors.size(); i += d)
        out.token.push_back(
            stored_token_scale(token_scale(vectors.subspan(i, d), scales), TokenCode::repaired).value);
    return out;
}

} // namespace

std::vector<NoiseSizes> noise_sizes(const QueryRows& rows, const NoiseChoice& choice) {
    const CaptureShape& shape = rows.shape();
    const auto d = static_cast<std::size_t>(shape.dim);
    const auto count = static_cast<std::size_t>(shape.tokens);
    std::vector<NoiseSizes> out;
    for (int l = 0; l < shape.layers; ++l)
        for (std::size_t g = 0; g < static_cast<std::size_t>(shape.kv_heads); ++g) {
            Sizes keys{std::vector<double>(count, 1.0), std::vector<double>(d, choice.keys)};
            Sizes values{keys.token, std::vector<double>(d, choice.values)};
            if (choice.quantiser) {
                const auto head = [&](const std::vector<double>& all) {
                    return std::span(all).subspan(g * count * d, count * d);
                };
                keys = quantiser_sizes(head(rows.layer(l).k), d, choice.bits, choice.keys);
                values = quantiser_sizes(head(rows.layer(l).v), d, choice.bits, choice.values);
            }
            out.push_back({keys.token, keys.channel, values.token, values.channel, kappa_of(choice.law)});
        }
    return out;
}

} // namespace kvproof
