#pragma once

#include "lib/exact/rational.hpp"
#include "sim/montecarlo/metric.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace kvproof {

/// What is kept of the samples of one metric, in units of 2^grid: exact, so that sums of parts do not depend
/// on how trials were split up or in which order the parts came.
struct MetricSums {
    std::uint64_t samples = 0; ///< trials that have a value
    Integer sum = 0;
    Integer squares = 0;
    std::int64_t least = 0; ///< 0 without samples
    std::int64_t greatest = 0;

    MetricSums& operator+=(const MetricSums& other);
    bool operator==(const MetricSums&) const = default;
};

/// Adds up samples. Throws Error(internal) where one leaves the metric's range: a range that was said to be
/// proven is wrong, or the experiment is. `first` is the trial of the first sample, which the line names.
void add_samples(MetricSums& sums, const Metric& metric, std::span<const double> samples,
                 std::uint64_t first);

/// What is kept of some trials: one entry for each metric.
struct Sums {
    std::uint64_t trials = 0;
    std::vector<MetricSums> metrics;

    Sums& operator+=(const Sums& other);
    bool operator==(const Sums&) const = default;
};

} // namespace kvproof
