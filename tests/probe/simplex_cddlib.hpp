#pragma once

#include "lib/exact/rational.hpp"

#include <vector>

namespace kvproof {

/// The value of a zero-sum game by cddlib, an oracle for tests: the prior that maximises t where every column
/// loses at least t. `columns`: of losses.
[[nodiscard]] Rational value_by_cddlib(const std::vector<std::vector<Rational>>& columns);

} // namespace kvproof
