#pragma once

#include "lib/attention/gram.hpp"
#include "lib/attention/matrix.hpp"

namespace kvproof {

/// What proved an upper bound.
enum class EigenvalueMethod {
    exact,     ///< the matrix is zero
    trace,     ///< the sum of the eigenvalues, which are not negative
    row_sums,  ///< Gershgorin's discs
    cholesky,  ///< a verified factorisation of mu I - C
    dimension, ///< a normalised Gram matrix of n items: its trace is n
};

/// lower <= lambda_max <= upper, rigorously.
struct EigenvalueBounds {
    double lower = 0;
    double upper = 0;
    EigenvalueMethod method = EigenvalueMethod::exact;
};

struct EigenvalueOptions {
    double slack = 2e-11; ///< relative: where above the Ritz value the factorisation is tried first
    int rounds = 12; ///< tries; each failed one restarts from the direction it found and widens the slack
    double residual = 1e-7; ///< relative: where the Lanczos iteration ends; about the root of the slack
    bool reorthogonalise = true;
    Instructions instructions = best_instructions();
};

/// Encloses the largest eigenvalue of a symmetric positive semidefinite matrix (its lower triangle is read).
///
/// From below: the Rayleigh quotient of a Lanczos vector. From above: a factorisation just above it
/// (upper_proof). Both are then widened by the radius: eigenvalues are 1-Lipschitz in the norm (Weyl). The
/// upper bound never exceeds trace and row sums.
///
/// An unusable start costs time, not correctness: where mu I - C is not definite, the failed factorisation
/// shows a vector with a Rayleigh quotient of about mu or more, and the iteration starts again from there.
///
/// Throws Error(bad_number) on an entry that is not finite.
[[nodiscard]] EigenvalueBounds largest_eigenvalue(const SymmetricMatrix& matrix,
                                                  const EigenvalueOptions& options = {});

/// The bounds for E where the given ones are those of E~'E~ (or E~E~') and ||E - E~||_F <= radius: the
/// largest singular value is 1-Lipschitz in the operator norm, which the Frobenius norm bounds, so
/// lambda_max(E'E) <= (sqrt(lambda_max(E~'E~)) + radius)^2, and likewise from below.
[[nodiscard]] EigenvalueBounds widened(const EigenvalueBounds& bounds, double radius);

} // namespace kvproof
