#pragma once

#include "lib/attention/head_view.hpp"

#include <vector>

namespace kvproof {

/// The error of one head's output, o - o^, o from the stored file and o^ as the reader returned it.
struct OutputError {
    double error_sq = 0;          ///< ||o - o^||^2 from above
    double output_sq = 0;         ///< ||o||^2, computed
    double attention_term_sq = 0; ///< ||V'(alpha - alpha^)||^2, computed
    double value_term_sq = 0;     ///< ||E_V' alpha^||^2, computed
    /// What a certificate adds to its bound of ||V'(alpha - alpha^) + E_V' alpha^||, so that the sum is a
    /// bound of
    /// ||o - o^|| and not below the root of error_sq: the reader's own rounding, and twice what is not known
    /// of o.
    double allowance = 0;
    std::vector<double> centre; ///< the mean of the values under (alpha + alpha^)/2, computed
};

/// `returned` [d_h] is the reader's output in the coordinates of the capture. `value_error` is what U_V
/// rounds (transform_error).
[[nodiscard]] OutputError output_error(const HeadView& view, std::span<const double> returned,
                                       double value_error);

} // namespace kvproof
