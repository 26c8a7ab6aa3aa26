#pragma once

#include "lib/attention/head_view.hpp"

namespace kvproof {

/// The sharp certificate (docs/sharp-certificate.md) of one head: upper bounds of ||V'(alpha - alpha^)|| and
/// of
/// ||E_V' alpha^||, whose sum bounds the error. With m = (alpha + alpha^)/2,
///
///     ||V'(alpha - alpha^)||^2 <= lambda_max(Cov_m V) sum_j (alpha_j - alpha^_j)^2 / m_j,
///
/// and the sum, twice the triangular discrimination of the two, is at most Var_m(Delta).
struct SharpBound {
    double attention = 0;
    double value = 0;
    double discrimination = 0; ///< sum_j (alpha_j - alpha^_j)^2 / m_j
    double logit_variance = 0; ///< Var_m(Delta) about a point near its mean: what leads back to the allocator
    bool by_transport = false; ///< sum_j |alpha_j - alpha^_j| ||v_j - c|| was less
};

/// `centre` is any c [d_h], best the mean of the values under m; `kappa_term` is an upper bound of kappa_V
/// A_V.
[[nodiscard]] SharpBound sharp_bound(const HeadView& view, const std::vector<double>& centre,
                                     double kappa_term);

} // namespace kvproof
