#include "lib/reader/aatc_allocation.hpp"

#include "lib/allocate/choose_depths.hpp"
#include "lib/reader/aatc_latents.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kvproof {
namespace {

constexpr std::size_t most_bits = 16;
constexpr std::size_t normal_percent = 95;

/// The 95th percentile of the live channels' numbers; 1 where it is 0 or there are none.
double normal(const AatcLayerChannels& layer, const std::vector<double>& numbers) {
    std::vector<double> live;
    for (std::size_t c = 0; c < numbers.size(); ++c)
        if (layer.live[c]) live.push_back(numbers[c]);
    const double out = live.empty() ? 0 : percentile(std::move(live), normal_percent);
    return out > 0 ? out : 1;
}

std::vector<double> priorities(const AatcLayerChannels& layer, const AatcRule& rule) {
    const double spread = rule.normalise ? normal(layer, layer.variance) : 1;
    const double weight = rule.normalise && rule.normalise_weights ? normal(layer, layer.weight) : 1;
    std::vector<double> out(layer.weight.size());
    for (std::size_t c = 0; c < out.size(); ++c)
        if (layer.live[c]) out[c] = layer.weight[c] / weight * (layer.variance[c] / spread);
    return out;
}

std::vector<std::uint8_t> filled(const std::vector<double>& priorities, std::uint64_t budget) {
    std::array<double, most_bits> gains{};
    for (std::size_t b = 0; b < gains.size(); ++b) gains[b] = std::ldexp(0.75, -2 * static_cast<int>(b));
    std::vector<std::uint8_t> out(priorities.size());
    AllocationWorkspace workspace;
    static_cast<void>(choose_depths(priorities, gains, budget, out, workspace));
    return out;
}

std::uint64_t budget_of(const Rational& rate, std::size_t channels) {
    return floor(Rational(rate * channels)).convert_to<std::uint64_t>();
}

} // namespace

std::size_t aatc_fixed_layers(std::span<const int> layers, const Rational& average, const Rational& fixed) {
    constexpr int first_layers = 3;
    std::size_t out = 0;
    while (out < layers.size() && layers[out] < first_layers) ++out;
    out = std::min(out, layers.size() / 2);
    while (out > 0 && fixed * out > average * layers.size()) --out;
    return out;
}

std::vector<std::vector<std::uint8_t>> aatc_bits(const std::vector<AatcLayerChannels>& layers,
                                                 const AatcRule& rule) {
    std::vector<std::vector<std::uint8_t>> out;
    if (layers.empty()) return out;
    const std::size_t channels = layers.front().weight.size();
    std::uint64_t left = budget_of(rule.average, channels * layers.size());
    for (std::size_t l = 0; l < rule.fixed_layers; ++l) {
        const std::uint64_t budget =
            budget_of(rule.fixed, channels * (l + 1)) - budget_of(rule.fixed, channels * l);
        left -= budget;
        out.push_back(filled(priorities(layers[l], rule), budget));
    }
    std::vector<double> together;
    for (std::size_t l = rule.fixed_layers; l < layers.size(); ++l) {
        const std::vector<double> of_layer = priorities(layers[l], rule);
        together.insert(together.end(), of_layer.begin(), of_layer.end());
    }
    const std::vector<std::uint8_t> bits = filled(together, left);
    for (auto at = bits.begin(); at != bits.end(); at += static_cast<std::ptrdiff_t>(channels))
        out.emplace_back(at, at + static_cast<std::ptrdiff_t>(channels));
    return out;
}

} // namespace kvproof
