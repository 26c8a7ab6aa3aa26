#pragma once

#include "lib/portable/device.hpp"

namespace kvproof::gpu {

// Floating numbers as integers of the same order: the largest of many is then found by integer operations, in
// any order, with the same bits.

/// Rises with x; -0 below +0; without meaning for NaN.
[[nodiscard]] KVPROOF_DEVICE std::uint32_t ordered_bits(float x) {
    const std::uint32_t bits = portable::bits_of(x);
    return (bits >> 31U) != 0 ? ~bits : bits | 0x80000000U;
}

[[nodiscard]] KVPROOF_DEVICE std::uint64_t ordered_bits(double x) {
    const std::uint64_t bits = portable::bits_of(x);
    return (bits >> 63U) != 0 ? ~bits : bits | (std::uint64_t{1} << 63U);
}

/// The x that gave these bits.
[[nodiscard]] KVPROOF_DEVICE float from_ordered_bits(std::uint32_t ordered) {
    return portable::from_bits((ordered >> 31U) != 0 ? ordered & 0x7fffffffU : ~ordered);
}

[[nodiscard]] KVPROOF_DEVICE double from_ordered_bits(std::uint64_t ordered) {
    return portable::from_bits((ordered >> 63U) != 0 ? ordered & ~(std::uint64_t{1} << 63U) : ~ordered);
}

} // namespace kvproof::gpu
