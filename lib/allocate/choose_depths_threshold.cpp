// ChooseDepths without a queue. Where gains fall from level to level, the greedy rule takes the pairs of an
// item and a level in the order (gain falling, item rising, level rising): so it takes all gains above the
// B-th largest, tau, and of those equal to tau the first in that order until B are taken. What is left is to
// find tau:
//
// 1. The upper 32 bits of the weights, as integers, are counted in bins.
// 2. All levels share these counts: gains of at least c are weights of at least about c / Delta_t. That
//    brackets tau (gain_bracket.hpp), for each level between two weights.
// 3. One pass compares every weight with these: levels above the bracket are taken, those inside are open.
// 4. Only for the few open pairs the gains are formed, tau selected among them, and ties counted off in
// order.
//
// Everything is decided by the same rounded products that the heap compares; c / Delta_t is only a guess that
// is then corrected by products.
#include "lib/allocate/allocation_input.hpp"
#include "lib/allocate/choose_depths.hpp"
#include "lib/allocate/gain_bracket.hpp"
#include "lib/allocate/select_rank.hpp"
#include "lib/allocate/weight_passes.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace kvproof {
namespace {

std::vector<std::uint32_t>& keys_of(AllocationWorkspace& workspace, float) {
    return workspace.gains32;
}
std::vector<std::uint64_t>& keys_of(AllocationWorkspace& workspace, double) {
    return workspace.gains64;
}
std::vector<std::uint32_t>& spare_of(AllocationWorkspace& workspace, float) {
    return workspace.spare32;
}
std::vector<std::uint64_t>& spare_of(AllocationWorkspace& workspace, double) {
    return workspace.spare64;
}

/// Every positive gain is taken. Returns their number.
template <class Number>
std::uint64_t take_all(std::span<const Number> weights, std::span<const Number> gains,
                       std::span<std::uint8_t> depths) {
    std::uint64_t spent = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        std::size_t depth =
            gains.size(); // the smallest gains are tried first: all but tiny weights stop here
        while (depth > 0 && !(weights[i] * gains[depth - 1] > 0)) --depth;
        depths[i] = static_cast<std::uint8_t>(depth);
        spent += depth;
    }
    return spent;
}

/// The levels each item surely reaches, in `depths`, and how many more are open, in `open`.
void split_levels(std::span<const std::int32_t> keys, const GainBracket& bracket, std::size_t levels,
                  std::span<std::uint8_t> depths, std::vector<std::uint8_t>& open) {
    if (open.size() < keys.size() + 8) open.resize(keys.size() + 8);
    std::memset(open.data(), 0, keys.size() + 8);
    std::ranges::fill(depths, std::uint8_t{0});
    for (std::size_t from = 0; from < levels; from += pass_levels) {
        KeyCuts lower{};
        KeyCuts upper{};
        lower.fill(std::numeric_limits<std::int32_t>::max());
        upper.fill(std::numeric_limits<std::int32_t>::max());
        const std::size_t count = std::min(pass_levels, levels - from);
        std::copy_n(bracket.lower.begin() + static_cast<std::ptrdiff_t>(from), count, lower.begin());
        std::copy_n(bracket.upper.begin() + static_cast<std::ptrdiff_t>(from), count, upper.begin());
        count_levels(keys.data(), keys.size(), lower, upper, depths.data(), open.data());
    }
}

/// Calls visit(i) for each item with open levels, in order; `open` is followed by eight zero bytes.
template <class Visit>
void for_each_open(std::size_t n, const std::vector<std::uint8_t>& open, const Visit& visit) {
    for (std::size_t i = 0; i < n; i += 8) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, open.data() + i, 8);
        if (eight == 0) continue;
        for (std::size_t j = i; j < i + 8; ++j)
            if (open[j] != 0) visit(j);
    }
}

