#include "app/report/label_layout.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof::report {
namespace {

struct Box {
    double left;
    double top;
    double right;
    double bottom;

    [[nodiscard]] bool meets(const Box& other) const {
        return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
    }
};

constexpr double marker = 5; ///< half the side of what a point is drawn as

Box box_of(const PlacedLabel& label, const std::string& name, const LabelArea& area) {
    const double width = area.letter_width * static_cast<double>(name.size());
    const double left = label.right ? label.x - width : label.x;
    return {left, label.y - area.line_height / 2, left + width, label.y + area.line_height / 2};
}

/// From the nearest to the farthest: rings around the point, on each the places to the right before those to
/// the left.
std::vector<PlacedLabel> candidates(const LabelledPoint& point) {
    std::vector<PlacedLabel> out;
    constexpr double gap = 8;
    for (const double dy : {0.0, -9.0, 9.0, -14.0, 14.0})
        for (const bool right : {false, true})
            out.push_back({point.x + (right ? -gap : gap), point.y + dy, right, false});
    for (int ring = 1; ring <= 12; ++ring)
        for (const double angle : {0.3, -0.3, 0.8, -0.8, 1.3, -1.3})
            for (const bool right : {false, true}) {
                const double reach = 14.0 + 12.0 * ring;
                const double dx = (right ? -1 : 1) * reach * std::cos(angle);
                out.push_back({point.x + dx, point.y - reach * std::sin(angle), right, true});
            }
    return out;
}

} // namespace

std::vector<PlacedLabel> place_labels(const std::vector<LabelledPoint>& points, const LabelArea& area) {
    std::vector<Box> taken;
    for (const LabelledPoint& point : points)
        taken.push_back({point.x - marker, point.y - marker, point.x + marker, point.y + marker});
    std::vector<PlacedLabel> out;
    for (const LabelledPoint& point : points) {
        std::vector<PlacedLabel> tried = candidates(point);
        const auto free = [&](const PlacedLabel& label) {
            const Box box = box_of(label, point.name, area);
            const bool inside = box.left >= area.left && box.right <= area.right && box.top >= area.top &&
                                box.bottom <= area.bottom;
            return inside && std::ranges::none_of(taken, [&](const Box& other) { return box.meets(other); });
        };
        const auto at = std::ranges::find_if(tried, free);
        out.push_back(at == tried.end() ? tried.front() : *at);
        taken.push_back(box_of(out.back(), point.name, area));
    }
    return out;
}

std::size_t overlaps(const std::vector<LabelledPoint>& points, const std::vector<PlacedLabel>& placed,
                     const LabelArea& area) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < placed.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (box_of(placed[i], points[i].name, area).meets(box_of(placed[j], points[j].name, area)))
                ++count;
    return count;
}

} // namespace kvproof::report
