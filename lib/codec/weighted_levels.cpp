#include "lib/codec/weighted_levels.hpp"

#include <algorithm>
#include <utility>

namespace kvproof {
namespace {

/// Samples in ascending order with sums of weights and of weighted values before each.
struct Sorted {
    std::vector<double> values;
    std::vector<double> weights;
    std::vector<double> firsts;
};

Sorted sorted(std::vector<WeightedSample> samples) {
    std::erase_if(samples, [](const WeightedSample& s) { return !(s.weight > 0); });
    std::ranges::sort(samples, [](const WeightedSample& a, const WeightedSample& b) {
        return a.value != b.value ? a.value < b.value : a.weight < b.weight;
    });
    Sorted out{{}, {0}, {0}};
    for (const WeightedSample& s : samples) {
        out.values.push_back(s.value);
        out.weights.push_back(out.weights.back() + s.weight);
        out.firsts.push_back(out.firsts.back() + s.weight * s.value);
    }
    return out;
}

/// Where each level's samples begin, and at last their end.
std::vector<std::size_t> cell_starts(const Sorted& samples, const std::vector<double>& levels) {
    std::vector<std::size_t> out = {0};
    for (std::size_t i = 1; i < levels.size(); ++i) {
        const double boundary = (levels[i - 1] + levels[i]) / 2;
        const auto at = std::ranges::lower_bound(samples.values, boundary); // a tie goes up
        out.push_back(static_cast<std::size_t>(at - samples.values.begin()));
    }
    out.push_back(samples.values.size());
    return out;
}

std::vector<double> evenly(double low, double high, std::size_t count) {
    std::vector<double> out;
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(low + (high - low) * (static_cast<double>(i) + 0.5) / static_cast<double>(count));
    return out;
}

} // namespace

LevelQuantiser weighted_levels(std::vector<WeightedSample> samples, int bits) {
    const std::size_t count = std::size_t{1} << bits;
    const Sorted order = sorted(std::move(samples));
    if (order.values.empty()) return LevelQuantiser(evenly(-1, 1, count));
    std::vector<double> levels = evenly(order.values.front(), order.values.back(), count);
    std::vector<std::size_t> starts;
    for (int round = 0; round < 100; ++round) {
        std::vector<std::size_t> next = cell_starts(order, levels);
        if (next == starts) break;
        starts = std::move(next);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t from = starts[i];
            const std::size_t to = starts[i + 1];
            if (from == to) continue;
            const double centre =
                (order.firsts[to] - order.firsts[from]) / (order.weights[to] - order.weights[from]);
            // Differences of long sums are not exact; the mean lies among its order.
            if (order.weights[to] > order.weights[from])
                levels[i] = std::clamp(centre, order.values[from], order.values[to - 1]);
        }
    }
    for (double& level : levels) level = static_cast<float>(level);
    return LevelQuantiser(std::move(levels));
}

} // namespace kvproof
