#pragma once

#include "lib/exact/expr.hpp"
#include "lib/exact/interval.hpp"

namespace kvproof {

/// What the operation of a node gives for enclosures of its first and its last argument (the same one where
/// there is but one). Undefined outside the operation's domain. The node is looked at for its exponent: an
/// integer that stands there as a number also suits a negative base.
[[nodiscard]] Interval apply_operation(const Expr& node, const Interval& x, const Interval& y, Bits bits);

} // namespace kvproof
