#include "app/probe_text.hpp"
#include "lib/exact/decimal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace kvproof::app {
namespace {

constexpr int digits = 6;
constexpr Bits accuracy = 96;
constexpr std::size_t longest_fraction = 12;

/// A fraction as it is; a long one as its first digits.
std::string brief(const Rational& value) {
    std::string fraction = to_string(value);
    return fraction.size() <= longest_fraction ? fraction
                                               : shared_decimal(Interval(value, accuracy), digits) + "..";
}

std::string interval(const Rational& lower, const Rational& upper) {
    return brief(lower) == brief(upper) ? brief(lower) : "[" + brief(lower) + ", " + brief(upper) + "]";
}

/// A row of the table: its name and a cell for each budget.
struct Row {
    std::string name;
    std::vector<std::string> cells;
};

std::string table(const std::string& corner, const std::vector<Row>& rows) {
    std::vector<std::size_t> widths = {corner.size()};
    for (const Row& row : rows) {
        widths.front() = std::max(widths.front(), row.name.size());
        widths.resize(std::max(widths.size(), row.cells.size() + 1));
        for (std::size_t i = 0; i < row.cells.size(); ++i)
            widths[i + 1] = std::max(widths[i + 1], row.cells[i].size());
    }
    std::string out;
    for (const Row& row : rows) {
        std::string line = fmt::format("{:<{}}", row.name, widths.front());
        for (std::size_t i = 0; i < row.cells.size(); ++i)
            line += fmt::format("  {:<{}}", row.cells[i], widths[i + 1]);
        out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return out;
}

/// What one part of a line says, empty where there is none.
using Part = std::function<std::string(const ProbeLine&)>;

std::string deterministic_text(const ProbeLine& line) {
    return line.deterministic ? interval(line.deterministic->lower, line.deterministic->upper) : "";
}

std::string randomised_text(const ProbeLine& line) {
    return line.randomised ? interval(line.randomised->lower, line.randomised->upper) : "";
}

/// Rows of classes in the order in which they first occur with the most probes; a staged class that is
/// branching at its budget has no line of its own there.
std::vector<Row> class_rows(const std::vector<const ProbeLine*>& lines,
                            const std::vector<ProbeBeside>& budgets, const Part& part) {
    std::vector<AccessClass> classes;
    for (const ProbeLine* line : lines)
        if (std::ranges::find(classes, line->cell.access) == classes.end())
            classes.push_back(line->cell.access);
    std::ranges::stable_sort(classes, [](const AccessClass& a, const AccessClass& b) {
        return a.sees_query != b.sees_query ? b.sees_query : a.batches < b.batches;
    });
    std::vector<Row> rows;
    for (const AccessClass& access : classes) {
        Row row{to_string(access), {}};
        for (const ProbeBeside& budget : budgets) {
            const auto of = [&](const AccessClass& wanted) {
                return std::ranges::find_if(lines, [&](const ProbeLine* line) {
                    return line->cell.access == wanted && line->cell.probes == budget.probes;
                });
            };
            auto line = of(access);
            if (line == lines.end() && access.sees_query && access.batches >= budget.probes)
                line = of({true, AccessClass::unlimited});
            row.cells.push_back(line == lines.end() ? "" : part(**line));
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

Row header(int bits, const std::vector<ProbeBeside>& budgets, const std::string& what) {
    Row out{fmt::format("w = {}, {}", bits, what), {}};
    for (const ProbeBeside& budget : budgets) out.cells.push_back(fmt::format("r = {}", budget.probes));
    return out;
}

/// ReadKV and the converses, without rows that say nothing.
void add_beside(const std::vector<ProbeBeside>& budgets, std::vector<Row>& rows) {
    const auto add = [&](const std::string& name, const auto& cell) {
        Row row{name, {}};
        for (const ProbeBeside& budget : budgets) row.cells.push_back(cell(budget));
        if (std::ranges::any_of(row.cells, [](const std::string& text) { return text != "-"; }))
            rows.push_back(std::move(row));
    };
    add("ReadKV", [](const ProbeBeside& b) { return b.readkv ? brief(b.readkv->risk) : "-"; });
    add("converse >=", [](const ProbeBeside& b) {
        return b.converse && b.converse->finite ? lower_decimal(*b.converse->finite, digits) : "-";
    });
    add("solid converse >=",
        [](const ProbeBeside& b) { return b.converse ? lower_decimal(b.converse->solid, digits) : "-"; });
}

} // namespace

std::string probe_text(const ProbeReport& report) {
    const Family& family = report.family;
    std::string out =
        fmt::format("{}: {} sources, {} queries; worst squared errors, already over the scale {}\n",
                    family.name, family.sources, family.queries, family.scale.str());
    std::vector<int> widths;
    for (const ProbeBeside& beside : report.beside)
        if (widths.empty() || widths.back() != beside.bits) widths.push_back(beside.bits);
    for (const int bits : widths) {
        std::vector<ProbeBeside> budgets;
        std::ranges::copy_if(report.beside, std::back_inserter(budgets),
                             [bits](const ProbeBeside& beside) { return beside.bits == bits; });
        std::vector<const ProbeLine*> lines;
        for (const ProbeLine& line : report.lines)
            if (line.cell.bits == bits) lines.push_back(&line);
        std::vector<Row> rows;
        const auto add_part = [&](const std::string& what, const Part& part) {
            if (std::ranges::all_of(lines, [&](const ProbeLine* line) { return part(*line).empty(); }))
                return;
            rows.push_back(header(bits, budgets, what));
            std::ranges::move(class_rows(lines, budgets, part), std::back_inserter(rows));
        };
        add_part("no coins", deterministic_text);
        add_part("public coins", randomised_text);
        if (rows.empty()) rows.push_back(header(bits, budgets, "beside"));
        add_beside(budgets, rows);
        out += "\n" + table("", rows);
    }
    const bool undecided = std::ranges::any_of(report.lines, [](const ProbeLine& line) {
        return (line.deterministic && !line.deterministic->decided()) ||
               (line.randomised && !line.randomised->finished && !line.randomised->closed());
    });
    if (undecided) out += "\n[a, b]: interrupted, or beyond the engines; the risk lies between a and b\n";
    if (!family.source_points.empty())
        out += "\nconverse: a bound for query-independent readers, coins or not; solid: of the solid family "
               "that "
               "encloses\nthis one, never of this one\n";
    return out;
}

} // namespace kvproof::app
