#pragma once

#include <span>
#include <vector>

namespace kvproof {

/// The largest eigenvalue of the symmetric tridiagonal matrix with this diagonal and these off-diagonal
/// entries (one fewer), and its eigenvector of norm 1, to working accuracy.
struct TridiagonalPair {
    double value = 0;
    std::vector<double> vector;
};

[[nodiscard]] TridiagonalPair largest_of_tridiagonal(std::span<const double> diagonal,
                                                     std::span<const double> off_diagonal);

} // namespace kvproof
