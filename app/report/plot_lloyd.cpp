#include "app/report/fields.hpp"
#include "app/report/gnuplot.hpp"
#include "app/report/plots.hpp"
#include "lib/exact/decimal.hpp"
#include "proofs/quantities.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kvproof::report {
namespace {

constexpr int shown_digits = 12;
/// Deeper cells are narrower than the lines that would show them.
constexpr int deepest_drawn = 6;
constexpr int deepest_optimum = 8;

Figure cells_figure(const std::vector<LloydRow>& table, const std::string& id) {
    Figure out;
    out.id = id + "-cells";
    out.title = "Cells of the progressive Lloyd code";
    const int deepest = std::min(static_cast<int>(table.size()) - 1, deepest_drawn);
    std::vector<std::vector<double>> boundaries;
    std::vector<std::vector<double>> centroids;
    for (int t = 0; t <= deepest; ++t) {
        for (const std::string& text : table[t].boundaries)
            boundaries.push_back({to_double(text), t - 0.36, 0.72});
        for (const std::string& text : table[t].centroids) centroids.push_back({to_double(text), double(t)});
        out.table.rows.push_back({std::to_string(t), std::to_string(table[t].centroids.size()),
                                  shortened(table[t].centroids.front(), shown_digits),
                                  shortened(table[t].centroids.back(), shown_digits),
                                  shortened(table[t].epsilon, shown_digits)});
    }
    out.table.caption = "Cells by depth, certified numbers rounded to 12 digits";
    out.table.columns = {"t", "cells", "least centroid", "greatest centroid",
                         "ε_t = sup |u − Q_t(u)|, |u| ≤ 1"};
    out.alternative =
        fmt::format("For each depth 0 to {}, the boundaries of the cells on the real line as upright "
                    "strokes and the centroids as dots; each cell splits in two at the next depth.",
                    deepest);
    out.caption = "Strokes: the boundaries at which depth t cuts the standard normal; dots: what a cell "
                  "decodes to. Each "
                  "stroke stays at all greater depths, so that t bits are a prefix of t + 1.";
    if (deepest_drawn < static_cast<int>(table.size()) - 1)
        out.caption += fmt::format(" Drawn to depth {} of {}.", deepest_drawn, table.size() - 1);
    out.script =
        data_block("cuts", boundaries) + data_block("dots", centroids) +
        fmt::format("set xrange [-3.6:3.6]\nset yrange [{}.6:-0.6]\nset ytics 1\nset grid noy\n"
                    "set xlabel 'source value u (standard deviations)'\nset ylabel 'depth t (bits)'\n"
                    "unset key\nset lmargin at screen 0.09\n"
                    "plot $cuts using 1:2:(0):3 with vectors nohead lw 1.2 lc rgb '{}', "
                    "$dots using 1:2 with points pt 7 ps 0.35 lc rgb '{}'",
                    deepest, palette[0], palette[1]);
    return out;
}

Figure gains_figure(const std::vector<LloydRow>& table, const std::string& id) {
    Figure out;
    out.id = id + "-gains";
    out.title = "What each bit gains";
    out.height = 400;
    std::vector<std::vector<double>> rows;
    for (const LloydRow& row : table) {
        rows.push_back({double(row.t), to_double(row.distortion),
                        row.gain.empty() ? std::nan("") : to_double(row.gain), to_double(row.epsilon)});
        out.table.rows.push_back({std::to_string(row.t), shortened(row.distortion, shown_digits),
                                  row.gain.empty() ? "–" : shortened(row.gain, shown_digits),
                                  shortened(row.epsilon, shown_digits)});
    }
    out.table.caption =
        "Distortion, gain and pointwise error by depth, certified numbers rounded to 12 digits";
    out.table.columns = {"t", "D(t)", "Δ_t", "ε_t"};
    out.alternative =
        "Distortion, gain and largest pointwise error on [-1, 1], all falling with the depth, on a "
        "logarithmic scale.";
    out.caption = "Mean squared error D(t) of a standard normal, the gain Δ_t = D(t−1) − D(t) of bit t, and "
                  "the largest "
                  "error ε_t of a number within ±1 (not squared).";
    out.script =
        data_block("d", rows) +
        fmt::format("set logscale y\nset format y '10^{{%T}}'\nset xrange [-0.3:{}.3]\nset xtics 1\n"
                    "set xlabel 'depth t (bits)'\nset ylabel 'squared error (ε_t: error)' noenhanced\n"
                    "plot $d using 1:4 with linespoints pt 9 ps 0.7 lc rgb '{}' title 'ε_t', "
                    "$d using 1:2 with linespoints pt 7 ps 0.6 lc rgb '{}' title 'D(t)', "
                    "$d using 1:3 with linespoints pt 5 ps 0.6 lc rgb '{}' title 'Δ_t'",
                    table.size() - 1, palette[2], palette[0], palette[1]);
    return out;
}

/// The optimum is no part of the table: this program encloses it anew.
Figure penalty_figure(const std::vector<LloydRow>& table, const std::string& id) {
    Figure out;
    out.id = id + "-penalty";
    out.title = "What nesting costs";
    out.height = 400;
    const CertifiedQuantities quantities;
    constexpr Bits accuracy = 128;
    std::vector<std::vector<double>> rows;
    const int deepest = std::min(static_cast<int>(table.size()) - 1, deepest_optimum);
    for (int t = 1; t <= deepest; ++t) {
        const Interval optimum = quantities.enclose("lloydmax.distortion." + std::to_string(t), accuracy);
        const std::string best = shared_decimal(optimum, shown_digits);
        const double scale = nearest_float64(power(Rational(4), t));
        const double nested = to_double(table[t].distortion);
        rows.push_back({double(t), nested * scale, to_double(best) * scale});
        out.table.rows.push_back({std::to_string(t), shortened(table[t].distortion, shown_digits), best,
                                  fmt::format("{:.6f}", nested / to_double(best)),
                                  fmt::format("{:.6f}", nested * scale)});
    }
    out.table.caption = "Nested against optimal quantiser; ratios rounded";
    out.table.columns = {"t", "nested D(t)", "optimal D*(t)", "D(t)/D*(t)", "4^t D(t)"};
    out.alternative =
        "Distortion times 4 to the t: the nested tree and the optimal quantiser agree at one and two bits, "
        "then the tree lies above; the optimum stays below the Panter-Dite value, both above 1.";
    out.caption =
        "Distortion times 4^t of the nested tree and of the best quantiser with 2^t levels that need not "
        "nest, "
        "between the rate-distortion bound 1 and the Panter–Dite value π√3/2 ≈ 2.7207, which the optimum "
        "approaches from below. The optimum is enclosed by this program while the report is made.";
    out.script =
        data_block("d", rows) +
        fmt::format("set xrange [0.7:{}.3]\nset yrange [0.9:*]\nset xtics 1\nset xlabel 'depth t (bits)'\n"
                    "set ylabel 'distortion × 4^t' noenhanced\n"
                    "plot pi*sqrt(3)/2 with lines dt 2 lw 1.5 lc rgb '{}' title 'Panter–Dite', "
                    "1 with lines dt 4 lw 1.5 lc rgb '{}' title 'rate–distortion bound', "
                    "$d using 1:2 with linespoints pt 7 ps 0.7 lc rgb '{}' title 'nested tree', "
                    "$d using 1:3 with linespoints pt 6 ps 0.7 lc rgb '{}' title 'optimum'",
                    deepest, palette[3], palette[5], palette[0], palette[1]);
    return out;
}

} // namespace

std::vector<Figure> lloyd_figures(const std::vector<LloydRow>& table, std::size_t number) {
    const std::string id = "lloyd-" + std::to_string(number);
    std::vector<Figure> out = {cells_figure(table, id)};
    if (table.size() > 1) {
        out.push_back(gains_figure(table, id));
        out.push_back(penalty_figure(table, id));
    }
    return out;
}

} // namespace kvproof::report
