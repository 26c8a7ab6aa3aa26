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

/// From the weakest to the strongest, as `kvproof probe` has them at one budget.
std::vector<std::string> classes_of(const ProbeSweep& sweep) {
    std::vector<std::string> out;
    for (const ProbeRow& row : sweep.rows)
        if (std::ranges::find(out, row.access) == out.end()) out.push_back(row.access);
    std::stable_partition(out.begin(), out.end(),
                          [](const std::string& name) { return name != "branching"; });
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

// In the units of the drawing.
constexpr double legend_height = 62;
constexpr double title_height = 26;
constexpr double foot_height = 44;
constexpr double panel_height = 264;
constexpr double axis_height = 12; ///< room for the label of the lowest axes

/// What all panels share.
struct Layout {
    std::vector<std::string> classes;
    std::vector<int> bits;
    int least_probes = 0;
    int most_probes = 0;
    double highest = 0;
    double height = 0;
    std::size_t columns = 1;
};

Layout layout_of(const ProbeSweep& sweep) {
    Layout out;
    out.classes = classes_of(sweep);
    std::set<int> bits;
    std::set<int> probes;
    for (const ProbeRow& row : sweep.rows) {
        bits.insert(row.bits);
        probes.insert(row.probes);
        for (const auto* const ends : {&row.deterministic, &row.randomised})
            if (*ends) out.highest = std::max(out.highest, to_double((*ends)->upper));
    }
    for (const ProbeSide& side : sweep.beside)
        if (!side.readkv.empty()) out.highest = std::max(out.highest, to_double(side.readkv));
    out.bits.assign(bits.begin(), bits.end());
    out.least_probes = *probes.begin();
    out.most_probes = *probes.rbegin();
    out.columns = bits.size() > 1 ? 2 : 1;
    const std::size_t lines = (bits.size() + out.columns - 1) / out.columns;
    out.height = legend_height + panel_height * double(lines) + axis_height;
    return out;
}

/// Where a class stands beside its number of probes; the last place is ReadKV's own reader's.
double place(int probes, std::size_t index, const Layout& layout) {
    constexpr double spread = 0.72;
    return probes + spread * ((double(index) + 0.5) / double(layout.classes.size() + 1) - 0.5);
}

const char* colour_of(std::size_t index, const Layout& layout) {
    return index == layout.classes.size() ? "black" : palette[index % palette.size()];
}

/// Symbols, then colours.
std::string legend(const Layout& layout) {
    std::string out = "set label 1 '● no coins     ○ public coins, best known     × ReadKV' at screen 0.5," +
                      kvproof::report::number(1 - 14 / layout.height) + " center noenhanced\n";
    double at = 0.07;
    for (std::size_t c = 0; c < layout.classes.size(); ++c) {
        out += fmt::format("set label {} {} at screen {},{} left noenhanced tc rgb '{}'\n", c + 2,
                           quoted("● " + layout.classes[c]), kvproof::report::number(at),
                           kvproof::report::number(1 - 38 / layout.height), colour_of(c, layout));
        at += 0.045 + 0.0115 * double(layout.classes[c].size());
    }
    return out;
}

/// The strokes of one number of stored bits.
std::string panel(const ProbeSweep& sweep, const Layout& layout, int w, std::string& blocks) {
    const std::size_t slots = layout.classes.size() + 1;
    std::vector<std::vector<std::vector<double>>> drawn(slots);
    std::vector<std::vector<double>> coins;
    for (const ProbeRow& row : sweep.rows) {
        if (row.bits != w) continue;
        const auto at = std::ranges::find(layout.classes, row.access);
        const auto c = static_cast<std::size_t>(at - layout.classes.begin());
        const double x = place(row.probes, c, layout);
        if (row.deterministic) drawn[c].push_back({x, to_double(row.deterministic->upper)});
        if (row.randomised) coins.push_back({x, to_double(row.randomised->upper)});
    }
    for (const ProbeSide& side : sweep.beside)
        if (side.bits == w && !side.readkv.empty())
            drawn.back().push_back({place(side.probes, slots - 1, layout), to_double(side.readkv)});
    std::string plots;
    const auto add = [&](const std::string& name, const std::vector<std::vector<double>>& rows,
                         const std::string& style) {
        if (rows.empty()) return;
        blocks += data_block(name, rows);
        plots += fmt::format("{}${} using 1:2 {} notitle", plots.empty() ? "" : ", ", name, style);
    };
    for (std::size_t c = 0; c < slots; ++c) {
        const std::string name = fmt::format("w{}c{}", w, c);
        const char* const colour = colour_of(c, layout);
        add(name, drawn[c], fmt::format("with impulses lw 2 lc rgb '{}'", colour));
        add(name + "p", drawn[c],
            fmt::format("with points pt {} ps 0.7 lc rgb '{}'", c + 1 == slots ? 2 : 7, colour));
    }
    add(fmt::format("w{}coins", w), coins, "with points pt 6 ps 1.0 lc rgb 'black'");
    return plots.empty() ? "NaN notitle" : plots;
}

std::string drawing_of(const ProbeSweep& sweep, const Layout& layout) {
    const double top = layout.highest > 0 ? layout.highest * 1.12 : 1;
    std::string blocks;
    std::string out;
    for (std::size_t i = 0; i < layout.bits.size(); ++i) {
        const std::size_t column = i % layout.columns;
        const std::size_t line = i / layout.columns;
        const double above = legend_height + panel_height * double(line);
        const double left = column == 0 ? 0.12 : 0.61;
        const bool is_lowest = i + layout.columns >= layout.bits.size();
        out += fmt::format(
            "set lmargin at screen {}\nset rmargin at screen {}\nset tmargin at screen {}\n"
            "set bmargin at screen {}\nset title 'w = {} stored bits' offset 0,-0.6\n"
            "set ylabel '{}' offset 1.5,0\nset xlabel '{}' offset 0,0.4\nplot {}\nunset label\n",
            kvproof::report::number(left), kvproof::report::number(layout.columns == 1 ? 0.98 : left + 0.37),
            kvproof::report::number(1 - (above + title_height) / layout.height),
            kvproof::report::number(1 - (above + panel_height - foot_height) / layout.height), layout.bits[i],
            column == 0 ? "worst squared error" : "", is_lowest ? "probes r (bits read)" : "",
            panel(sweep, layout, layout.bits[i], blocks));
    }
    return blocks + legend(layout) +
           fmt::format("set multiplot\nset xrange [{}:{}]\nset yrange [{}:{}]\nset xtics 1\nset grid nox\n",
                       layout.least_probes - 0.5, layout.most_probes + 0.5,
                       kvproof::report::number(-0.03 * top), kvproof::report::number(top)) +
           out + "unset multiplot";
}

} // namespace

Figure probe_figure(const ProbeSweep& sweep, std::size_t number) {
    const Layout layout = layout_of(sweep);
    Figure out;
    out.id = "probe-" + std::to_string(number);
    out.title = "Risks by class of readers: " + sweep.family;
    out.table = table_of(sweep);
    out.height = static_cast<int>(layout.height);
    out.script = drawing_of(sweep, layout);
    std::string names;
    for (const std::string& name : layout.classes) names += (names.empty() ? "" : ", ") + name;
    out.alternative = "For each number of stored bits a panel, the number of probes across, the worst "
                      "squared error upwards, one "
                      "stroke for each class of readers: " +
                      names + ". The table below has all values.";
    out.caption = fmt::format("Exact minimax risks on the finite family {} ({} sources, {} queries), a panel "
                              "for each number w of stored bits. "
                              "Filled: protocols without coins; circles: the upper end of what public coins "
                              "reach; crosses: ReadKV's own "
                              "reader at that budget, where its layout fits. A point on the axis is risk 0. "
                              "A class staged:J with J ≥ r is branching, and has no point of its own there.",
                              sweep.family, sweep.sources, sweep.queries);
    return out;
}

} // namespace kvproof::report
