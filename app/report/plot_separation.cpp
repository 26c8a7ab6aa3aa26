#include "app/report/fields.hpp"
#include "app/report/gnuplot.hpp"
#include "app/report/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace kvproof::report {
namespace {

/// Probes over dimension in lowest terms.
std::pair<long, long> ratio_of(const SeparationTable& table) {
    const long common = std::gcd(table.probes, table.dimension);
    return {table.probes / common, table.dimension / common};
}

/// Neighbouring k with one answer become one stroke.
void add_strokes(const SeparationTable& table,
                 std::map<std::string, std::vector<std::vector<double>>>& strokes) {
    constexpr double half = 0.42;
    const auto& rows = table.rows;
    for (std::size_t i = 0; i < rows.size();) {
        std::size_t last = i;
        while (last + 1 < rows.size() && rows[last + 1].certified == rows[i].certified &&
               rows[last + 1].k == rows[last].k + 1)
            ++last;
        strokes[rows[i].certified].push_back(
            {double(table.dimension), double(rows[i].k) - half, double(rows[last].k - rows[i].k) + 2 * half});
        i = last + 1;
    }
}

std::vector<std::string> row_of(const SeparationTable& table) {
    long certified = 0;
    const SeparationRow* greatest = nullptr;
    for (const SeparationRow& row : table.rows) {
        if (row.certified != "yes") continue;
        ++certified;
        if (greatest == nullptr || row.k > greatest->k) greatest = &row;
    }
    const std::string d = std::to_string(table.dimension);
    const std::string of = fmt::format("{} of {}", certified, table.rows.size());
    if (greatest == nullptr) return {d, of, "–", "–", "–", "–"};
    return {d,
            of,
            std::to_string(greatest->k),
            std::to_string(greatest->depth),
            shortened(greatest->factor, 9),
            shortened(table.rows.front().factor, 9)};
}

std::string ratio_text(std::pair<long, long> ratio) {
    return ratio.second == 1 ? std::to_string(ratio.first) : fmt::format("{}/{}", ratio.first, ratio.second);
}

} // namespace

std::vector<Figure> separation_figures(const std::vector<SeparationTable>& tables) {
    std::map<std::pair<long, long>, std::vector<const SeparationTable*>> by_ratio;
    for (const SeparationTable& table : tables) by_ratio[ratio_of(table)].push_back(&table);
    std::vector<Figure> out;
    for (auto& [ratio, group] : by_ratio) {
        std::ranges::sort(group, {}, &SeparationTable::dimension);
        Figure figure;
        figure.id = fmt::format("separation-{}-{}", ratio.first, ratio.second);
        const std::string name = ratio_text(ratio);
        figure.title = fmt::format("Where Theorem 1 certifies a separation, r = {} d", name);
        std::map<std::string, std::vector<std::vector<double>>> strokes = {
            {"yes", {}}, {"no", {}}, {"unknown", {}}};
        for (const SeparationTable* const table : group) {
            add_strokes(*table, strokes);
            figure.table.rows.push_back(row_of(*table));
        }
        figure.table.caption = fmt::format("r = {} d: sparsities k with a certificate", name);
        figure.table.columns = {"d", "k certified", "largest k", "its L", "factor there", "factor at k = 1"};
        figure.alternative =
            fmt::format("Dimension d across, sparsity k upwards, at r = {} d probes: a solid bar over the "
                        "sparsities with a certificate, a dotted line over those without.",
                        name);
        figure.caption =
            fmt::format("ReadKV's upper bound k ε_L²/d lies below the converse for query-independent readers "
                        "(bars) or does not "
                        "(dotted: the sufficient condition fails; nothing is claimed there). r = {} d "
                        "probes; L = the deepest "
                        "admissible prefix, at most 8. The factor is the converse over ReadKV's bound.",
                        name);
        const double lowest = double(group.front()->dimension);
        const double highest = double(group.back()->dimension);
        figure.script =
            data_block("yes", strokes["yes"]) + data_block("no", strokes["no"]) +
            data_block("unknown", strokes["unknown"]) +
            fmt::format("set logscale xy 2\nset xrange [{}:{}]\nset yrange [0.5:{}]\nset format xy '%g'\n"
                        "set xlabel 'dimension d'\nset ylabel 'sparsity k of the query'\n",
                        number(lowest / 1.5), number(highest * 1.5), number(highest * 2));
        std::string plots;
        const auto layer = [&](const char* block, const char* title, const char* style) {
            if (strokes[block].empty()) return;
            plots += fmt::format("{}${} using 1:2:(0):3 with vectors nohead {} title '{}'",
                                 plots.empty() ? "" : ", ", block, style, title);
        };
        layer("yes", "separation certified", fmt::format("lw 14 lc rgb '{}'", palette[0]).c_str());
        layer("no", "not certified", fmt::format("lw 2 dt 3 lc rgb '{}'", palette[1]).c_str());
        layer("unknown", "undecided", fmt::format("lw 8 lc rgb '{}'", palette[5]).c_str());
        if (!plots.empty()) figure.script += "plot " + plots;
        if (plots.empty()) figure.script.clear();
        out.push_back(std::move(figure));
    }
    return out;
}

} // namespace kvproof::report
