#include "app/statistics.hpp"

#include <cmath>
#include <numeric>

namespace kvproof::app {

double quantile(const std::vector<double>& sorted, double q) {
    const double at = q * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(std::floor(at));
    const double part = at - static_cast<double>(low);
    if (part == 0 || sorted[low] == sorted[low + 1]) return sorted[low]; // and no infinity less infinity
    return sorted[low] + part * (sorted[low + 1] - sorted[low]);
}

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

} // namespace kvproof::app
