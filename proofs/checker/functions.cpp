#include "functions.hpp"

#include <algorithm>

namespace kvcheck {
namespace {

constexpr unsigned long most_depth_vectors = 1000000;

struct Refinement {
    mpq_class gain;
    unsigned long cost;
};

using Item = std::vector<Refinement>;

unsigned long integer(const mpq_class& x, unsigned long least, unsigned long most) {
    if (x.get_den() != 1 || x < least || x > most) throw Undefined{};
    return x.get_num().get_ui();
}

std::vector<Item> items_of(const std::vector<mpq_class>& numbers, std::size_t depth) {
    if (numbers.size() % (2 * depth) != 0) throw Undefined{};
    std::vector<Item> items(numbers.size() / (2 * depth));
    for (std::size_t i = 0; i < numbers.size(); i += 2)
        items[i / (2 * depth)].push_back({numbers[i], integer(numbers[i + 1], 1, 1000)});
    return items;
}

mpq_class greedy(std::vector<Item> items, unsigned long budget) {
    for (Item& item : items) std::reverse(item.begin(), item.end()); // the next refinement is the last one
    mpq_class sum;
    while (true) {
        Item* best = nullptr;
        for (Item& item : items) {
            if (item.empty() || item.back().cost > budget || item.back().gain <= 0) continue;
            if (best == nullptr || item.back().gain > best->back().gain) best = &item;
        }
        if (best == nullptr) return sum;
        sum += best->back().gain;
        budget -= best->back().cost;
        best->pop_back();
    }
}

/// Tries every vector of depths.
mpq_class best(const std::vector<Item>& items, std::size_t from, unsigned long budget) {
    if (from == items.size()) return 0;
    mpq_class most = best(items, from + 1, budget);
    mpq_class gain;
    for (const Refinement& r : items[from]) {
        if (r.cost > budget) break;
        budget -= r.cost;
        gain += r.gain;
        most = std::max(most, mpq_class(gain + best(items, from + 1, budget)));
    }
    return most;
}

mpq_class largest(std::vector<mpq_class> gains, unsigned long count) {
    mpq_class sum;
    while (count-- > 0 && !gains.empty()) {
        const auto at = std::max_element(gains.begin(), gains.end());
        if (*at <= 0) break;
        sum += *at;
        gains.erase(at);
    }
    return sum;
}

mpq_class power(const mpq_class& x, unsigned long n) {
    mpq_class y;
    mpz_pow_ui(y.get_num_mpz_t(), x.get_num_mpz_t(), n);
    mpz_pow_ui(y.get_den_mpz_t(), x.get_den_mpz_t(), n);
    return y;
}

/// The conditions of Karush, Kuhn and Tucker: with weights falling, the first `deep` items stand at depth W,
/// the next `active` ones keep tau each, the others stand at 0. They hold for one pair where 0 < B < W p.
FunctionValue water_filling(std::vector<mpq_class> weights, unsigned long depth, unsigned long budget) {
    std::erase_if(weights, [](const mpq_class& a) { return a == 0; });
    std::sort(weights.begin(), weights.end(), std::greater<>());
    const mpq_class deepest = power(4, depth);
    const std::size_t items = weights.size();
    if (budget >= depth * items || budget == 0) {
        FunctionValue out;
        for (const mpq_class& a : weights) out.clipped += budget == 0 ? a : mpq_class(a / deepest);
        return out;
    }
    for (std::size_t deep = 0; deep < items; ++deep) {
        mpq_class tau_power = power(deepest, deep) / power(4, budget);
        for (std::size_t active = 1; deep + active <= items; ++active) {
            tau_power *= weights[deep + active - 1];
            const auto at_least_tau = [&](const mpq_class& x) { return power(x, active) >= tau_power; };
            const auto at_most_tau = [&](const mpq_class& x) { return power(x, active) <= tau_power; };
            const std::size_t first_flat = deep + active;
            if ((deep > 0 && !at_least_tau(weights[deep - 1] / deepest)) ||
                !at_most_tau(weights[deep] / deepest) || !at_least_tau(weights[first_flat - 1]) ||
                (first_flat < items && !at_most_tau(weights[first_flat])))
                continue;
            FunctionValue out{0, active, tau_power};
            for (std::size_t i = 0; i < deep; ++i) out.clipped += weights[i] / deepest;
            for (std::size_t i = first_flat; i < items; ++i) out.clipped += weights[i];
            return out;
        }
    }
    throw Undefined{};
}

} // namespace

std::optional<mpq_class> FunctionValue::exact() const {
    if (active == 0) return clipped;
    mpq_class root;
    if (mpz_root(root.get_num_mpz_t(), power.get_num_mpz_t(), active) == 0) return std::nullopt;
    if (mpz_root(root.get_den_mpz_t(), power.get_den_mpz_t(), active) == 0) return std::nullopt;
    return mpq_class(clipped + active * root);
}

Interval FunctionValue::enclosure(const Fixed& scale) const {
    Interval rest = scale.range(clipped, clipped);
    if (active == 0) return rest;
    mpz_class low;
    const mpz_class scaled = (power.get_num() << scale.bits() * active) / power.get_den();
    mpz_root(low.get_mpz_t(), scaled.get_mpz_t(), active);
    const mpz_class high = low + 1;
    return Fixed::add(rest, {active * low, active * high});
}

bool is_function(const std::string& name) {
    return name == "greedy" || name == "best" || name == "largest" || name == "waterfill";
}

FunctionValue function_value(const std::string& name, const std::vector<mpq_class>& arguments) {
    const std::size_t leading = name == "largest" ? 1 : 2;
    const std::vector<mpq_class> rest(arguments.begin() + static_cast<std::ptrdiff_t>(leading),
                                      arguments.end());
    const unsigned long budget = integer(arguments[leading - 1], 0, 1000000);
    if (name == "largest") return {largest(rest, budget), 0, 0};
    const unsigned long depth = integer(arguments[0], 1, 64);
    if (name == "waterfill") {
        if (std::any_of(rest.begin(), rest.end(), [](const mpq_class& a) { return a < 0; }))
            throw Undefined{};
        return water_filling(rest, depth, budget);
    }
    const std::vector<Item> items = items_of(rest, depth);
    if (name == "greedy") return {greedy(items, budget), 0, 0};
    mpz_class vectors;
    mpz_ui_pow_ui(vectors.get_mpz_t(), depth + 1, items.size());
    if (vectors > most_depth_vectors) throw Undefined{};
    return {best(items, 0, budget), 0, 0};
}

} // namespace kvcheck
