#include "sim/probe/enclosing_ball.hpp"

#include <algorithm>
#include <optional>

namespace kvproof {
namespace {

using Point = std::vector<Rational>;

Rational distance_sq(std::span<const Rational> a, std::span<const Rational> b) {
    Rational out = 0;
    for (std::size_t i = 0; i < a.size(); ++i) out += (a[i] - b[i]) * (a[i] - b[i]);
    return out;
}

/// The point of the support's affine hull that is equally far from all of it: p_0 + sum_j t_j (p_j - p_0)
/// with 2 sum_j t_j <p_i - p_0, p_j - p_0> = |p_i - p_0|^2. Nothing where the points depend on each other:
/// then a smaller support has the same ball.
std::optional<Ball> circumscribed(const std::vector<Point>& support) {
    const std::size_t k = support.size() - 1;
    const Point& origin = support.front();
    std::vector<std::vector<Rational>> system(k, std::vector<Rational>(k + 1));
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j < k; ++j)
            for (std::size_t c = 0; c < origin.size(); ++c)
                system[i][j] += 2 * (support[i + 1][c] - origin[c]) * (support[j + 1][c] - origin[c]);
        system[i][k] = distance_sq(support[i + 1], origin);
    }
    for (std::size_t column = 0; column < k; ++column) {
        const auto pivot = std::find_if(system.begin() + static_cast<std::ptrdiff_t>(column), system.end(),
                                        [column](const auto& row) { return row[column] != 0; });
        if (pivot == system.end()) return {};
        std::iter_swap(pivot, system.begin() + static_cast<std::ptrdiff_t>(column));
        for (std::size_t i = 0; i < k; ++i) {
            if (i == column || system[i][column] == 0) continue;
            const Rational factor = system[i][column] / system[column][column];
            for (std::size_t j = column; j <= k; ++j) system[i][j] -= factor * system[column][j];
        }
    }
    Ball ball{origin, 0};
    for (std::size_t i = 0; i < k; ++i) {
        const Rational t = system[i][k] / system[i][i];
        for (std::size_t c = 0; c < origin.size(); ++c) ball.centre[c] += t * (support[i + 1][c] - origin[c]);
    }
    ball.radius_sq = distance_sq(ball.centre, origin);
    return ball;
}

/// A ball with the points that determine it.
struct Supported {
    Ball ball;
    std::vector<Point> support;
};

bool holds(const Ball& ball, const Point& point) {
    return distance_sq(point, ball.centre) <= ball.radius_sq;
}

/// Tries supports that begin with those chosen; the smallest ball that holds everything stays in `best`.
void search(const std::vector<Point>& points, std::size_t next, std::vector<Point>& support,
            std::optional<Supported>& best) {
    if (!support.empty()) {
        const std::optional<Ball> ball = circumscribed(support);
        if (!ball) return; // nor is any larger support independent
        if ((!best || ball->radius_sq < best->ball.radius_sq) &&
            std::ranges::all_of(points, [&](const Point& point) { return holds(*ball, point); }))
            best = {*ball, support};
    }
    if (support.size() > points.front().size()) return;
    for (std::size_t i = next; i < points.size(); ++i) {
        support.push_back(points[i]);
        search(points, i + 1, support, best);
        support.pop_back();
    }
}

Supported smallest_by_supports(const std::vector<Point>& points) {
    std::vector<Point> support;
    std::optional<Supported> best;
    search(points, 0, support, best);
    return *best;
}

} // namespace

Ball enclosing_ball(std::span<const Rational> points, int dim) {
    if (dim == 1) {
        const auto [least, most] = std::ranges::minmax_element(points);
        const Rational half = (*most - *least) / 2;
        return {{(*most + *least) / 2}, half * half};
    }
    std::vector<Point> all;
    for (std::size_t i = 0; i < points.size(); i += static_cast<std::size_t>(dim))
        all.emplace_back(points.begin() + static_cast<std::ptrdiff_t>(i),
                         points.begin() + static_cast<std::ptrdiff_t>(i) + dim);
    Supported found = smallest_by_supports({all.front()});
    while (true) {
        const auto far = std::ranges::max_element(
            all, {}, [&](const Point& point) { return distance_sq(point, found.ball.centre); });
        if (holds(found.ball, *far)) return found.ball;
        // The ball of the support and one point outside is larger: no support comes twice.
        found.support.push_back(*far);
        found = smallest_by_supports(found.support);
    }
}

Rational set_loss(const Family& family, std::uint64_t set, int y) {
    std::vector<Rational> points;
    for (int x = 0; x < family.sources; ++x) {
        if (((set >> static_cast<unsigned>(x)) & 1U) == 0) continue;
        const auto target = family.target(x, y);
        points.insert(points.end(), target.begin(), target.end());
    }
    if (points.empty()) return 0;
    return enclosing_ball(points, family.dim).radius_sq / Rational(family.scale * family.dim);
}

} // namespace kvproof
