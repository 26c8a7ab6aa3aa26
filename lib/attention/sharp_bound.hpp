#pragma once

#include "lib/attention/head_view.hpp"

namespace kvproof {

/// The sharp certificate's two parts (docs/sharp-certificate.md): upper bounds of ||V'(alpha - alpha^)|| and
/// of
/// ||E_V' alpha^||, whose sum bounds the error.
struct SharpBound {
    double attention = 0;
    double value = 0;
    double inverse_overlap = 1; ///< 1/Z_min
    bool by_transport = false;  ///< the path lost to sum_j |alpha_j - alpha^_j| ||v_j - c||
};

/// `centre` is any c [d_h], best the mean of the values under (alpha + alpha^)/2; `kappa_term` is an upper
/// bound of kappa_V A_V.
[[nodiscard]] SharpBound sharp_bound(const HeadView& view, const std::vector<double>& centre,
                                     double kappa_term);

} // namespace kvproof
