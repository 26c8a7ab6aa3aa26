#pragma once

#include "lib/codec/codebook.hpp"

namespace kvproof {

/// D(t) = E(Z - Q_t(Z))^2 for t = 0..W of the quantiser that a codebook is, for Z ~ N(0, 1): integrals
/// against the normal density, enclosed to this relative accuracy. 1 - sum P c^2 does not hold here, since
/// the centroids are not conditional means.
[[nodiscard]] std::vector<Interval> true_distortion(const Codebook<float>& codebook, Bits accuracy);

} // namespace kvproof
