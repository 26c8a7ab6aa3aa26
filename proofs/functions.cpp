#include "proofs/functions.hpp"

#include "lib/allocate/prefix_gain.hpp"

#include <algorithm>

namespace kvproof {
namespace {

constexpr unsigned long deepest = 64;
constexpr unsigned long largest_budget = 1000000;
constexpr unsigned long largest_cost = 1000;
constexpr long most_depth_vectors = 1000000; // so that a checker may try them all

std::optional<unsigned long> integer_within(const Rational& x, unsigned long least, unsigned long most) {
    if (denominator(x) != 1 || x < least || x > most) return {};
    return static_cast<unsigned long>(numerator(x));
}

/// Items of `depth` refinements from gains and costs in turn.
std::optional<std::vector<Item>> items_of(const std::vector<Rational>& numbers, unsigned long depth) {
    if (numbers.size() % (2 * depth) != 0) return {};
    std::vector<Item> items;
    for (std::size_t i = 0; i < numbers.size(); i += 2) {
        const auto cost = integer_within(numbers[i + 1], 1, largest_cost);
        if (!cost) return {};
        if (i % (2 * depth) == 0) items.emplace_back();
        items.back().push_back({numbers[i], *cost});
    }
    return items;
}

} // namespace

std::optional<FunctionValue> function_value(const std::string& name, const std::vector<Rational>& arguments) {
    const std::size_t leading = name == "largest" ? 1 : 2;
    if (arguments.size() < leading) return {};
    const std::vector<Rational> rest(arguments.begin() + static_cast<std::ptrdiff_t>(leading),
                                     arguments.end());
    const auto budget = integer_within(arguments[leading - 1], 0, largest_budget);
    const auto depth = leading == 1 ? 1 : integer_within(arguments[0], 1, deepest);
    if (!budget || !depth) return {};
    if (name == "largest") return FunctionValue{largest_gains(rest, *budget), 0, 0};
    if (name == "waterfill") {
        if (std::ranges::any_of(rest, [](const Rational& a) { return a < 0; })) return {};
        return water_filling(rest, *depth, *budget);
    }
    const auto items = items_of(rest, *depth);
    if (!items) return {};
    if (name == "best" &&
        power(Rational(*depth + 1), static_cast<long>(std::min<std::size_t>(items->size(), 64))) >
            most_depth_vectors)
        return {};
    return FunctionValue{name == "greedy" ? greedy_gain(*items, *budget) : best_gain(*items, *budget), 0, 0};
}

} // namespace kvproof
