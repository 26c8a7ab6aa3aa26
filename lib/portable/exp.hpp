#pragma once

#include "lib/portable/device.hpp"

namespace kvproof::portable {

/// condition ? yes : no, by bits: as a branch it would keep loops from being vectorised.
[[nodiscard]] KVPROOF_DEVICE double choose(bool condition, double yes, double no) {
    const std::uint64_t mask = std::uint64_t{0} - static_cast<std::uint64_t>(condition);
    return from_bits((bits_of(yes) & mask) | (bits_of(no) & ~mask));
}

/// ln 2 = ln2_high + ln2_low within 2^-97; ln2_high has 42 bits, so its product with an exponent is exact.
inline constexpr double ln2_high = 0x1.62e42fefa38p-1;
inline constexpr double ln2_low = 0x1.ef35793c7673p-45;

/// exp(x) = e^x (1 + d) + s with |d| <= exp_error where |s| <= 2^-1075 is the rounding of a subnormal result
/// (and s = 0 elsewhere): 0 for x < -745.14, infinity for x > 709.79, NaN for NaN; exp(0) = 1. Sums, products
/// and bit operations only, no branches: the same bits on every machine, and a loop over it vectorises.
///
/// With u = 2^-53, k the integer nearest to x / ln 2 (ties and the rounding of the quotient do not matter)
/// and r = x - k ln 2, |r| <= 0.34658:
/// - x - k ln2_high is exact: where k != 0, |x| > 1/4, both are multiples of 2^-54 and the difference is
/// below 1/2. So
///   r is off by the rounding of the last subtraction, 2^-55, and by 2^-84 for k ln2_low: 0.26 u in e^r.
/// - The series is cut after r^13/13!: the rest is below 1.1 r^14/14! < 0.05 u.
/// - e^r = 1 + (r + r^2 q), q = 1/2 + r/6 + ...: r^2 q is at most 0.068 and is computed to 3.5 u of itself
/// (Horner's
///   rule: its last sum u, what is inside it 1/7 of its own errors; two products): 0.24 u. The sum r + r^2 q
///   rounds by at most 2^-55 = u/4, as it stays below 1/2.
/// - The last sum: half an ulp, u/2 where e^r < 1 and u where e^r >= 1.
/// For e^r >= 1 that is at most (0.05 + 0.26) u e^r + (0.24 + 0.25 + 1) u <= 1.8 u e^r: where the terms with
/// r matter, e^r is above 1. For e^r >= 0.707: (0.31 + (0.24 + 0.25 + 0.5) / 0.707) u = 1.71 u. Scaling by
/// 2^k in two steps rounds only into the subnormals, in the second.
inline constexpr double exp_error = 0x1p-52;

[[nodiscard]] KVPROOF_DEVICE double exp(double x) {
    constexpr double to_integer =
        0x1.8p52; // adding it leaves the integer nearest to a small x in the last bits
    // beyond these all results are 0 and infinity
    x = choose(x < -746, -746, x);
    x = choose(x > 710, 710, x);
    const double shifted = x * 0x1.71547652b82fep+0 + to_integer;
    const double k = shifted - to_integer;
    const double r = (x - k * ln2_high) - k * ln2_low;

    double q = 0x1.6124613a86d09p-33; // 1/13!, and so on up to 1/2!
    q = q * r + 0x1.1eed8eff8d898p-29;
    q = q * r + 0x1.ae64567f544e4p-26;
    q = q * r + 0x1.27e4fb7789f5cp-22;
    q = q * r + 0x1.71de3a556c734p-19;
    q = q * r + 0x1.a01a01a01a01ap-16;
    q = q * r + 0x1.a01a01a01a01ap-13;
    q = q * r + 0x1.6c16c16c16c17p-10;
    q = q * r + 0x1.1111111111111p-7;
    q = q * r + 0x1.5555555555555p-5;
    q = q * r + 0x1.5555555555555p-3;
    q = q * r + 0.5;
    const double power = 1 + (r + r * r * q);

    // unsigned, since vectors of 64-bit integers have no arithmetic shift; a NaN goes through as any integer
    const std::uint64_t exponent = bits_of(shifted) - bits_of(to_integer) + 2048; // k + 2048, 971 to 3072
    const std::uint64_t half = exponent >> 1U;
    const double first = from_bits((half - 1) << 52U);             // 2^(half - 1024)
    const double second = from_bits((exponent - half - 1) << 52U); // 2^(k - half + 1024)
    return power * first * second;
}

} // namespace kvproof::portable
