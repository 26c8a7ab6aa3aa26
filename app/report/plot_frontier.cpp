#include "app/report/fields.hpp"
#include "app/report/gnuplot.hpp"
#include "app/report/label_layout.hpp"
#include "app/report/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kvproof::report {
namespace {

struct Point {
    const ComparedSystem* system;
    double reads;
    double error;
    bool best = false; ///< none reads less and errs less
};

/// By whom a system is proposed: a colour each.
std::size_t kind_of(const std::string& reader) {
    for (const char* name : {"readkv", "full:", "uniform:", "calibration:", "two-level:", "lloyd2"})
        if (reader.starts_with(name)) return 0;
    return reader.starts_with("aatc") ? 1 : 2;
}

constexpr std::array<const char*, 3> kinds = {"ReadKV and its controls", "AATC", "other systems"};

void mark_best(std::vector<Point>& points) {
    for (Point& point : points)
        point.best = std::ranges::none_of(points, [&](const Point& other) {
            return other.reads <= point.reads && other.error <= point.error &&
                   (other.reads < point.reads || other.error < point.error);
        });
}

/// The drawing's frame as shares of its size, so that places of labels can be computed.
constexpr double left = 0.115;
constexpr double right = 0.975;
constexpr double top = 0.095;
constexpr double bottom = 0.885;

/// From numbers on the axes to places in the drawing, y downwards.
struct Axes {
    double width;
    double height;
    double x0;
    double x1;
    double y0; ///< decimal logarithms
    double y1;

    [[nodiscard]] double across(double reads) const {
        return width * (left + (right - left) * (reads - x0) / (x1 - x0));
    }
    [[nodiscard]] double down(double error) const {
        return height * (bottom - (bottom - top) * (std::log10(error) - y0) / (y1 - y0));
    }
};

/// The stair as thin boxes that names keep clear of.
std::vector<LabelBox> boxes_of(const std::vector<Point>& frontier, const Axes& axes) {
    constexpr double half = 2;
    std::vector<LabelBox> out;
    for (std::size_t i = 1; i < frontier.size(); ++i) {
        const double x0 = axes.across(frontier[i - 1].reads);
        const double x1 = axes.across(frontier[i].reads);
        const double y0 = axes.down(frontier[i - 1].error);
        const double y1 = axes.down(frontier[i].error);
        out.push_back({x0, y0 - half, x1, y0 + half});
        out.push_back({x1 - half, y0, x1 + half, y1});
    }
    return out;
}

std::string labels(const std::vector<Point>& points, const std::vector<Point>& frontier, const Axes& axes) {
    std::vector<LabelledPoint> wanted;
    for (const Point& point : points)
        wanted.push_back({axes.across(point.reads), axes.down(point.error), point.system->reader});
    constexpr double inside = 3;
    const LabelArea area{{axes.width * left + inside, axes.height * top + inside, axes.width * right - inside,
                          axes.height * bottom - inside},
                         6.6,
                         13};
    const std::vector<PlacedLabel> placed = place_labels(wanted, area, boxes_of(frontier, axes));
    constexpr std::array<const char*, 3> alignments = {"left", "center", "right"};
    std::string out;
    for (std::size_t i = 0; i < placed.size(); ++i) {
        const PlacedLabel& label = placed[i];
        out += fmt::format("set label {} {} at screen {},{} {} noenhanced font ',11.5' front\n", i + 1,
                           quoted(wanted[i].name), number(label.x / axes.width),
                           number(1 - label.y / axes.height),
                           alignments.at(static_cast<std::size_t>(label.align)));
        if (label.has_line)
            out += fmt::format(
                "set arrow {} from screen {},{} to screen {},{} nohead lw 0.5 lc rgb '#888888' back\n", i + 1,
                number(wanted[i].x / axes.width), number(1 - wanted[i].y / axes.height),
                number(label.x / axes.width), number(1 - label.y / axes.height));
    }
    return out;
}

} // namespace

