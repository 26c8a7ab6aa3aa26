#include "sim/montecarlo/metric.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof {

std::string method_of(MetricKind kind) {
    switch (kind) {
    case MetricKind::proportion: return "clopper-pearson";
    case MetricKind::bounded: return "empirical-bernstein";
    case MetricKind::unbounded: break;
    }
    return "student";
}

int Metric::grid() const {
    constexpr int digits = 48;
    if (kind == MetricKind::proportion) return 0;
    int exponent = 0;
    const double mantissa = std::frexp(std::max(std::fabs(lower), std::fabs(upper)), &exponent);
    return (mantissa == 0.5 ? exponent - 1 : exponent) - digits; // a power of two is its own bound
}

} // namespace kvproof
