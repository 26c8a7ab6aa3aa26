#pragma once

#include "lib/allocate/water_filling.hpp"

#include <string>

namespace kvproof {

/// A rational number is one without active items.
using FunctionValue = WaterFilling;

/// The functions of rationals that formulas know by name (docs/formulas.md):
///
///   (greedy W B g c g c ...)   what ChooseDepths collects from items of W refinements, each a gain and a
///   cost (best W B g c g c ...)     the most that any depths collect (largest B g g ...)        the largest
///   sum of at most B gains (waterfill W B a a ...)    C_W(B), the optimum of real depths for weights a
///
/// Nothing where an argument is out of range: W from 1 to 64, B from 0 to 1000000, costs from 1 to 1000, all
/// integers; weights not negative; whole items; of `best` at most 10^6 vectors of depths, (W+1)^items.
[[nodiscard]] std::optional<FunctionValue> function_value(const std::string& name,
                                                          const std::vector<Rational>& arguments);

} // namespace kvproof
