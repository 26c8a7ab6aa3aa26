#include "app/report/label_layout.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof::report {
namespace {

using Align = PlacedLabel::Align;

constexpr double marker = 6; ///< half the side of what a point is drawn as

/// From the nearest to the farthest: beside, below and above, at the corners, then rings around the point.
std::vector<PlacedLabel> candidates(const LabelledPoint& point) {
    constexpr double gap = 8;
    constexpr double line = 13;
    std::vector<PlacedLabel> out;
    const auto add = [&](double dx, double dy, Align align, bool far) {
        out.push_back({point.x + dx, point.y + dy, align, far});
    };
    add(gap, 0, Align::left, false);
    add(-gap, 0, Align::right, false);
    for (const double dy : {line, -line}) add(0, dy, Align::centre, false);
    for (const double dy : {9.0, -9.0, line, -line}) {
        add(gap - 2, dy, Align::left, false);
        add(2 - gap, dy, Align::right, false);
    }
    for (int ring = 1; ring <= 14; ++ring)
        for (const double angle : {0.0, 0.3, -0.3, 0.7, -0.7, 1.1, -1.1}) {
            const double reach = 14 + 11.0 * ring;
            const double dx = reach * std::cos(angle);
            const double dy = -reach * std::sin(angle);
            add(dx, dy, Align::left, true);
            add(-dx, dy, Align::right, true);
        }
    return out;
}

} // namespace

LabelBox box_of(const PlacedLabel& label, const std::string& name, const LabelArea& area) {
    const double width = area.letter_width * static_cast<double>(name.size());
    const double left = label.align == Align::left     ? label.x
                        : label.align == Align::centre ? label.x - width / 2
                                                       : label.x - width;
    return {left, label.y - area.line_height / 2, left + width, label.y + area.line_height / 2};
}

std::vector<PlacedLabel> place_labels(const std::vector<LabelledPoint>& points, const LabelArea& area,
                                      const std::vector<LabelBox>& taken) {
    std::vector<LabelBox> blocked = taken;
    for (const LabelledPoint& point : points)
        blocked.push_back({point.x - marker, point.y - marker, point.x + marker, point.y + marker});
    std::vector<PlacedLabel> out;
    for (const LabelledPoint& point : points) {
        const std::vector<PlacedLabel> tried = candidates(point);
        const auto is_free = [&](const PlacedLabel& label) {
            const LabelBox box = box_of(label, point.name, area);
            const bool inside = box.left >= area.frame.left && box.right <= area.frame.right &&
                                box.top >= area.frame.top && box.bottom <= area.frame.bottom;
            return inside &&
                   std::ranges::none_of(blocked, [&](const LabelBox& other) { return box.meets(other); });
        };
        const auto at = std::ranges::find_if(tried, is_free);
        out.push_back(at == tried.end() ? tried.front() : *at);
        blocked.push_back(box_of(out.back(), point.name, area));
    }
    return out;
}

} // namespace kvproof::report
