#pragma once

#include "lib/portable/instructions.hpp"

#include <cstddef>
#include <vector>

namespace kvproof {

/// The Cholesky factor of a symmetric matrix in double, as far as it goes. Entry (i, k) is computed from a_ik
/// by subtracting l_ij l_kj with j ascending, one rounding for each, then dividing by l_kk; the blocks change
/// the time, not a bit.
class Cholesky {
public:
    /// Factors the n x n matrix whose lower triangle is read from a row-major array (not kept).
    Cholesky(const std::vector<double>& matrix, std::size_t n,
             Instructions instructions = best_instructions());

    /// Whether every pivot was positive. Then the factor L satisfies L L' = A + D with ||D||_2 <=
    /// cholesky_backward_error(n, trace A), so lambda_min(A) >= -that: see the proof there.
    [[nodiscard]] bool succeeded() const { return failed_at_ == size_; }
    /// The first row whose pivot was not positive; n after success.
    [[nodiscard]] std::size_t failed_at() const { return failed_at_; }
    [[nodiscard]] double factor(std::size_t i, std::size_t k) const;

    /// After failure at row k, a direction of nonpositive curvature, up to rounding: x = (-y, 1, 0) with
    /// L' y = row k of L gives x'Ax = the failed pivot.
    [[nodiscard]] std::vector<double> failed_direction() const;

private:
    std::size_t size_;
    std::size_t failed_at_;
    std::vector<double> strips_; // strips_[(i / 8 * padded n + k) * 8 + i % 8] = l_ik
};

/// S. M. Rump's argument (Verification of positive definiteness, BIT 46, 2006), with our order of operations.
/// If every pivot is positive, the standard backward analysis gives L L' = A + D, |D_ij| <= gamma_{n+1} sum_k
/// |l_ik| |l_jk|: each l_ik l_jk meets at most n roundings on the way to a_ij and the division or root one
/// more. By Cauchy and Schwarz |D_ij| <= gamma_{n+1} r_i r_j, where r_i is the norm of row i of L, and the
/// diagonal says r_i^2 <= a_ii + gamma_{n+1} r_i^2. So ||D||_2 <= gamma_{n+1} sum_i r_i^2 <= gamma_{n+1} / (1
/// - gamma_{n+1}) trace A. L L' is positive semidefinite, hence lambda_min(A) >= -||D||_2: no assumption on A
/// beyond its doubles. Underflow adds at most (n + l_jj) 2^-1074 to an entry: 2^-1000 in the norm covers it
/// for n <= 2^30 and diagonal entries up to 2^40.
[[nodiscard]] double cholesky_backward_error(std::size_t n, double trace_up);

} // namespace kvproof
