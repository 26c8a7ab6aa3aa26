#pragma once

#include "lib/portable/exp.hpp"

namespace kvproof::portable {

/// cosine and sine of 2 pi turn, 0 <= turn <= 1, each within sincos_error of the truth and at most 1; exact
/// at quarter turns. Sums, products and bit operations only, no branches: the same bits on every machine, and
/// a loop over it vectorises.
///
/// With u = 2^-53: 4 turn = k + f, k the nearest integer, f exact, |f| <= 1/2. z = (pi/2) f is off by the
/// product's rounding and the constant's, 1.36 u |z| <= 1.07 u. Sine, |z| <= 0.7854: z^3/6 and what follows
/// is at most 0.081 and off by 5 u of itself, 0.4 u, and the last sum rounds by u/2: 2 u. Cosine: 0.71 * 1.07
/// u from z, 0.31 * 3 u from z^2/2 and what follows, u/2: 2.3 u. The series are cut below 2^-62.
inline constexpr double sincos_error = 0x1p-51;

KVPROOF_DEVICE void cos_sin_turn(double turn, double& cosine, double& sine) {
    constexpr double to_integer = 0x1.8p52;
    const double quarters = 4 * turn;
    const double shifted = quarters + to_integer;
    const double z = (quarters - (shifted - to_integer)) * 0x1.921fb54442d18p+0;
    const double square = z * z;

    double s = 0x1.952c77030ad4ap-49; // 1/17!, -1/15!, and so on up to -1/3!
    s = s * square + -0x1.ae7f3e733b81fp-41;
    s = s * square + 0x1.6124613a86d09p-33;
    s = s * square + -0x1.ae64567f544e4p-26;
    s = s * square + 0x1.71de3a556c734p-19;
    s = s * square + -0x1.a01a01a01a01ap-13;
    s = s * square + 0x1.1111111111111p-7;
    s = s * square + -0x1.5555555555555p-3;
    s = z + z * (square * s);

    double c = 0x1.ae7f3e733b81fp-45; // 1/16!, -1/14!, and so on up to -1/2!
    c = c * square + -0x1.93974a8c07c9dp-37;
    c = c * square + 0x1.1eed8eff8d898p-29;
    c = c * square + -0x1.27e4fb7789f5cp-22;
    c = c * square + 0x1.a01a01a01a01ap-16;
    c = c * square + -0x1.6c16c16c16c17p-10;
    c = c * square + 0x1.5555555555555p-5;
    c = c * square + -0.5;
    c = 1 + square * c;

    const std::uint64_t k = bits_of(shifted); // its last two bits count quarter turns
    const std::uint64_t odd = std::uint64_t{0} - (k & 1U);
    const std::uint64_t a = (bits_of(c) & ~odd) | (bits_of(s) & odd);
    const std::uint64_t b = (bits_of(s) & ~odd) | (bits_of(c) & odd);
    cosine = from_bits(a ^ (((k + 1) & 2U) << 62U)); // negative in the second and third quarter
    sine = from_bits(b ^ ((k & 2U) << 62U));
}

} // namespace kvproof::portable
