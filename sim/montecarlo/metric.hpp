#pragma once

#include <string>

namespace kvproof {

/// How the mean of a metric is enclosed from its samples. The first two hold at every number of trials; the
/// third only if samples are nearly normal, and is labelled so in every report.
enum class MetricKind {
    proportion, ///< samples are 0 or 1: Clopper and Pearson (1934)
    bounded,    ///< samples lie in a proven range: the empirical Bernstein bound of Maurer and Pontil (2009)
    unbounded,  ///< Student's t, approximate
};

/// "clopper-pearson", "empirical-bernstein" or "student".
[[nodiscard]] std::string method_of(MetricKind kind);

/// The range of ratios that have no proven one: samples beyond it are cut to it and counted.
inline constexpr double sample_limit = 4096;

/// One number that every trial yields, or NaN where a trial has none (those trials do not count for it).
struct Metric {
    std::string name;
    MetricKind kind = MetricKind::bounded;
    /// What no sample leaves. Of a bounded metric this is proven (the experiment's file says how) and enters
    /// the interval; of an unbounded one it only fixes how finely samples are recorded.
    double lower = 0;
    double upper = 1;
    std::string meaning;

    /// Samples are recorded as multiples of 2^grid: 1 for proportions, else 2^-48 of the power of two that
    /// holds the range. The recorded number is the sample: sums of them are exact integers, so that nobody's
    /// order of adding shows.
    [[nodiscard]] int grid() const;
};

} // namespace kvproof
