#pragma once

#include "lib/portable/exp.hpp"

namespace kvproof::portable {

/// The natural logarithm of a finite x > 0 (subnormals too): log(x) = ln x (1 + d), |d| <= log_error; log(1)
/// = 0.
///
/// x = 2^k (1 + f) with 1 + f from sqrt(1/2) to sqrt(2) up to rounding, f exact, and
/// ln(1 + f) = f - (f^2/2 - s (f^2/2 + R)), s = f / (2 + f), R = sum_{i >= 1} 2 s^2i / (2i + 1), where s^2 <=
/// 0.0295. With u = 2^-53: s has relative error 2 u, s^2 5 u, R 8 u (R <= 0.0204); the series is cut after i
/// = 10, below 2^-60 of the result. In units of u: f^2/2 + R is off by 0.36, s (...) by 0.12, f^2/2 - s (...)
/// by 0.28, each at the worst f = sqrt(2) - 1. For k = 0 the last subtraction adds |ln|: 1.9 u |ln| there,
/// and less for smaller f, where these terms fall as f^2. For k != 0 the sums with k ln2_low and f add 0.02 +
/// 0.08 + 0.36 before the last one: at most 0.86 u + u |ln|, and |ln| >= 0.346: 3.5 u.
inline constexpr double log_error = 0x1p-51;

[[nodiscard]] KVPROOF_DEVICE double log(double x) {
    const bool subnormal = x < 0x1p-1022; // chosen by bits: a branch would keep loops from being vectorised
    x *= choose(subnormal, 0x1p54, 1);
    double exponent = choose(subnormal, -54, 0);
    constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcdU; // sqrt(1/2)
    const std::uint64_t bits = bits_of(x);
    // how many times 2 goes in, relative to sqrt(1/2), biased to stay positive
    const std::uint64_t biased = (bits - root_half + (std::uint64_t{2048} << 52U)) >> 52U;
    const double k = static_cast<double>(static_cast<int>(biased) - 2048);
    const double f = from_bits(bits - ((biased - 2048) << 52U)) - 1;
    exponent += k;

    const double s = f / (2 + f);
    const double z = s * s;
    double series = 0x1.8618618618618p-4; // 2/21, 2/19, and so on up to 2/3
    series = series * z + 0x1.af286bca1af28p-4;
    series = series * z + 0x1.e1e1e1e1e1e1ep-4;
    series = series * z + 0x1.1111111111111p-3;
    series = series * z + 0x1.3b13b13b13b14p-3;
    series = series * z + 0x1.745d1745d1746p-3;
    series = series * z + 0x1.c71c71c71c71cp-3;
    series = series * z + 0x1.2492492492492p-2;
    series = series * z + 0x1.999999999999ap-2;
    series = series * z + 0x1.5555555555555p-1;
    const double half_square = 0.5 * f * f;
    const double inner = s * (half_square + series * z) + exponent * ln2_low;
    return exponent * ln2_high - ((half_square - inner) - f);
}

} // namespace kvproof::portable
