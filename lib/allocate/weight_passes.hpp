#pragma once
// The two passes over all weights, vectorised: an AVX2 form where the processor has it, else what every
// x86-64 runs, both made from one body. Integers in, integers out: the same results everywhere.

#include <array>
#include <cstddef>
#include <cstdint>

namespace kvproof {

/// A weight's coarse key: -1 for 0, else the upper 32 bits of its bit pattern (for float, all of them). It
/// never falls where the weight rises.
struct WeightSummary {
    std::uint32_t largest;  ///< largest key as unsigned; at least `infinite_key` where a weight is bad
    std::uint32_t positive; ///< number of weights above 0
};

/// The coarse key of infinity: no good weight reaches it, NaN and negative weights (as unsigned) exceed it.
template <class Number>
inline constexpr std::uint32_t infinite_key = sizeof(Number) == 4 ? 0x7f800000U : 0x7ff00000U;

/// Writes the n coarse keys and sums them up.
[[nodiscard]] WeightSummary coarse_keys(const float* weights, std::size_t n, std::int32_t* keys);
[[nodiscard]] WeightSummary coarse_keys(const double* weights, std::size_t n, std::int32_t* keys);

/// The most levels that one pass compares with.
inline constexpr std::size_t pass_levels = 8;
using KeyCuts = std::array<std::int32_t, pass_levels>;

/// Adds to sure[i] how many of `upper` key i reaches, and to open[i] how many of `lower` and not `upper`.
void count_levels(const std::int32_t* keys, std::size_t n, const KeyCuts& lower, const KeyCuts& upper,
                  std::uint8_t* sure, std::uint8_t* open);

/// The forms that every processor runs, for the test that the others equal them.
namespace any_processor {
[[nodiscard]] WeightSummary coarse_keys(const float* weights, std::size_t n, std::int32_t* keys);
[[nodiscard]] WeightSummary coarse_keys(const double* weights, std::size_t n, std::int32_t* keys);
void count_levels(const std::int32_t* keys, std::size_t n, const KeyCuts& lower, const KeyCuts& upper,
                  std::uint8_t* sure, std::uint8_t* open);
} // namespace any_processor

} // namespace kvproof
