#pragma once

#include "lib/portable/instructions.hpp"

#include <span>
#include <vector>

namespace kvproof {

/// softmax(z) with its error bound. For every z within `radius` of the given logits, entry by entry,
///
///     |probabilities_j - p_j| <= relative p_j + absolute,   |log_sum_exp - LSE(z)| <= log_sum_exp_radius,
///
/// where p_j = e^(z_j) / sum_i e^(z_i). `relative` is at most 1/2, so that p_j <= (1 + 2 relative)
/// probabilities_j + 2 absolute; `absolute` is 2^-1072, which matters only where p_j underflows. Where the
/// radius of the logits leaves more than that open, relative is 0 and absolute is 1: nothing is known.
struct Softmax {
    std::vector<double> probabilities;
    double relative = 0;
    double absolute = 0;
    double log_sum_exp = 0;
    double log_sum_exp_radius = 0;
};

/// The softmax of at least one finite logit of magnitude up to 2^1000. The largest logit is subtracted, and
/// what that subtraction loses is put back, so that the bound does not grow with the gap. Sums have a fixed
/// order: eight lanes in blocks of 256 terms, blocks one after the other. Throws Error(bad_number) on other
/// logits and on a radius that is negative or NaN.
[[nodiscard]] Softmax softmax(std::span<const double> logits, double radius = 0,
                              Instructions instructions = best_instructions());

} // namespace kvproof
