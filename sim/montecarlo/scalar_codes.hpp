#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kvproof {

// Fixed-rate codes for numbers in [-1, 1] that readers whose path does not see the query can use: they store
// and read so many bits of every coordinate, whatever is asked.

/// Each number by the nearest of 2^bits evenly spaced levels: the best scalar code for uniform numbers.
/// Errors are at most 2^-bits.
[[nodiscard]] double uniform_level(double z, int bits);

/// Trellis-coded quantisation with eight states (Ungerboeck's code with parity checks 13 and 04, octal),
/// `bits` a number, from state 0: of all paths the one with the least squared error, among equal ones that of
/// the lower previous state. The levels are 2^(bits + 1) evenly spaced ones; from each state every second of
/// them is in reach, so that the best path errs by at most 3 2^-(bits + 1) a number in the root mean square.
/// Writes what the decoder returns; `out` may be `in`. 1 <= bits <= 12.
void trellis_code(std::span<const double> in, int bits, std::span<double> out);

/// An upper bound of the mean squared error of trellis_code: (3 2^-(bits + 1))^2.
[[nodiscard]] double trellis_limit(int bits);

} // namespace kvproof
