#pragma once

#include <string>
#include <vector>

namespace kvproof::report {

/// A point of a drawing that wants its name beside it, in the drawing's units, y downwards.
struct LabelledPoint {
    double x = 0;
    double y = 0;
    std::string name;
};

/// Where a name begins and how it lies to that place.
struct PlacedLabel {
    double x = 0;
    double y = 0;          ///< the middle of the line of text
    bool right = false;    ///< the text ends at x instead of beginning there
    bool has_line = false; ///< too far from its point to be read without a line between them
};

struct LabelArea {
    double left = 0;
    double top = 0;
    double right = 0;
    double bottom = 0;
    double letter_width = 7;
    double line_height = 14;
};

/// A place for each name, in the area, over no point and over no other name wherever one of the places that
/// are tried is free: beside, above and below the point first, then farther away. The same points give the
/// same places.
[[nodiscard]] std::vector<PlacedLabel> place_labels(const std::vector<LabelledPoint>& points,
                                                    const LabelArea& area);

/// Whether two names overlap where they were placed: what a test counts.
[[nodiscard]] std::size_t overlaps(const std::vector<LabelledPoint>& points,
                                   const std::vector<PlacedLabel>& placed, const LabelArea& area);

} // namespace kvproof::report
