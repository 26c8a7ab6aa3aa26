#pragma once

#include <cstddef>
#include <span>

namespace kvproof {

/// How a code that falls half-way between two is rounded: as KIVI does, as TurboQuant does.
enum class CodeRounding { half_even, half_up };

/// The two binary16 numbers that a group of b-bit codes shares: code n stands for offset + n * scale. The
/// offset is a real number, the least of the group, not a zero point among the codes.
struct UniformGroup {
    double scale = 0; ///< 0 for a constant group, whose codes are all 0
    double offset = 0;
    int bits = 0;

    [[nodiscard]] double code(double x, CodeRounding rounding) const;
    [[nodiscard]] double decode(double code) const { return offset + code * scale; }
};

/// Asymmetric uniform quantisation of a group: scale = (max - min) / (2^bits - 1) and offset = min, both
/// rounded to binary16. Numbers beyond its range count as +-65504, or one of them would stretch the scale
/// until all others are lost. 1 <= bits <= 8; the group has at least one entry, all finite.
[[nodiscard]] UniformGroup fit_uniform_group(std::span<const double> x, int bits);

/// Replaces the numbers by what their codes say, the codes taken against the stored scale and offset: a
/// constant group becomes the half nearest to its value. Returns how many numbers were beyond binary16's
/// range.
std::size_t quantise_group(std::span<double> x, int bits, CodeRounding rounding);

} // namespace kvproof
