#include "app/report/fields.hpp"
#include "app/report/gnuplot.hpp"
#include "app/report/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kvproof::report {
namespace {

constexpr int digits = 6;
constexpr double line_height = 25;

/// One of the two panels: metrics below each other on one axis.
struct Panel {
    std::vector<const MetricResult*> metrics;
    std::vector<const ReferenceResult*> beside; ///< values that hold for the panel, as upright lines
    bool proportions = false;
};

/// A value that belongs to one metric stands in its row.
const MetricResult* metric_of(const MonteCarloResults& results, const ReferenceResult& reference) {
    const auto at = std::ranges::find(results.metrics, reference.name, &MetricResult::name);
    return at == results.metrics.end() ? nullptr : &*at;
}

bool is_logarithmic(const Panel& panel) {
    double least = 1e300;
    double greatest = 0;
    for (const MetricResult* const metric : panel.metrics) {
        const double mean = to_double(metric->mean);
        if (mean <= 0 || to_double(metric->lower) < 0) return false;
        least = std::min(least, mean);
        greatest = std::max(greatest, mean);
    }
    return greatest > 20 * least;
}

/// The panel's drawing between two heights of the page, as shares from below.
std::string draw_panel(const Panel& panel, const MonteCarloResults& results, const std::string& name,
                       double from, double to, std::string& blocks) {
    const bool logarithmic = !panel.proportions && is_logarithmic(panel);
    std::vector<std::vector<double>> rows;
    std::vector<std::vector<double>> marks;
    std::string tics;
    double least = 1e300;
    double greatest = -1e300;
    for (std::size_t i = 0; i < panel.metrics.size(); ++i) {
        const MetricResult& metric = *panel.metrics[i];
        const double y = double(panel.metrics.size() - i);
        double lower = to_double(metric.lower);
        const double mean = to_double(metric.mean);
        if (logarithmic && lower <= 0) lower = mean / 100; // reaches below what the axis shows
        rows.push_back({mean, y, lower, to_double(metric.upper)});
        least = std::min(least, lower);
        greatest = std::max(greatest, to_double(metric.upper));
        tics += fmt::format("{}{} {}", i == 0 ? "" : ", ", quoted(metric.name), number(y));
        for (const ReferenceResult& reference : results.references)
            if (metric_of(results, reference) == &metric) {
                marks.push_back({to_double(reference.value), y});
                least = std::min(least, marks.back()[0]);
                greatest = std::max(greatest, marks.back()[0]);
            }
    }
    std::string lines;
    for (std::size_t i = 0; i < panel.beside.size(); ++i) {
        const double x = to_double(panel.beside[i]->value);
        least = std::min(least, x);
        greatest = std::max(greatest, x);
        lines +=
            fmt::format("set arrow {0} from {1}, graph 0 to {1}, graph 1 nohead lw 1.2 dt 2 lc rgb '{2}'\n"
                        "set label {0} {3} at {1}, graph 1 center offset 0,0.6 noenhanced tc rgb '{2}'\n",
                        i + 1, number(x), palette[3 + i % 2], quoted(panel.beside[i]->name));
    }
    std::string range = "set xrange [-0.03:1.03]\n";
    if (!panel.proportions && logarithmic)
        range = fmt::format("set logscale x\nset format x '10^{{%T}}'\nset xrange [{}:{}]\n",
                            number(least / 1.6), number(greatest * 1.6));
    else if (!panel.proportions) {
        const double pad = greatest > least ? 0.05 * (greatest - least) : 1;
        range = fmt::format("set xrange [{}:{}]\n", number(least - pad), number(greatest + pad));
    }
    blocks += data_block(name, rows) + data_block(name + "m", marks);
    std::string out =
        fmt::format("unset label\nunset arrow\nunset logscale\nset format x '%g'\n{}{}"
                    "set tmargin at screen {}\nset bmargin at screen {}\n"
                    "set ytics noenhanced ({})\nset yrange [0.4:{}]\nset xlabel '{}' offset 0,0.3\n",
                    range, lines, number(to), number(from), tics, number(double(panel.metrics.size()) + 0.6),
                    panel.proportions ? "proportion of trials" : "mean over trials");
    out += fmt::format("plot ${} using 1:2:3:4 with xerrorbars pt 7 ps 0.5 lw 1.4 lc rgb '{}' notitle", name,
                       palette[panel.proportions ? 2 : 0]);
    if (!marks.empty())
        out += fmt::format(", ${}m using 1:2 with points pt 2 ps 1.1 lw 1.6 lc rgb '{}' notitle", name,
                           palette[1]);
    return out + "\n";
}

Table table_of(const MonteCarloResults& results) {
    Table out{results.experiment + ": metrics, each interval at level 0.95 by itself",
              {"metric", "mean", "lower", "upper", "samples", "method", "what it is"},
              {}};
    const auto figure = [](const std::string& text) { return text.empty() ? "–" : shortened(text, digits); };
    for (const MetricResult& metric : results.metrics)
        out.rows.push_back({metric.name, figure(metric.mean), figure(metric.lower), figure(metric.upper),
                            metric.samples, metric.method, metric.meaning});
    for (const ReferenceResult& reference : results.references)
        out.rows.push_back(
            {reference.name, figure(reference.value), "", "", "", "reference", reference.meaning});
    return out;
}

} // namespace

