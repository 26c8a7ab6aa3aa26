#include "app/report/fields.hpp"
#include "app/report/gnuplot.hpp"
#include "app/report/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace kvproof::report {
namespace {

std::string text_of(const std::optional<Ends>& ends) {
    if (!ends) return "–";
    if (ends->lower == ends->upper) return ends->lower;
    return "[" + ends->lower + ", " + ends->upper + "]";
}

std::vector<std::string> classes_of(const ProbeSweep& sweep) {
    std::vector<std::string> out;
    for (const ProbeRow& row : sweep.rows)
        if (std::ranges::find(out, row.access) == out.end()) out.push_back(row.access);
    return out;
}

Table table_of(const ProbeSweep& sweep) {
    Table out{fmt::format("{}: exact worst squared errors", sweep.family),
              {"w", "r", "class", "no coins", "public coins"},
              {}};
    for (const ProbeRow& row : sweep.rows)
        out.rows.push_back({std::to_string(row.bits), std::to_string(row.probes), row.access,
                            text_of(row.deterministic), text_of(row.randomised)});
    for (const ProbeSide& side : sweep.beside) {
        const std::string w = std::to_string(side.bits);
        const std::string r = std::to_string(side.probes);
        if (!side.readkv.empty())
            out.rows.push_back({w, r, "ReadKV's reader", shortened(side.readkv, 6), "–"});
        if (!side.converse.empty())
            out.rows.push_back({w, r, "converse, query-independent ≥", shortened(side.converse, 6),
                                shortened(side.converse, 6)});
    }
    return out;
}

/// Where a class stands beside its number of probes.
double place(int probes, std::size_t index, std::size_t count) {
    constexpr double spread = 0.72;
    return probes + spread * ((double(index) + 0.5) / double(count) - 0.5);
}

} // namespace

Figure probe_figure(const ProbeSweep& sweep, std::size_t number) {
    Figure out;
    out.id = "probe-" + std::to_string(number);
    out.title = "Risks by class of readers: " + sweep.family;
    out.table = table_of(sweep);
    const std::vector<std::string> classes = classes_of(sweep);
    std::set<int> bits;
    std::set<int> probes;
    for (const ProbeRow& row : sweep.rows) {
        bits.insert(row.bits);
        probes.insert(row.probes);
    }
    const std::size_t columns = bits.size() > 1 ? 2 : 1;
    const std::size_t lines = (bits.size() + columns - 1) / columns;
    constexpr int panel = 270;
    constexpr int legend = 60;
    out.height = static_cast<int>(lines) * panel + legend;
    const std::size_t slots = classes.size() + 1; // the last for ReadKV's own reader
    double highest = 0;
    std::string blocks;
    std::string script;
    for (const int w : bits) {
        std::vector<std::vector<std::vector<double>>> drawn(slots);
        std::vector<std::vector<double>> coins;
        for (const ProbeRow& row : sweep.rows) {
            if (row.bits != w) continue;
            const auto c = static_cast<std::size_t>(std::ranges::find(classes, row.access) - classes.begin());
            const double x = place(row.probes, c, slots);
            if (row.deterministic) drawn[c].push_back({x, to_double(row.deterministic->upper)});
            if (row.randomised) coins.push_back({x, to_double(row.randomised->upper)});
            for (const auto* const ends : {&row.deterministic, &row.randomised})
                if (*ends) highest = std::max(highest, to_double((*ends)->upper));
        }
        for (const ProbeSide& side : sweep.beside)
            if (side.bits == w && !side.readkv.empty()) {
                drawn.back().push_back({place(side.probes, slots - 1, slots), to_double(side.readkv)});
                highest = std::max(highest, drawn.back().back()[1]);
            }
        script += fmt::format("set title 'w = {} stored bits'\nplot ", w);
        bool first = true;
        const auto add = [&](const std::string& name, const std::vector<std::vector<double>>& rows,
                             const std::string& style) {
            if (rows.empty()) return;
            blocks += data_block(name, rows);
            script += fmt::format("{}${} using 1:2 {} notitle", first ? "" : ", ", name, style);
            first = false;
        };
        for (std::size_t c = 0; c < slots; ++c) {
            const std::string name = fmt::format("w{}c{}", w, c);
            const char* const colour = c + 1 == slots ? "black" : palette[c % palette.size()];
            add(name, drawn[c], fmt::format("with impulses lw 2 lc rgb '{}'", colour));
            add(name + "p", drawn[c],
                fmt::format("with points pt {} ps 0.7 lc rgb '{}'", c + 1 == slots ? 2 : 7, colour));
        }
        add(fmt::format("w{}coins", w), coins, "with points pt 6 ps 1.0 lc rgb 'black'");
        if (first) script += "NaN notitle";
        script += "\n";
    }
    const double top = highest > 0 ? highest * 1.12 : 1;
    std::string keys =
        "set label 1 '● no coins   ○ public coins, best known   × ReadKV' at screen 0.5,0.985 center\n";
    double at = 0.07;
    for (std::size_t c = 0; c < classes.size(); ++c) {
        keys += fmt::format("set label {} {} at screen {},{} left tc rgb '{}'\n", c + 2,
                            quoted("● " + classes[c]), kvproof::report::number(at),
                            kvproof::report::number(1 - 46.0 / out.height), palette[c % palette.size()]);
        at += 0.045 + 0.0115 * double(classes[c].size());
    }
    out.script =
        blocks + keys +
        fmt::format("set multiplot layout {},{} margins 0.09,0.98,{},{} spacing 0.09,{}\n"
                    "set xrange [{}:{}]\nset yrange [{}:{}]\nset xtics 1\nset grid nox\n"
                    "set xlabel 'probes r (bits read)' offset 0,0.4\nset ylabel 'worst squared error'\n",
                    lines, columns, kvproof::report::number(58.0 / out.height),
                    kvproof::report::number(1 - (legend + 28.0) / out.height),
                    kvproof::report::number(88.0 / out.height), *probes.begin() - 0.5, *probes.rbegin() + 0.5,
                    kvproof::report::number(-0.03 * top), kvproof::report::number(top));
    // the legend is drawn once
    const std::size_t second = script.find("set title", 1);
    if (second != std::string::npos) script.insert(second, "unset label\n");
    out.script += script + "unset multiplot";
    out.alternative = fmt::format(
        "For each number of stored bits a panel, the number of probes across, the worst squared "
        "error upwards, one stroke for each class of readers: {}. The table below has all values.",
        [&] {
            std::string names;
            for (const std::string& name : classes) names += (names.empty() ? "" : ", ") + name;
            return names;
        }());
    out.caption = fmt::format(
        "Exact minimax risks on the finite family {} ({} sources, {} queries), a panel for each number w "
        "of stored bits. Filled: protocols without coins; circles: the upper end of what public coins "
        "reach; crosses: ReadKV's own reader at that budget. A point on the axis is risk 0.",
        sweep.family, sweep.sources, sweep.queries);
    return out;
}

} // namespace kvproof::report
