#include "lib/allocate/water_filling.hpp"

#include <algorithm>
#include <functional>

namespace kvproof {
namespace {

Rational sum_of(const std::vector<Rational>& values) {
    Rational sum = 0;
    for (const Rational& value : values) sum += value;
    return sum;
}

/// 4^(what all items spend at tau).
Rational spent(const std::vector<Rational>& weights, const Rational& tau, const Rational& deepest) {
    Rational product = 1;
    for (const Rational& a : weights) product *= std::min(deepest, std::max(Rational(1), Rational(a / tau)));
    return product;
}

std::optional<Integer> exact_root(const Integer& x, unsigned long n) {
    Integer root;
    if (mpz_root(root.backend().data(), x.backend().data(), n) == 0) return {};
    return root;
}

} // namespace

std::optional<Rational> WaterFilling::exact() const {
    if (active == 0) return clipped;
    const auto top = exact_root(numerator(power), active);
    const auto bottom = exact_root(denominator(power), active);
    if (!top || !bottom) return {};
    return Rational(clipped + active * Rational(*top, *bottom));
}

Interval WaterFilling::enclose(Bits bits) const {
    Interval rest(clipped, bits);
    if (active == 0) return rest;
    const Bits working = bits + 16;
    const Interval tau = pow(Interval(power, working), Interval(Rational(1, active), working), working);
    return add(rest, mul(Interval(Rational(active), working), tau, working), bits);
}

WaterFilling water_filling(const std::vector<Rational>& weights, unsigned long depth, unsigned long budget) {
    const Rational deepest = power(Rational(4), static_cast<long>(depth));
    std::vector<Rational> positive;
    std::ranges::copy_if(weights, std::back_inserter(positive), [](const Rational& a) { return a > 0; });
    if (budget == 0) return {sum_of(positive), 0, 0};
    if (budget >= depth * positive.size()) return {sum_of(positive) / deepest, 0, 0};
    std::vector<Rational> breaks = positive;
    for (const Rational& a : positive) breaks.push_back(a / deepest);
    std::ranges::sort(breaks, std::greater<>());
    const Rational target = power(Rational(4), static_cast<long>(budget));
    // Nothing is spent at the first break, all at the last.
    const auto lower = std::ranges::partition_point(
        breaks, [&](const Rational& tau) { return spent(positive, tau, deepest) < target; });
    const Rational& above = *std::prev(lower);
    WaterFilling out{0, 0, 1 / target};
    for (const Rational& a : positive) {
        if (a <= *lower) {
            out.clipped += a;
        } else if (a / deepest >= above) {
            out.clipped += a / deepest;
            out.power *= deepest;
        } else {
            ++out.active;
            out.power *= a;
        }
    }
    return out;
}

} // namespace kvproof
