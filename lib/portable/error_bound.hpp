#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kvproof {

// Bounds on rounding errors are themselves computed in double, so every step of a bound must be rounded away
// from the truth. The rounding mode is never touched: compilers move operations across fesetround. An
// operation rounded to nearest is off by at most half a unit in the last place, so its neighbour upwards is
// an upper bound of the exact result, underflow and overflow included.

/// u: fl(a op b) = (a op b)(1 + d) with |d| <= u where nothing underflows.
inline constexpr double unit_roundoff = 0x1p-53;
/// The spacing of subnormal numbers: a product or quotient that underflows is off by at most half of it. Sums
/// never underflow.
inline constexpr double smallest_subnormal = 0x1p-1074;

/// The next double above; +inf and NaN stay, -inf goes to the most negative finite number.
[[nodiscard]] constexpr double up(double x) {
    if (x == 0) return smallest_subnormal;
    if (!(x < std::numeric_limits<double>::infinity())) return x;
    const auto bits = std::bit_cast<std::uint64_t>(x);
    return std::bit_cast<double>(x > 0 ? bits + 1 : bits - 1);
}

/// The next double below.
[[nodiscard]] constexpr double down(double x) {
    return -up(-x);
}

/// Upper (lower) bounds of an operation on exact operands that are not NaN. A zero operand, which makes the
/// result exact, adds nothing: a radius of 0 stays 0. Zero times infinity is 0: an infinite bound on a
/// quantity that is multiplied by an exact 0.
[[nodiscard]] constexpr double add_up(double a, double b) {
    return a == 0 ? b : b == 0 ? a : up(a + b);
}
[[nodiscard]] constexpr double add_down(double a, double b) {
    return -add_up(-a, -b);
}
[[nodiscard]] constexpr double sub_up(double a, double b) {
    return add_up(a, -b);
}
[[nodiscard]] constexpr double sub_down(double a, double b) {
    return add_down(a, -b);
}
[[nodiscard]] constexpr double mul_up(double a, double b) {
    return a == 0 || b == 0 ? 0 : up(a * b);
}
[[nodiscard]] constexpr double mul_down(double a, double b) {
    return -mul_up(-a, b);
}
/// b is not zero.
[[nodiscard]] constexpr double div_up(double a, double b) {
    return a == 0 ? 0 : up(a / b);
}
[[nodiscard]] constexpr double div_down(double a, double b) {
    return -div_up(-a, b);
}
/// a is not negative.
[[nodiscard]] inline double sqrt_up(double a) {
    return a == 0 ? 0 : up(std::sqrt(a));
}
[[nodiscard]] inline double sqrt_down(double a) {
    return a == 0 ? 0 : down(std::sqrt(a));
}

/// ldexp: 2^exponent x, rounded where that is no double. Without a call in the usual case, where it is exact.
[[nodiscard]] inline double times_power_of_two(double x, int exponent) {
    if (exponent > -1000 && exponent < 1000) {
        const double scaled = x * std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52U);
        if (std::fabs(scaled) >= 0x1p-1022) return scaled; // one rounding, like ldexp's, to infinity at most
    }
    return std::ldexp(x, exponent);
}

/// 2^exponent x, rounded up (down) where that is no double.
[[nodiscard]] inline double scale_up(double x, int exponent) {
    const double scaled = times_power_of_two(x, exponent);
    return times_power_of_two(scaled, -exponent) == x ? scaled : up(scaled);
}
[[nodiscard]] inline double scale_down(double x, int exponent) {
    return -scale_up(-x, exponent);
}

/// An upper bound of gamma_n = n u / (1 - n u). A product of n factors (1 + d), |d| <= u, or of their
/// inverses, is 1 + t with |t| <= gamma_n (Higham, Accuracy and Stability of Numerical Algorithms,
/// Lemma 3.1). Infinite where n u >= 1, where there is no such bound.
[[nodiscard]] constexpr double gamma_up(std::uint64_t n) {
    if (n >= (std::uint64_t{1} << 53U)) return std::numeric_limits<double>::infinity();
    const double nu = static_cast<double>(n) * unit_roundoff; // exact, and so is 1 - n u
    return div_up(nu, 1 - nu);
}

} // namespace kvproof
