#pragma once

#include "lib/exact/interval.hpp"

#include <optional>
#include <vector>

namespace kvproof {

/// C_W(B) = min sum a_i 4^-t_i over real 0 <= t_i <= W with sum t_i <= B (ReadKV Proposition 9, E.2.2), as
/// the number clipped + active * power^(1/active): the items at depth 0 or W, and those between, which all
/// keep the distortion tau = power^(1/active).
///
/// Nothing is approximated. t_i = min{W, max{0, log4(a_i/tau)}} spends B exactly where the product of the
/// clamped ratios, min{4^W, max{1, a_i/tau}}, is 4^B; the product falls in tau, and between two neighbours
/// among the break points a_i and a_i 4^-W it is a power of tau. So the interval that holds tau, and then
/// tau^active, follow from products of rationals. These t_i are optimal: with lambda = tau ln 4 each
/// minimises its a_i 4^-t + lambda t over [0, W], and lambda (B - sum t_i) = 0.
struct WaterFilling {
    Rational clipped;
    unsigned long active = 0; ///< items strictly between depths 0 and W on an open range of tau
    Rational power;           ///< tau^active; without meaning where active is 0

    /// The optimum where it is rational.
    [[nodiscard]] std::optional<Rational> exact() const;
    [[nodiscard]] Interval enclose(Bits bits) const;
};

/// The optimum for weights a_i >= 0.
[[nodiscard]] WaterFilling water_filling(const std::vector<Rational>& weights, unsigned long depth,
                                         unsigned long budget);

} // namespace kvproof
