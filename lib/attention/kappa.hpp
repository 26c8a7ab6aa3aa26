#pragma once

#include "lib/attention/largest_eigenvalue.hpp"

#include <span>

namespace kvproof {

/// kappa = lambda_max(C) of the normalised Gram matrix C_ab = <e_a, e_b> / (||e_a|| ||e_b||) over the items
/// e_a that are not zero; 0 where there are none (ReadKV E.3.3, with its zero conventions). Items are columns
/// of a T x d matrix (kappa_K: channels) or its rows (kappa_V: tokens); the smaller Gram matrix of the two
/// sides is formed, since Ê'Ê and ÊÊ' share their largest eigenvalue.
///
/// `radii`, if given, hold for each item the norm within which it is known: ||e_a - e~_a||_2 <= radii[a]. An
/// item with a radius of half its norm or more is left out and adds 1 to the upper bound.
///
/// Scaling. The items are multiplied by doubles s_a near 1/||e_a||, t_a = (s_a ||e_a||)^2. With N the Gram
/// matrix of the s_a e_a, N = diag(t)^(1/2) C diag(t)^(1/2), so min t lambda_max(C) <= lambda_max(N) <= max t
/// lambda_max(C). Powers of two come first, so that items of any magnitude count.
///
/// Throws Error(bad_number) on an entry that is not finite.
[[nodiscard]] EigenvalueBounds kappa_of_columns(const MatrixView& e, std::span<const double> radii = {},
                                                const EigenvalueOptions& options = {});
[[nodiscard]] EigenvalueBounds kappa_of_rows(const MatrixView& e, std::span<const double> radii = {},
                                             const EigenvalueOptions& options = {});

} // namespace kvproof