Figure montecarlo_figure(const MonteCarloResults& results, std::size_t number) {
    Figure out;
    out.id = "montecarlo-" + std::to_string(number);
    out.title = "Monte Carlo: " + results.experiment;
    out.table = table_of(results);
    Panel means;
    Panel proportions;
    proportions.proportions = true;
    for (const MetricResult& metric : results.metrics)
        if (!metric.mean.empty() && std::isfinite(to_double(metric.upper)) &&
            std::isfinite(to_double(metric.lower)))
            (metric.method == "clopper-pearson" ? proportions : means).metrics.push_back(&metric);
    bool has_marks = false;
    for (const ReferenceResult& reference : results.references) {
        if (metric_of(results, reference) != nullptr)
            has_marks = true;
        else if (!means.metrics.empty() &&
                 std::ranges::none_of(results.references, [&](const ReferenceResult& other) {
                     return metric_of(results, other) != nullptr;
                 }))
            means.beside.push_back(&reference);
    }
    std::string parameters;
    for (const auto& [name, value] : results.parameters) parameters += ", " + name + " = " + value;
    out.caption = fmt::format("{} trials of seed {}{}. Dots: means; bars: 95 % intervals, each by itself.",
                              results.trials, results.seed, parameters);
    if (!means.beside.empty()) out.caption += " Dashed: reference values, explained in the table.";
    if (has_marks) out.caption += " Crosses: the value over the whole capture.";
    if (is_logarithmic(means) && std::ranges::any_of(means.metrics, [](const MetricResult* metric) {
            return to_double(metric->lower) <= 0;
        }))
        out.caption += " A lower end at 0 has no place on a logarithmic axis: its bar is cut at a hundredth "
                       "of the mean.";
    if (!results.capture.empty()) out.caption += " Capture: " + results.capture + ".";
    out.alternative =
        "Metrics below each other, each a mean with its interval; the table below has all numbers.";
    constexpr double head = 34;
    constexpr double foot = 62;
    double height = 0;
    std::vector<const Panel*> panels;
    for (const Panel* const panel : {&means, &proportions})
        if (!panel->metrics.empty()) {
            panels.push_back(panel);
            height += head + foot + line_height * (double(panel->metrics.size()) + 0.2);
        }
    if (panels.empty()) return out;
    out.height = static_cast<int>(std::ceil(height));
    std::string blocks;
    std::string drawing;
    double y = 0;
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const double inner = line_height * (double(panels[i]->metrics.size()) + 0.2);
        drawing += draw_panel(*panels[i], results, fmt::format("p{}", i), 1 - (y + head + inner) / out.height,
                              1 - (y + head) / out.height, blocks);
        y += head + inner + foot;
    }
    out.script = blocks +
                 "set lmargin at screen 0.24\nset rmargin at screen 0.975\nunset key\nset multiplot\n" +
                 drawing + "unset multiplot";
    return out;
}

} // namespace kvproof::report
