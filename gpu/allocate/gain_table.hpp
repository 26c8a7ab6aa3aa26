#pragma once

#include "lib/portable/device.hpp"

#include <span>

namespace kvproof::gpu {

/// Levels of the one tree of depth 8; a cut uses the first.
inline constexpr int most_levels = 8;

/// The gains Delta_1 >= Delta_2 >= ... >= 0 of a codebook as kernels take them: by value, with 0 (which no
/// allocation takes) behind the last level, and no -0.
struct GainTable {
    float gain[most_levels];
};

/// Throws Error(bad_weight), naming the entry, on a gain that is NaN, infinite, negative or above the one
/// before (only the heap of lib/allocate takes those), Error(internal) on more than 8.
[[nodiscard]] GainTable gain_table(std::span<const float> gains);

/// The bits of the gain weight * delta, rounded once: nonnegative numbers are ordered like their bits.
/// `weight` is not -0. Those of an infinite gain, and of the gain of a weight that is infinite, NaN or
/// negative, are at least infinite_gain.
[[nodiscard]] KVPROOF_DEVICE std::uint32_t gain_bits(float weight, float delta) {
    return portable::bits_of(weight * delta);
}

inline constexpr std::uint32_t infinite_gain = 0x7f800000U;

} // namespace kvproof::gpu
