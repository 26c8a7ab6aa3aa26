#pragma once

#include <cstddef>

namespace kvproof {

// Loops over vectors that lie anywhere, compiled for the widest instructions there are. Every entry of a
// result is its own chain of operations in a fixed order, so the bits do not depend on the instructions.

/// y += factor x.
void add_scaled(double* y, double factor, const double* x, std::size_t count);
/// y += x x, entry by entry.
void add_squares(double* y, const double* x, std::size_t count);
/// out = x - y.
void subtract(double* out, const double* x, const double* y, std::size_t count);
/// sum of x_i y_i: eight running sums, i mod 8, then a fixed tree: no term meets more than n/8 + 4 roundings.
[[nodiscard]] double dot_product(const double* x, const double* y, std::size_t count);

} // namespace kvproof
