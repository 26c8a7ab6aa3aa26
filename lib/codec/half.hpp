#pragma once

namespace kvproof {

/// The largest finite binary16 number.
inline constexpr double largest_half = 65504;

/// A number as a 16-bit field of a cache keeps it.
struct Half {
    double value = 0;
    bool saturated = false; ///< the number lies beyond the range: value is +-65504, not an infinity
};

/// The nearest binary16 number, ties to even, subnormals kept. One outlier must not turn a vector into
/// infinities and then NaNs: where IEEE rounding gives an infinity (from 65520 on), the largest finite number
/// stands in and the caller is told. A NaN stays one.
[[nodiscard]] Half nearest_half(double x);

/// The least binary16 number that is not below x, for a scale that must not fall short of what it covers.
/// Above 65504 that number stands in, and the caller is told. A NaN stays one.
[[nodiscard]] Half half_not_below(double x);

/// The nearest integer, ties to even, whatever the rounding mode; |x| < 2^52.
[[nodiscard]] double round_half_even(double x);

} // namespace kvproof
