#pragma once
// ChooseDepths (ReadKV 3.3) by a threshold, for a group of threads.
//
// Where gains fall from level to level, the greedy rule takes the pairs of an item and a level in the order
// (gain falling, item rising, level rising). So it takes all gains above a threshold tau, and of those equal
// to tau the first in that order. Gains are compared as integers, their bits, and tau is found bit by bit:
// the number of gains from a candidate upwards, against the budget. Counting is where the time goes: all
// levels of all items for the eight bits of the exponent, but then, between two powers of two, most tables
// leave an item at most one level that is still open, and one comparison an item is enough for the bits of
// the mantissa.

#include "gpu/allocate/gain_table.hpp"
#include "gpu/group/group.hpp"

namespace kvproof::gpu {

/// What choose_depths returns where a weight is NaN, infinite or negative, or a gain overflows; the depths
/// are all 0 then.
inline constexpr std::uint32_t bad_instance = 0xffffffffU;

/// Calls visit(gain's bits) for each level of an item of this weight.
template <class Visit>
KVPROOF_KERNEL void each_gain(float weight, const GainTable& table, const Visit& visit) {
    KVPROOF_UNROLL(8)
    for (int t = 0; t < most_levels; ++t) visit(gain_bits(weight, table.gain[t]));
}

/// The search for tau: the bits of the largest number that more gains reach than the budget has, or of one
/// that separates those that are taken from the others, if there is one.
struct Threshold {
    std::uint32_t tau;
    bool separates; ///< exactly `budget` gains are above tau
};

/// `items` hold weights, and afterwards rubbish. 0 < budget < number of positive gains; `largest` is the
/// largest gain's bits.
template <Group G, class Items>
KVPROOF_KERNEL Threshold find_threshold(G& g, Items& items, const GainTable& table, std::uint32_t budget,
                                        std::uint32_t largest) {
    constexpr int mantissa_bits = 23;
    const auto gains_from = [&](std::uint32_t candidate) {
        std::uint32_t count = 0;
        items.each([&](std::uint32_t& word) {
            each_gain(portable::from_bits(word), table,
                      [&](std::uint32_t gain) { count += gain >= candidate ? 1 : 0; });
        });
        return g.sum(count);
    };
    std::uint32_t tau = 0;
    std::uint32_t above = 0; // gains from the next power of two upwards
    int bit = 30;            // that of the sign is 0
    for (; bit >= mantissa_bits; --bit) {
        const std::uint32_t candidate = tau | 1U << static_cast<unsigned>(bit);
        const std::uint32_t count = candidate > largest ? 0 : gains_from(candidate);
        if (count == budget) return {candidate - 1, true};
        if (count > budget)
            tau = candidate;
        else
            above = count;
    }

    const std::uint32_t end = tau + (1U << static_cast<unsigned>(mantissa_bits));
    const auto is_open = [&](std::uint32_t gain) { return gain >= tau && gain < end && gain != 0; };
    std::uint32_t most_open = 0;
    items.each([&](std::uint32_t& word) {
        std::uint32_t open = 0;
        each_gain(portable::from_bits(word), table,
                  [&](std::uint32_t gain) { open += is_open(gain) ? 1 : 0; });
        most_open = open > most_open ? open : most_open;
    });
    const bool one_a_item = g.max(most_open) <= 1;
    if (one_a_item)
        items.each([&](std::uint32_t& word) {
            std::uint32_t open = 0;
            each_gain(portable::from_bits(word), table,
                      [&](std::uint32_t gain) { open = is_open(gain) ? gain : open; });
            word = open;
        });
    for (; bit >= 0; --bit) {
        const std::uint32_t candidate = tau | 1U << static_cast<unsigned>(bit);
        std::uint32_t count = above;
        if (one_a_item) {
            std::uint32_t open = 0;
            items.each([&](std::uint32_t& word) { open += word >= candidate ? 1 : 0; });
            count += g.sum(open);
        } else { // subnormal gains, or gains that hardly fall
            count = gains_from(candidate);
        }
        if (count == budget) return {candidate - 1, true};
        if (count > budget) tau = candidate;
    }
    return {tau, false};
}

/// The depths of n items for a budget of at most `budget` levels, bit for bit those of choose_depths_heap
/// (lib/allocate) on the same float32 weights and gains. Returns, in all threads, how many levels were spent,
/// or bad_instance. `items` is where the group keeps a word for each item: RegisterItems or ScratchItems.
template <Group G, class Items>
KVPROOF_KERNEL std::uint32_t choose_depths(G& g, Items& items, const float* weights, const GainTable& table,
                                           std::uint32_t budget, std::uint8_t* depths) {
    std::uint32_t positive = 0;
    std::uint32_t largest = 0;
    items.set(g, [&](int i) {
        const float weight = weights[i] + 0.0F; // -0 becomes 0
        each_gain(weight, table, [&](std::uint32_t gain) {
            positive += gain != 0 ? 1 : 0;
            largest = gain > largest ? gain : largest;
        });
        return portable::bits_of(weight);
    });
    largest = g.max(largest);
    positive = g.sum(positive);
    const bool bad = largest >= infinite_gain;
    Threshold threshold = {bad || budget == 0 ? bad_instance : 0,
                           true}; // above all gains, or below the positive
    if (!bad && budget > 0 && budget < positive) threshold = find_threshold(g, items, table, budget, largest);

    // a word from here on: the levels above tau, and from its ninth bit those equal to it
    constexpr unsigned tie_shift = 8;
    std::uint32_t spent = 0;
    items.set(g, [&](int i) {
        const float weight = weights[i] + 0.0F;
        std::uint32_t word = 0;
        each_gain(weight, table, [&](std::uint32_t gain) {
            word += gain > threshold.tau ? 1 : 0;
            word += gain == threshold.tau ? 1U << tie_shift : 0;
        });
        word = bad ? 0 : word; // of these gains, NaN's bits may be above bad_instance's
        spent += word & 0xffU;
        return word;
    });
    spent = g.sum(spent);
    if (!threshold.separates) {
        items.hand_out(g, budget - spent, [](std::uint32_t& word, std::uint32_t left) {
            const std::uint32_t ties = word >> tie_shift;
            const std::uint32_t taken = ties < left ? ties : left;
            word += taken;
            return ties;
        });
        spent = budget;
    }
    items.write(g, [&](int i, std::uint32_t word) { depths[i] = static_cast<std::uint8_t>(word & 0xffU); });
    return bad ? bad_instance : spent;
}

} // namespace kvproof::gpu
