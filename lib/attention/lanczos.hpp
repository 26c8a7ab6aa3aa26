#pragma once

#include "lib/attention/padded_matrix.hpp"

#include <vector>

namespace kvproof {

/// An approximate eigenpair of the largest eigenvalue. Nothing is promised: bounds come from elsewhere.
struct RitzPair {
    double value = 0;
    double residual = 0;        ///< the norm of C x - value x, as the recurrence sees it
    std::vector<double> vector; ///< of padded length and norm near 1
};

struct LanczosOptions {
    std::size_t steps = 96;
    double residual = 1e-7; ///< relative to the value: the value's own error is about its square over the gap
    bool reorthogonalise = true;
    Instructions instructions = best_instructions();
};

/// Lanczos iteration from a start vector of padded length (zero beyond the size), orthogonalised against all
/// vectors so far. Ends when the residual is small, when the Krylov space is exhausted, or after the steps.
[[nodiscard]] RitzPair lanczos(const PaddedMatrix& matrix, const std::vector<double>& start,
                               const LanczosOptions& options = {});

/// A fixed vector without structure: pseudorandom entries in [-1, 1), zero in the padding.
[[nodiscard]] std::vector<double> start_vector(std::size_t size);

} // namespace kvproof
