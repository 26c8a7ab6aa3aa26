#pragma once

#include "app/report/figure.hpp"

namespace kvproof::report {

/// Draws the figures with gnuplot: fills `svg` with one element <svg> that can stand inside a page. Nothing
/// of it depends on the machine: no startup files, no locale, no version, no colours but those of the script,
/// black being the colour of the page's text. Throws Error(file_not_readable) where gnuplot is not installed,
/// Error(bad_file_format) with gnuplot's own words where it cannot draw what the results hold.
void draw(std::vector<Figure>& figures);

/// Text as a quoted string of gnuplot in which nothing is expanded or run: control characters
/// become spaces, backquotes question marks, apostrophes and backslashes their like that gnuplot does not
/// know.
[[nodiscard]] std::string quoted(const std::string& text);

/// A number as gnuplot reads it, nine digits, whatever the locale; NaN for what is not finite.
[[nodiscard]] std::string number(double value);

/// A named block of data, a line for each row.
[[nodiscard]] std::string data_block(const std::string& name, const std::vector<std::vector<double>>& rows);

} // namespace kvproof::report
