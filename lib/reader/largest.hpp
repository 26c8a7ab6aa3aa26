#pragma once

#include <span>
#include <vector>

namespace kvproof {

/// The indices of the `count` largest numbers, or of all where there are fewer, ascending. By rank: of equal
/// numbers the lower index comes first, so that ties neither take more nor depend on the run. No NaN.
[[nodiscard]] std::vector<int> largest(std::span<const double> numbers, int count);

} // namespace kvproof
