#pragma once

#include "lib/attention/certificate.hpp"
#include "proofs/sample.hpp"

#include <functional>

namespace kvproof {

/// A bound of the squared error of one query head.
using BoundOf = std::function<double(const Certified&)>;

/// ReadKV's Proposition 12 and the sharp certificate.
[[nodiscard]] double proposition_12(const Certified& row);
[[nodiscard]] double sharp_certificate(const Certified& row);

/// The bound covers ||o - o^||^2, every rounding of the error counted against it, for each query head of the
/// synthetic cases. The slack is the smallest bound/error among errors beyond what rounding alone leaves.
[[nodiscard]] Decision bound_holds(const Sample& sample, const BoundOf& bound);

} // namespace kvproof