Figure frontier_figure(const CompareResults& results, std::size_t number) {
    Figure out;
    out.id = "frontier-" + std::to_string(number);
    out.title = "Error against reads, all systems: " + results.capture;
    out.height = 600;
    std::vector<Point> all;
    for (const ComparedSystem& system : results.systems)
        all.push_back({&system, to_double(system.reads), to_double(system.mean)});
    mark_best(all);
    // what has no error, or more than a number can say, has no place on a logarithmic axis
    std::vector<Point> points;
    std::ranges::copy_if(all, std::back_inserter(points),
                         [](const Point& point) { return point.error > 0 && std::isfinite(point.error); });
    const std::size_t exact = all.size() - points.size();
    out.table.caption = results.capture +
                        ": squared error over squared output, reads and capacity in percent of a 16-bit "
                        "cache; rounded to four digits";
    out.table.columns = {"system", "mean", "median", "greatest", "reads %", "capacity %", "on the frontier"};
    for (const ComparedSystem& system : results.systems) {
        const bool best = std::ranges::find(all, &system, &Point::system)->best;
        out.table.rows.push_back({system.reader, shortened(system.mean, 4), shortened(system.median, 4),
                                  shortened(system.max, 4), shortened(system.reads, 4),
                                  shortened(system.capacity, 4), best ? "yes" : ""});
    }
    out.caption = "Mean relative error of each system, ‖o − ô‖²/‖o‖² over layers, heads and queries, against "
                  "the bits that its "
                  "calls read, in percent of an uncompressed 16-bit cache. Line: the frontier, no system "
                  "reads less and errs "
                  "less. One capture, short: systems that keep the latest tokens whole gain from that.";
    if (!results.calibration.empty()) out.caption += " Calibrated on " + results.calibration + ".";
    if (exact > 0) out.caption += fmt::format(" Without error, and so not drawn: {}, in the table.", exact);
    for (const std::string& reason : results.left_out) out.caption += " Left out: " + reason + ".";
    out.alternative = "Systems as points, percent of bits read across, mean relative error upwards on a "
                      "logarithmic scale; a "
                      "stair joins those on the frontier. The table below has all numbers.";
    if (points.empty()) return out;
    const auto [least_reads, most_reads] = std::ranges::minmax(points, {}, &Point::reads);
    const auto [least_error, most_error] = std::ranges::minmax(points, {}, &Point::error);
    const double pad = std::max(1.0, 0.09 * (most_reads.reads - least_reads.reads));
    const double x0 = least_reads.reads - pad;
    const double x1 = most_reads.reads + 1.6 * pad;
    const double y0 = std::floor(std::log10(least_error.error) - 0.1);
    const double y1 = std::ceil(std::log10(most_error.error) + 0.1);
    std::vector<Point> frontier;
    std::ranges::copy_if(points, std::back_inserter(frontier), &Point::best);
    std::ranges::sort(frontier, {}, &Point::reads);
    std::vector<std::vector<double>> stair;
    for (const Point& point : frontier) stair.push_back({point.reads, point.error});
    out.script = data_block("stair", stair);
    std::string plots =
        fmt::format("$stair using 1:2 with steps lw 1.6 lc rgb '{}' title 'frontier'", palette[5]);
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        std::vector<std::vector<double>> of_kind;
        for (const Point& point : points)
            if (kind_of(point.system->reader) == kind) of_kind.push_back({point.reads, point.error});
        if (of_kind.empty()) continue;
        out.script += data_block(fmt::format("k{}", kind), of_kind);
        plots += fmt::format(", $k{} using 1:2 with points pt {} ps 0.8 lc rgb '{}' title '{}'", kind,
                             5 + 2 * kind, palette[kind], kinds[kind]);
    }
    out.script +=
        labels(points, frontier, {double(out.width), double(out.height), x0, x1, y0, y1}) +
        fmt::format("set lmargin at screen {}\nset rmargin at screen {}\nset tmargin at screen {}\n"
                    "set bmargin at screen {}\nset logscale y\nset format y '10^{{%T}}'\n"
                    "set xrange [{}:{}]\nset yrange [1e{}:1e{}]\n"
                    "set xlabel 'bits read (% of a 16-bit cache)'\nset ylabel 'mean relative squared error'\n"
                    "plot ",
                    left, right, 1 - top, 1 - bottom, kvproof::report::number(x0),
                    kvproof::report::number(x1), y0, y1) +
        plots;
    return out;
}

} // namespace kvproof::report
