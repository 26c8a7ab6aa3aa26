#pragma once

#include <string>
#include <vector>

namespace kvproof::report {

/// Rows of text under headings.
struct Table {
    std::string caption;
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;
};

/// A plot: what gnuplot is told, what stands below it, and the numbers it shows.
struct Figure {
    std::string id; ///< letters, digits and -, different for each figure of a report
    std::string title;
    std::string caption;
    std::string alternative; ///< what is seen, for those who do not see it
    int width = 720;         ///< in the units of the drawing, as the height
    int height = 440;
    std::string script; ///< the commands after the terminal is set; empty: a table only
    Table table;
    std::string svg; ///< filled by draw()
};

} // namespace kvproof::report