template <class Number>
std::uint64_t by_threshold(std::span<const Number> weights, std::span<const Number> gains,
                           std::uint64_t budget, std::span<std::uint8_t> depths,
                           AllocationWorkspace& workspace) {
    using Key = GainKey<Number>;
    const std::size_t n = weights.size();
    if (workspace.keys.size() < n) workspace.keys.resize(n);
    const WeightSummary summary = coarse_keys(weights.data(), n, workspace.keys.data());
    if (summary.largest >= infinite_key<Number>) require_weights(weights);
    if (!gains.empty() && gains[0] > 1 && n > 0) require_finite_products(std::ranges::max(weights), gains);
    while (!gains.empty() && !(gains.back() > 0)) gains = gains.first(gains.size() - 1);
    if (std::uint64_t{summary.positive} * gains.size() <= budget) return take_all(weights, gains, depths);
    if (budget == 0) {
        std::ranges::fill(depths, std::uint8_t{0});
        return 0;
    }

    const std::span<const std::int32_t> keys(workspace.keys.data(), n);
    const WeightHistogram<Number> histogram(keys, static_cast<std::int32_t>(summary.largest),
                                            workspace.counts);
    const GainBracket bracket = gain_bracket(histogram, gains, budget);
    split_levels(keys, bracket, gains.size(), depths, workspace.open);

    auto& open_gains = keys_of(workspace, Number{});
    auto& items = workspace.items;
    std::size_t count = 0;
    for_each_open(n, workspace.open, [&](std::size_t i) {
        const std::size_t levels = workspace.open[i];
        if (open_gains.size() < count + levels || items.size() < count + levels) {
            open_gains.resize(2 * (count + levels) + 1024);
            items.resize(2 * (count + levels) + 1024);
        }
        for (std::size_t t = depths[i]; t < std::size_t{depths[i]} + levels; ++t) {
            open_gains[count] = gain_key(weights[i], gains[t]);
            items[count] = static_cast<std::uint32_t>(i);
            ++count;
        }
    });

    const std::uint64_t rest = budget - bracket.above;
    const std::span<const Key> open_keys(open_gains.data(), count);
    Key tau = 0; // with fewer open gains than are wanted, every positive one is taken
    std::uint64_t ties = 0;
    if (rest <= count) {
        tau = select_rank(open_keys, rest, spare_of(workspace, Number{}));
        ties = rest -
               static_cast<std::uint64_t>(std::ranges::count_if(open_keys, [&](Key k) { return k > tau; }));
        if (tau == 0) ties = 0;
    }
    std::uint64_t spent = bracket.above;
    for (std::size_t c = 0; c < count; ++c) {
        const bool tie = open_keys[c] == tau && ties > 0;
        const unsigned taken = open_keys[c] > tau || tie ? 1 : 0;
        ties -= tie ? 1 : 0;
        depths[items[c]] = static_cast<std::uint8_t>(depths[items[c]] + taken);
        spent += taken;
    }
    return spent;
}

template <class Number>
std::uint64_t threshold_or_heap(std::span<const Number> weights, std::span<const Number> gains,
                                std::uint64_t budget, std::span<std::uint8_t> depths,
                                AllocationWorkspace& workspace) {
    require_gains(weights, gains, std::span<const std::uint8_t>(depths));
    const bool falls =
        std::ranges::is_sorted(gains, std::greater<>()) && (gains.empty() || gains.back() >= 0);
    if (!falls) return choose_depths_heap(weights, gains, budget, depths, workspace);
    return by_threshold(weights, gains, budget, depths, workspace);
}

} // namespace

std::uint64_t choose_depths_threshold(std::span<const float> weights, std::span<const float> gains,
                                      std::uint64_t budget, std::span<std::uint8_t> depths,
                                      AllocationWorkspace& workspace) {
    return threshold_or_heap(weights, gains, budget, depths, workspace);
}

std::uint64_t choose_depths_threshold(std::span<const double> weights, std::span<const double> gains,
                                      std::uint64_t budget, std::span<std::uint8_t> depths,
                                      AllocationWorkspace& workspace) {
    return threshold_or_heap(weights, gains, budget, depths, workspace);
}

// The heap wins nowhere that was measured (tests/bench/README.md), except on gains that do not fall.
std::uint64_t choose_depths(std::span<const float> weights, std::span<const float> gains,
                            std::uint64_t budget, std::span<std::uint8_t> depths,
                            AllocationWorkspace& workspace) {
    return choose_depths_threshold(weights, gains, budget, depths, workspace);
}

std::uint64_t choose_depths(std::span<const double> weights, std::span<const double> gains,
                            std::uint64_t budget, std::span<std::uint8_t> depths,
                            AllocationWorkspace& workspace) {
    return choose_depths_threshold(weights, gains, budget, depths, workspace);
}

} // namespace kvproof
