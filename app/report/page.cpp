#include "app/report/page.hpp"

#include "lib/error.hpp"
#include "lib/exact/mathml_elements.hpp"
#include "lib/version.hpp"

#include <algorithm>

namespace kvproof::report {
namespace {

Data page_data(const Results& results, const std::vector<Chapter>& chapters, const PageOptions& options) {
    Data page(Data::type::object);
    page.set("program", std::string(version()));
    page.set("style", std::string(style_sheet()));
    page.set("has_verify", results.verify.has_value());
    page.set("version", results.verify ? results.verify->version : std::string(version()));
    page.set("has_audit", false);
    if (results.verify) {
        set_verdicts(page, results, options);
        set_audit(page, *results.verify);
    }
    Data list(Data::type::list);
    for (const Chapter& chapter : chapters) {
        Data figures(Data::type::list);
        for (const Figure& figure : chapter.figures) figures.push_back(figure_data(figure, options));
        Data entry(Data::type::object);
        entry.set("chapter_id", chapter.id);
        entry.set("chapter_title", chapter.title);
        entry.set("introduction", chapter.introduction);
        entry.set("figures", figures);
        list.push_back(entry);
    }
    page.set("chapters", list);
    Data sources(Data::type::list);
    for (const Source& source : results.sources) {
        Data entry(Data::type::object);
        entry.set("source_name", source.name);
        entry.set("source_kind", source.kind);
        entry.set("source_sha256", source.sha256);
        sources.push_back(entry);
    }
    page.set("sources", sources);
    return page;
}

/// Text in Markdown: nothing in it is taken for markup, and it stays on its line.
std::string markdown_text(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (std::string_view("\\`*_[]<>|#&~").find(c) != std::string_view::npos) out += '\\';
        out += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
    }
    return out;
}

/// One short word, such as a number: it stays on its line.
bool is_word(const std::string& text) {
    constexpr std::size_t longest = 26;
    return text.size() <= longest && text.find(' ') == std::string::npos;
}

template <class Escape>
std::string fill(std::string_view text, std::string_view table, Data page, const Escape& escape) {
    page.set("table", kainjow::mustache::partial([table] { return std::string(table); }));
    kainjow::mustache::mustache filled{std::string(text)};
    if (!filled.is_valid())
        throw Error(ErrorCode::internal, "the report's template: " + filled.error_message());
    filled.set_custom_escape(escape);
    std::string out = filled.render(page);
    if (!filled.error_message().empty())
        throw Error(ErrorCode::internal, "the report's template: " + filled.error_message());
    return out;
}

} // namespace

void set_text(Data& data, const std::string& name, const std::string& text) {
    data.set(name, text);
    data.set("has_" + name, !text.empty());
}

Data table_data(const Table& table) {
    Data out(Data::type::object);
    out.set("table_caption", table.caption);
    Data columns(Data::type::list);
    for (const std::string& column : table.columns) columns.push_back(Data("column", column));
    out.set("columns", columns);
    // names of claims lead to what is said of them
    const bool links = !table.columns.empty() && table.columns.front() == "claim";
    constexpr std::size_t sentence = 60;
    constexpr std::string_view common_prefix = "paper.audit.";
    Data rows(Data::type::list);
    for (const auto& row : table.rows) {
        Data cells(Data::type::list);
        for (std::size_t i = 1; i < row.size(); ++i) {
            Data cell(Data::type::object);
            cell.set("cell", row[i]);
            cell.set("is_short", is_word(row[i]));
            cell.set("is_text", !is_word(row[i]) && row[i].size() <= sentence);
            cell.set("is_sentence", row[i].size() > sentence);
            cells.push_back(cell);
        }
        Data entry(Data::type::object);
        const std::string& head = row.front();
        entry.set("head", head);
        entry.set("head_text",
                  head.starts_with(common_prefix) && links ? head.substr(common_prefix.size()) : head);
        entry.set("is_claim", links);
        entry.set("is_plain", !links);
        entry.set("cells", cells);
        rows.push_back(entry);
    }
    out.set("rows", rows);
    return out;
}

Data figure_data(const Figure& figure, const PageOptions& options) {
    Data out(Data::type::object);
    out.set("figure_id", figure.id);
    out.set("figure_title", figure.title);
    out.set("figure_caption", figure.caption);
    out.set("alternative", figure.alternative);
    set_text(out, "svg", figure.svg);
    set_text(out, "plot_file",
             figure.svg.empty() || options.plots_folder.empty()
                 ? ""
                 : options.plots_folder + "/" + figure.id + ".svg");
    out.set("has_table", !figure.table.rows.empty());
    out.set("is_long", figure.table.rows.size() > 12 && !figure.svg.empty());
    out.set("is_short", figure.table.rows.size() <= 12 || figure.svg.empty());
    out.set("numbers", table_data(figure.table));
    return out;
}

std::string html_page(const Results& results, const std::vector<Chapter>& chapters,
                      const PageOptions& options) {
    return fill(html_template(), html_table_template(), page_data(results, chapters, options),
                [](const std::string& text) { return mathml::escaped(text); });
}

std::string markdown_page(const Results& results, const std::vector<Chapter>& chapters,
                          const PageOptions& options) {
    return fill(markdown_template(), markdown_table_template(), page_data(results, chapters, options),
                markdown_text);
}

} // namespace kvproof::report
