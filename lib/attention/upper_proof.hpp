#pragma once

#include "lib/attention/padded_matrix.hpp"
#include "lib/portable/instructions.hpp"

#include <vector>

namespace kvproof {

/// What the factorisation of mu I - C says: either every eigenvalue of C is at most `upper` (a little above
/// mu), or there is a direction in which C stretches by mu or more, up to rounding.
struct UpperProof {
    bool succeeded = false;
    double upper = 0;              ///< after success
    std::vector<double> direction; ///< after failure, of length C.size
};

/// C is taken as exactly the given doubles, symmetric, of magnitude up to 2^20, with 0 <= mu <= 2^40. Where
/// the Cholesky factorisation of A = fl(mu I - C) runs to its end, lambda_min(A) >= -r, r from
/// cholesky_backward_error. A differs from mu I - C only in its diagonal, by at most u max a_ii. So
/// lambda_max(C) <= mu + r + u max a_ii.
[[nodiscard]] UpperProof prove_upper(const PaddedMatrix& c, double mu,
                                     Instructions instructions = best_instructions());

} // namespace kvproof
