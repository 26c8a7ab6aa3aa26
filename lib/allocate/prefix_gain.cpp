#include "lib/allocate/prefix_gain.hpp"

#include <algorithm>
#include <functional>

namespace kvproof {

Rational greedy_gain(const std::vector<Item>& items, unsigned long budget) {
    std::vector<std::size_t> depths(items.size());
    Rational collected = 0;
    while (true) {
        const Refinement* best = nullptr;
        std::size_t owner = 0;
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (depths[i] == items[i].size()) continue;
            const Refinement& next = items[i][depths[i]];
            if (next.gain <= 0 || next.cost > budget || (best != nullptr && next.gain <= best->gain))
                continue;
            best = &next;
            owner = i;
        }
        if (best == nullptr) return collected;
        collected += best->gain;
        budget -= best->cost;
        ++depths[owner];
    }
}

Rational best_gain(const std::vector<Item>& items, unsigned long budget) {
    unsigned long total = 0;
    for (const Item& item : items)
        for (const Refinement& refinement : item) total += refinement.cost;
    budget = std::min(budget, total);
    std::vector<Rational> best(budget + 1); // of the items so far, by budget
    for (const Item& item : items) {
        std::vector<Rational> with_item = best;
        Rational gain = 0;
        unsigned long cost = 0;
        for (const Refinement& refinement : item) {
            gain += refinement.gain;
            cost += refinement.cost;
            for (unsigned long b = cost; b <= budget; ++b)
                with_item[b] = std::max(with_item[b], Rational(best[b - cost] + gain));
        }
        best = std::move(with_item);
    }
    return best.back();
}

Rational largest_gains(std::vector<Rational> gains, unsigned long count) {
    std::ranges::sort(gains, std::greater<>());
    Rational sum = 0;
    for (std::size_t i = 0; i < gains.size() && i < count && gains[i] > 0; ++i) sum += gains[i];
    return sum;
}

} // namespace kvproof
