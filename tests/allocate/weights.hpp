#pragma once
// Weights and gains on which allocators go wrong, for both working types.

#include "lib/allocate/choose_depths.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace kvproof::test {

template <class Number>
struct Instance {
    std::vector<Number> weights;
    std::vector<Number> gains;
    std::uint64_t budget = 0;
};

/// The Gaussian Lloyd gains to a few digits.
template <class Number>
std::vector<Number> lloyd_gains() {
    return {Number(0.63661977), Number(0.24589838),  Number(0.08264372),  Number(0.02504228),
            Number(0.00713274), Number(0.001955184), Number(0.000522645), Number(0.0001373219)};
}

/// Squared normals; few values (ties, zeros); small multiples of the least subnormal; a huge range; mostly
/// zeros, of both signs; neighbours in the last place; all equal; powers of two.
template <class Number, class Next>
std::vector<Number> hard_weights(std::size_t n, Next&& next) {
    using limits = std::numeric_limits<Number>;
    std::normal_distribution<double> normal;
    const auto kind = next() % 8;
    std::vector<Number> out(n);
    for (Number& x : out) {
        const double g = normal(next);
        switch (kind) {
        case 0: x = Number(g * g); break;
        case 1: x = Number(next() % 3); break;
        case 2: x = Number(next() % 9) * limits::denorm_min(); break;
        case 3: x = std::ldexp(Number(1 + std::fabs(g)), static_cast<int>(next() % 250) - 125); break;
        case 4:
            x = next() % 3 != 0 ? (next() % 2 == 0 ? Number(0) : -Number(0)) : Number(std::fabs(g));
            break;
        case 5: x = 1 + Number(next() % 5) * limits::epsilon(); break;
        case 6: x = Number(0.3); break;
        default: x = std::ldexp(Number(1), static_cast<int>(next() % 30)); break;
        }
    }
    return out;
}

/// Falling gains: Lloyd's, a geometric law, flat, flat but for the last place, with zeros, subnormal, few
/// levels.
template <class Number, class Next>
std::vector<Number> falling_gains(Next&& next) {
    using limits = std::numeric_limits<Number>;
    std::vector<Number> out = lloyd_gains<Number>();
    const auto kind = next() % 8;
    for (std::size_t t = 0; t < out.size(); ++t) {
        const auto level = static_cast<Number>(t);
        switch (kind) {
        case 0: out[t] = std::ldexp(Number(1), -2 * static_cast<int>(t)); break;
        case 1: out[t] = Number(0.25); break;
        case 2: out[t] = 1 - level * limits::epsilon() / 2; break;
        case 3: out[t] = t < 3 ? Number(0.5) : Number(0); break;
        case 4: out[t] = (20 - level) * limits::denorm_min(); break;
        case 5: out[t] = t < 4 ? out[t] : -Number(0); break;
        default: break;
        }
    }
    if (kind == 6) out.resize(next() % 9);
    if (kind == 7 && next() % 2 == 0) out.insert(out.end(), 4, out.back() / 3); // 12 levels
    return out;
}

template <class Number, class Next>
Instance<Number> hard_instance(std::size_t largest, Next&& next) {
    const std::size_t n = 1 + next() % largest;
    Instance<Number> out{hard_weights<Number>(n, next), falling_gains<Number>(next), 0};
    const std::uint64_t pairs = n * out.gains.size();
    switch (next() % 6) {
    case 0: out.budget = next() % 3; break;
    case 1: out.budget = pairs + next() % 3; break;
    case 2: out.budget = pairs == 0 ? 0 : pairs - 1; break;
    default: out.budget = next() % (pairs + 1); break;
    }
    return out;
}

/// Depths and what they cost.
struct Chosen {
    std::vector<std::uint8_t> depths;
    std::uint64_t spent = 0;
    bool operator==(const Chosen&) const = default;
};

/// Depths start as rubbish: all of them must be written.
template <class Number, class Choose>
Chosen chosen_by(const Choose& choose, const Instance<Number>& instance, AllocationWorkspace& workspace) {
    Chosen out{std::vector<std::uint8_t>(instance.weights.size(), 99), 0};
    out.spent = choose(std::span<const Number>(instance.weights), std::span<const Number>(instance.gains),
                       instance.budget, std::span<std::uint8_t>(out.depths), workspace);
    return out;
}

template <class Number>
Chosen by_heap(const Instance<Number>& instance) {
    AllocationWorkspace workspace;
    return chosen_by([](auto... a) -> std::uint64_t { return choose_depths_heap(a...); }, instance,
                     workspace);
}

} // namespace kvproof::test
