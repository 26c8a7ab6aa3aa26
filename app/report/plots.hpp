#pragma once

#include "app/report/figure.hpp"
#include "app/report/results.hpp"

#include <array>

// The figures: what is plotted, how it reads in words, and its numbers. draw() turns them into drawings.

namespace kvproof::report {

/// Colours that are told apart by most eyes, on light and on dark pages.
inline constexpr std::array<const char*, 6> palette = {"#2b7bba", "#d55e00", "#009e73",
                                                       "#b05fa3", "#b58900", "#808080"};

/// Cells and centroids of the tree, what each bit gains, and the distortion against its bounds.
[[nodiscard]] std::vector<Figure> lloyd_figures(const std::vector<LloydRow>& table, std::size_t number);
/// Where Theorem 1 separates over dimension and sparsity: a figure for each ratio of probes to dimension.
[[nodiscard]] std::vector<Figure> separation_figures(const std::vector<SeparationTable>& tables);
/// Risks by class of readers, a panel for each number of stored bits.
[[nodiscard]] Figure probe_figure(const ProbeSweep& sweep, std::size_t number);
/// Bounds against errors, observation by observation.
[[nodiscard]] Figure bound_figure(const CertifyRows& rows, std::size_t number);
/// Means of bounds and errors by layer: a table.
[[nodiscard]] Figure certify_figure(const CertifyResults& results, std::size_t number);
/// Error against reads for all systems, with those that no other beats in both.
[[nodiscard]] Figure frontier_figure(const CompareResults& results, std::size_t number);
/// Means with their confidence intervals.
[[nodiscard]] Figure montecarlo_figure(const MonteCarloResults& results, std::size_t number);
/// Reads and capacity: a table.
[[nodiscard]] Figure account_figure(const AccountResults& results, std::size_t number);

/// The text of a number with at most so many significant digits, for tables: exact text stays as it is where
/// it is no longer than that.
[[nodiscard]] std::string shortened(const std::string& text, int digits);

} // namespace kvproof::report
