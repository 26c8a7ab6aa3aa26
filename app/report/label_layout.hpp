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

/// An upright rectangle of the drawing.
struct LabelBox {
    double left = 0;
    double top = 0;
    double right = 0;
    double bottom = 0;

    [[nodiscard]] bool meets(const LabelBox& other) const {
        return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
    }
};

/// Where a name lies: the middle of its line of text, and whether it begins, is centred or ends there.
struct PlacedLabel {
    enum class Align { left, centre, right };
    double x = 0;
    double y = 0;
    Align align = Align::left;
    bool has_line = false; ///< too far from its point to be read without a line between them
};

/// Where names may lie, and how large their letters are.
struct LabelArea {
    LabelBox frame;
    double letter_width = 7;
    double line_height = 14;
};

/// A place for each name, in the frame, over no point, no other name and none of the boxes, wherever one of
/// the places that are tried is free: beside, above and below the point first, then farther away. The same
/// points give the same places.
[[nodiscard]] std::vector<PlacedLabel> place_labels(const std::vector<LabelledPoint>& points,
                                                    const LabelArea& area,
                                                    const std::vector<LabelBox>& taken);

/// What a placed name covers.
[[nodiscard]] LabelBox box_of(const PlacedLabel& label, const std::string& name, const LabelArea& area);

} // namespace kvproof::report
