#pragma once

#include "sim/montecarlo/sums.hpp"

#include <optional>

namespace kvproof {

/// The level of every interval, for each metric by itself.
inline constexpr double confidence_level = 0.95;

/// What some trials say about the mean of one metric. Ends are rounded away from the mean, and for metrics
/// that are not proportions half a step of the recording grid is added, so that they hold for the samples as
/// they were before they were recorded.
struct Estimate {
    std::uint64_t samples = 0;
    std::optional<double> mean; ///< the nearest double; nothing without samples
    /// Nothing where the method needs more samples: one for a proportion, two otherwise. A bounded metric's
    /// ends are cut to its range.
    std::optional<double> lower;
    std::optional<double> upper;
    std::optional<double> least;
    std::optional<double> greatest;
};

[[nodiscard]] Estimate estimate(const Metric& metric, const MetricSums& sums);

/// Both ends of the Clopper-Pearson interval for `hits` of `trials` > 0: the p at which so many or more
/// (lower), or so many or fewer (upper), have probability 0.025. Rounded outward; the same bits on every
/// machine (no libm).
struct Ends {
    double lower;
    double upper;
};
[[nodiscard]] Ends clopper_pearson(std::uint64_t hits, std::uint64_t trials);

/// Maurer and Pontil (2009), Theorem 4, at 0.025 on each side, for n > 1 samples in an interval of length 1
/// of mean m and variance v (unbiased): m -+ (sqrt(2 v ln 80 / n) + 7 ln 80 / (3 (n - 1))). Rounded outward,
/// not cut.
[[nodiscard]] Ends empirical_bernstein(const Rational& mean, const Rational& variance, std::uint64_t n);

/// mean -+ t sqrt(variance / n), t the 0.975 quantile of Student's law with n - 1 degrees of freedom, n > 1.
[[nodiscard]] Ends student(const Rational& mean, const Rational& variance, std::uint64_t n);

} // namespace kvproof
