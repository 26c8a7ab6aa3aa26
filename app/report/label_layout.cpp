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

bool is_within(const LabelBox& box, const LabelBox& frame) {
    return box.left >= frame.left && box.right <= frame.right && box.top >= frame.top &&
           box.bottom <= frame.bottom;
}

bool meets_any(const LabelBox& box, const std::vector<LabelBox>& others) {
    return std::ranges::any_of(others, [&](const LabelBox& other) { return box.meets(other); });
}

LabelBox grown(const LabelBox& box, double by) {
    return {box.left - by, box.top - by, box.right + by, box.bottom + by};
}

/// The line between a point and its name in small pieces, without its beginning and its end.
std::vector<LabelBox> line_to(const LabelledPoint& point, const PlacedLabel& label) {
    constexpr int pieces = 24;
    constexpr double half = 1;
    std::vector<LabelBox> out;
    for (int i = 4; i < pieces - 1; ++i) {
        const double x = point.x + (label.x - point.x) * i / pieces;
        const double y = point.y + (label.y - point.y) * i / pieces;
        out.push_back({x - half, y - half, x + half, y + half});
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
    std::vector<LabelBox> markers;
    for (const LabelledPoint& point : points)
        markers.push_back({point.x - marker, point.y - marker, point.x + marker, point.y + marker});
    std::vector<LabelBox> blocked = taken;
    std::vector<LabelBox> lines; // from points to their names
    std::vector<PlacedLabel> out;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::vector<PlacedLabel> tried = candidates(points[i]);
        const auto is_free = [&](const PlacedLabel& label) {
            const LabelBox box = box_of(label, points[i].name, area);
            return is_within(box, area.frame) && !meets_any(box, blocked) && !meets_any(box, markers);
        };
        const auto is_clear = [&](const PlacedLabel& label) {
            if (!is_free(label)) return false;
            const LabelBox box = box_of(label, points[i].name, area);
            if (meets_any(box, lines)) return false;
            if (!label.has_line) return true;
            // beside another point it would read as that point's name
            std::vector<LabelBox> others = markers;
            others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
            if (meets_any(grown(box, 2 * marker), others)) return false;
            const std::vector<LabelBox> line = line_to(points[i], label);
            return std::ranges::none_of(line, [&](const LabelBox& piece) {
                return meets_any(piece, blocked) || meets_any(piece, others);
            });
        };
        auto at = std::ranges::find_if(tried, is_clear);
        if (at == tried.end()) at = std::ranges::find_if(tried, is_free);
        out.push_back(at == tried.end() ? tried.front() : *at);
        blocked.push_back(box_of(out.back(), points[i].name, area));
        if (out.back().has_line)
            for (const LabelBox& piece : line_to(points[i], out.back())) lines.push_back(piece);
    }
    return out;
}

} // namespace kvproof::report
