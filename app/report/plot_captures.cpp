#include "app/report/fields.hpp"
#include "app/report/gnuplot.hpp"
#include "app/report/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kvproof::report {
namespace {

/// More points than this only make the page heavy.
constexpr std::size_t most_points = 2000;

/// The median of a bound over its error, where there is one.
double middle_ratio(const std::vector<Observation>& rows, double Observation::*bound) {
    std::vector<double> ratios;
    for (const Observation& row : rows)
        if (row.error > 0) ratios.push_back(row.*bound / row.error);
    if (ratios.empty()) return 0;
    std::ranges::nth_element(ratios, ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2));
    return ratios[ratios.size() / 2];
}

} // namespace

Figure bound_figure(const CertifyRows& rows, std::size_t number) {
    Figure out;
    out.id = "bounds-" + std::to_string(number);
    out.title = "Bound against error, observation by observation";
    out.height = 480;
    const std::size_t stride = (rows.rows.size() + most_points - 1) / most_points;
    std::vector<std::vector<double>> points;
    std::size_t drawn = 0;
    std::size_t without = 0;
    std::size_t above = 0;
    double least = 1e300;
    double greatest = 0;
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
        const Observation& row = rows.rows[i];
        above += row.bound < row.error || row.sharp < row.error ? 1 : 0;
        if (!(row.error > 0)) {
            ++without;
            continue;
        }
        if (i % stride != 0) continue;
        ++drawn;
        points.push_back({row.error, row.bound, row.sharp});
        least = std::min(least, row.error);
        greatest = std::max(greatest, row.error);
    }
    out.caption = fmt::format(
        "Each observation (layer, query head, query) of {} twice: its squared error ‖o − ô‖² across, the "
        "bound of Proposition 12 and the sharp certificate upwards. A point below the line would be a "
        "violation: {} of {} observations.",
        rows.file, above, rows.rows.size());
    if (stride > 1) out.caption += fmt::format(" Every {}th observation is drawn.", stride);
    if (without > 0)
        out.caption += fmt::format(" {} observations without error have no place on these axes.", without);
    if (rows.uncertified > 0)
        out.caption += fmt::format(" {} observations have no certificate.", rows.uncertified);
    out.alternative =
        fmt::format("{} observations on logarithmic axes; both clouds lie above the diagonal, the sharp "
                    "certificate's close to it, that of Proposition 12 far above.",
                    drawn);
    if (above > 0)
        out.alternative = fmt::format(
            "{} observations on logarithmic axes, each with both bounds. In the median the bound of "
            "Proposition 12 is {:.3g} times the squared error, the sharp certificate {:.3g} times.",
            drawn, middle_ratio(rows.rows, &Observation::bound),
            middle_ratio(rows.rows, &Observation::sharp));
    if (drawn == 0) return out;
    out.script =
        data_block("d", points) +
        fmt::format(
            "set logscale xy\nset format xy '10^{{%T}}'\n"
            "set xlabel 'squared error ‖o − ô‖²'\nset ylabel 'bound on it'\n"
            "set xrange [{0}:{1}]\n"
            "plot [{0}:{1}] $d using 1:2 with points pt 7 ps 0.22 lc rgb '{2}' title 'Proposition 12', "
            "$d using 1:3 with points pt 7 ps 0.22 lc rgb '{3}' title 'sharp certificate', "
            "x with lines lw 1.2 lc rgb 'black' title 'bound = error'",
            kvproof::report::number(least / 1.5), kvproof::report::number(greatest * 1.5), palette[1],
            palette[0]);
    return out;
}

Figure certify_figure(const CertifyResults& results, std::size_t number) {
    Figure out;
    out.id = "certify-" + std::to_string(number);
    out.title = fmt::format("{} on {}", results.reader, results.capture);
    out.caption = fmt::format(
        "Means over {} observations, rounded to four digits; {} violations, every rounding counted.{}",
        results.observations, results.violations,
        results.calibration.empty() ? "" : " Calibrated on " + results.calibration + ".");
    out.table.caption = "Squared errors and their bounds by layer";
    out.table.columns = {"layer", "mean ‖o − ô‖²", "mean sharp certificate", "mean Proposition 12",
                         "violations"};
    for (const CertifiedLayer& layer : results.layers) {
        const auto figure = [](const std::string& text) { return text.empty() ? "–" : shortened(text, 4); };
        out.table.rows.push_back({layer.layer, figure(layer.error), figure(layer.sharp), figure(layer.bound),
                                  layer.violations.empty() ? "–" : layer.violations});
    }
    for (const auto& [name, ends] : results.ratios)
        out.caption += fmt::format(" The {} is {} times the squared error in the median, {} to {} times "
                                   "between the 5 and 95 % points.",
                                   name, shortened(ends[1], 4), shortened(ends[0], 4), shortened(ends[2], 4));
    return out;
}

} // namespace kvproof::report
