#pragma once

#include "app/report/figure.hpp"

namespace kvproof::report {

/// What gnuplot drew, as one element <svg> inside a page: without prolog and version, with the figure's title
/// and description, every id beginning with the figure's, black turned into the colour of the text around it.
/// Throws Error(internal) for anything but gnuplot's SVG.
[[nodiscard]] std::string inline_svg(const std::string& drawn, const Figure& figure);

} // namespace kvproof::report
