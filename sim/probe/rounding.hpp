#pragma once

#include "lib/exact/rational.hpp"

#include <vector>

namespace kvproof {

/// The fraction with the least denominator in [low, high], 0 <= low <= high; of those the least.
[[nodiscard]] Rational simplest_between(const Rational& low, const Rational& high);

/// Integers without a common factor in these proportions; `values` are not negative and not all 0.
[[nodiscard]] std::vector<Integer> in_proportion(const std::vector<Rational>& values);

/// Values over their largest, each replaced by the simplest fraction no farther than `tolerance`.
[[nodiscard]] std::vector<Integer> simple_proportion(const std::vector<Rational>& values,
                                                     const Rational& tolerance);

/// Values over their largest, times 2^bits, rounded down, but at least 1.
[[nodiscard]] std::vector<Integer> fine_proportion(const std::vector<Rational>& values, int bits);

} // namespace kvproof
