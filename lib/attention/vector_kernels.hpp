#pragma once

#include <cstddef>
#include <span>

namespace kvproof {

// Loops over vectors that lie anywhere, compiled for the widest instructions there are. Every entry of a
// result is its own chain of operations in a fixed order, so the bits do not depend on the instructions.

/// y += factor x.
void add_scaled(double* y, double factor, const double* x, std::size_t count);
/// y += x x, entry by entry.
void add_squares(double* y, const double* x, std::size_t count);
/// out = x - y.
void subtract(double* out, const double* x, const double* y, std::size_t count);
/// x /= divisor.
void divide(double* x, double divisor, std::size_t count);
/// sum of x_i y_i: eight running sums, i mod 8, added by a fixed tree, and what is left over, one after the
/// other: no term meets more than n/8 + 4 roundings, or 8 if it is left over, and never more than n + 1.
[[nodiscard]] double dot_product(const double* x, const double* y, std::size_t count);

/// sum of x_i, as in dot_product.
[[nodiscard]] double sum_of(const double* x, std::size_t count);
/// The largest |x_i|, 0 of none, and whether all x_i are finite (else `largest` means nothing).
struct Magnitude {
    double largest;
    bool finite;
};
[[nodiscard]] Magnitude magnitude_of(const double* x, std::size_t count);

/// `count` numbers each of several contiguous columns, `step` apart.
struct Columns {
    const double* data;
    std::size_t step;
    std::size_t columns;
    std::size_t count;
};
/// out_m += sum_c weights[m, c] column_c for `several` weightings of the columns: [several, count], rows of
/// `out` one after the other. c ascending.
void add_weighted_columns(double* out, const double* weights, std::size_t several, const Columns& columns);
/// out_m += sum_j weights_m[j] rows_j for each weighting m: [m, d] from [tokens, d]. j ascending.
void add_weighted_rows(double* out, std::span<const double* const> weights, const double* rows,
                       std::size_t tokens, std::size_t d);
/// out_j = ||rows_j - centre||^2 of fl(rows_j - centre): no term meets more than d + 2 further roundings.
void squared_distances(const double* rows, const double* centre, std::size_t tokens, std::size_t d,
                       double* out);

} // namespace kvproof
