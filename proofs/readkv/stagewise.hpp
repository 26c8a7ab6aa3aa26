#pragma once

#include "lib/attention/certificate.hpp"
#include "lib/attention/reader_run.hpp"
#include "proofs/sample.hpp"

#include <functional>

namespace kvproof {

/// beta of one stage from those of the heads.
using Combine = std::function<double(const std::vector<double>&)>;
[[nodiscard]] double largest_of(const std::vector<double>& betas);

/// ReadKV's Theorem 3 of the running reader on synthetic cases.
///   - Both stages are optimal: the refinements read are worth as much as the B most valuable ones of all.
///     A gain is the exact product of the weight and the code's gain, both doubles; that is the optimum
///     because the code's gains decrease.
///   - sum_h ||o_h - o^_h||^2 <= beta_K sum_h S_{K,h} + beta_V sum_h S_{V,h}, plus what each head's
///     certificate adds for rounding; beta is the largest over the heads of a layer. The slack is the
///     smallest ratio.
[[nodiscard]] Decision stages_are_optimal(const Sample& sample, const MakePolicy& make_policy = readkv_policy,
                                          const Combine& combine = largest_of);

} // namespace kvproof
