#pragma once

#include <cstddef>
#include <vector>

namespace kvproof::app {

/// Values that fall below the fraction q of a sorted sample, by linear interpolation between order
/// statistics; infinities stay where they sort.
[[nodiscard]] double quantile(const std::vector<double>& sorted, double q);

[[nodiscard]] double mean(const std::vector<double>& values);

} // namespace kvproof::app
