#pragma once
// Nonnegative IEEE numbers are ordered like their bit patterns, so gains are compared as integers.

#include <bit>
#include <cstdint>
#include <type_traits>

namespace kvproof {

template <class Number>
using GainKey = std::conditional_t<sizeof(Number) == 4, std::uint32_t, std::uint64_t>;

/// The key of the gain a * delta >= 0, rounded once. Adding 0 makes 0 of -0, whose pattern is above all.
template <class Number>
[[nodiscard]] inline GainKey<Number> gain_key(Number weight, Number delta) {
    const Number gain = weight * delta;
    return std::bit_cast<GainKey<Number>>(gain + Number(0));
}

} // namespace kvproof
