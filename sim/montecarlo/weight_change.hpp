#pragma once

#include "sim/montecarlo/query_rows.hpp"

#include <span>

namespace kvproof {

/// How attention weights move when logits do: delta a_i = first_i + rest_i, first_i = a_i x_i, x_i = alpha_i
/// - sum a_l alpha_l (AATC Lemma 1: `rest` is all from the second order on).
struct WeightChange {
    std::vector<double> first;
    std::vector<double> rest;

    [[nodiscard]] double of(std::size_t token) const { return first[token] + rest[token]; }
};

/// For logits s_i + sign alpha_i, sign 1 or -1; overwrites `out`. `rest` is computed without cancellation
/// where all |x_i| <= 1, so that small noise costs no digits; it is off by less than 8 (T + 32) 2^-53 max
/// x^2, summed over the tokens, and elsewhere by as much with 1 for max x^2.
void weight_change(const DecodeStep& step, std::span<const double> alpha, double sign, WeightChange& out);

/// sum_i w_i u_i [d_h].
[[nodiscard]] std::vector<double> moved_output(const DecodeStep& step, std::span<const double> w);

} // namespace kvproof
