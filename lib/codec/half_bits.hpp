#pragma once

#include <cstdint>

namespace kvproof {

/// The 16 bits of a finite binary16 number. Undefined for a double that is none.
[[nodiscard]] std::uint16_t half_bits(double half);

/// The number of these bits, an infinity or a NaN among them.
[[nodiscard]] double half_value(std::uint16_t bits);

} // namespace kvproof
