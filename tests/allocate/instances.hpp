#pragma once
// Random items and weights, as exact rationals.

#include "lib/allocate/prefix_gain.hpp"
#include "tests/exact/generators.hpp"

#include <algorithm>
#include <functional>

namespace kvproof::test {

inline Rational any_gain() {
    return Rational(pick(-6, 12), pick(1, 4));
}

/// Up to four items of up to four refinements, with gains of any order.
inline std::vector<Item> any_items(bool unit_costs) {
    std::vector<Item> items(static_cast<std::size_t>(pick(0, 4)));
    for (Item& item : items)
        for (long levels = pick(0, 4); levels > 0; --levels)
            item.push_back({any_gain(), unit_costs ? 1UL : static_cast<unsigned long>(pick(1, 3))});
    return items;
}

/// The same with unit costs and nonincreasing gains.
inline std::vector<Item> falling_items() {
    std::vector<Item> items = any_items(true);
    for (Item& item : items) std::ranges::sort(item, std::greater<>(), &Refinement::gain);
    return items;
}

inline std::vector<Rational> any_weights(long least, long most) {
    std::vector<Rational> weights(static_cast<std::size_t>(pick(least, most)));
    for (Rational& a : weights)
        a = pick(0, 4) == 0 ? Rational(0) : Rational(pick(1, 300), pick(1, 40)) * power_of_two(pick(-6, 6));
    return weights;
}

} // namespace kvproof::test
