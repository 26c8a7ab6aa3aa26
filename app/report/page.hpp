#pragma once

#include "app/report/figure.hpp"
#include "app/report/page_data.hpp"
#include "app/report/results.hpp"

namespace kvproof::report {

/// A group of figures under one heading.
struct Chapter {
    std::string id;
    std::string title;
    std::string introduction;
    std::vector<Figure> figures;
};

/// All figures that the results have numbers for; `svg` is still empty.
[[nodiscard]] std::vector<Chapter> chapters_of(const Results& results);

/// One HTML file that needs nothing beside it.
[[nodiscard]] std::string html_page(const Results& results, const std::vector<Chapter>& chapters,
                                    const PageOptions& options);

/// The same content as Markdown, with links to drawings where there is a folder for them.
[[nodiscard]] std::string markdown_page(const Results& results, const std::vector<Chapter>& chapters,
                                        const PageOptions& options);

/// The templates, compiled in from app/report/templates.
[[nodiscard]] std::string_view html_template();
[[nodiscard]] std::string_view markdown_template();
[[nodiscard]] std::string_view html_table_template();
[[nodiscard]] std::string_view markdown_table_template();
[[nodiscard]] std::string_view style_sheet();

} // namespace kvproof::report
