// The smallest enclosing ball: all points inside, and none smaller, by other methods.
#include "sim/probe/enclosing_ball.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;

namespace {

struct Plane {
    Rational x;
    Rational y;
};

Rational far(const std::vector<Plane>& points, const Plane& centre) {
    Rational most = 0;
    for (const Plane& p : points)
        most = std::max(most,
                        Rational((p.x - centre.x) * (p.x - centre.x) + (p.y - centre.y) * (p.y - centre.y)));
    return most;
}

/// The least of the largest distances from the midpoints of all pairs and the circumcentres of all triples.
Rational smallest_by_brute_force(const std::vector<Plane>& points) {
    Rational best = far(points, points.front());
    const auto sq = [](const Plane& p) { return Rational(p.x * p.x + p.y * p.y); };
    for (const Plane& a : points)
        for (const Plane& b : points) {
            best = std::min(best, far(points, {(a.x + b.x) / 2, (a.y + b.y) / 2}));
            for (const Plane& c : points) {
                const Rational area = 2 * (a.x * (b.y - c.y) + b.x * (c.y - a.y) + c.x * (a.y - b.y));
                if (area == 0) continue;
                const Plane centre{(sq(a) * (b.y - c.y) + sq(b) * (c.y - a.y) + sq(c) * (a.y - b.y)) / area,
                                   (sq(a) * (c.x - b.x) + sq(b) * (a.x - c.x) + sq(c) * (b.x - a.x)) / area};
                best = std::min(best, far(points, centre));
            }
        }
    return best;
}

std::vector<Rational> drawn(int count, int dim, int most) {
    std::vector<Rational> out;
    for (int i = 0; i < count * dim; ++i)
        out.emplace_back(*rc::gen::inRange(-most, most + 1), *rc::gen::element(1, 1, 2, 3));
    return out;
}

Rational farthest(const std::vector<Rational>& points, const std::vector<Rational>& centre) {
    Rational most = 0;
    for (std::size_t i = 0; i < points.size(); i += centre.size()) {
        Rational sum = 0;
        for (std::size_t c = 0; c < centre.size(); ++c)
            sum += (points[i + c] - centre[c]) * (points[i + c] - centre[c]);
        most = std::max(most, sum);
    }
    return most;
}

bool is_smallest_in_the_plane(const std::vector<Rational>& points, const Ball& ball) {
    std::vector<Plane> plane;
    for (std::size_t i = 0; i < points.size(); i += 2) plane.push_back({points[i], points[i + 1]});
    return farthest(points, ball.centre) == ball.radius_sq &&
           ball.radius_sq == smallest_by_brute_force(plane);
}

RC_GTEST_PROP(EnclosingBall, is_the_smallest_of_all_pairs_and_triples, ()) {
    const std::vector<Rational> points = drawn(*rc::gen::inRange(1, 12), 2, *rc::gen::element(1, 3, 20));
    RC_ASSERT(is_smallest_in_the_plane(points, enclosing_ball(points, 2)));
}

TEST(EnclosingBall, the_middle_of_the_box_is_not_the_centre) {
    const std::vector<Rational> points = {0, 0, 4, 1, 1, 4};
    const Ball ball = enclosing_ball(points, 2);
    EXPECT_TRUE(is_smallest_in_the_plane(points, ball));
    const std::vector<Rational> middle = {2, 2};
    EXPECT_FALSE(is_smallest_in_the_plane(points, {middle, farthest(points, middle)}));
    EXPECT_FALSE(is_smallest_in_the_plane(points, {ball.centre, ball.radius_sq - Rational(1, 100)}));
    EXPECT_EQ(enclosing_ball(std::vector<Rational>{0, 0, 2, 0, 1, Rational(1, 2)}, 2).radius_sq, 1); // obtuse
}

/// The largest distance is convex in the centre: where no small step makes it smaller, none is better.
RC_GTEST_PROP(EnclosingBall, no_step_makes_it_smaller, ()) {
    const int dim = *rc::gen::inRange(1, 6);
    const std::vector<Rational> points = drawn(*rc::gen::inRange(1, 16), dim, 4);
    const Ball ball = enclosing_ball(points, dim);
    RC_ASSERT(farthest(points, ball.centre) == ball.radius_sq);
    for (int step = 0; step < 30; ++step) {
        std::vector<Rational> centre = ball.centre;
        for (Rational& entry : centre) entry += Rational(*rc::gen::inRange(-9, 10), 1000 * (1 + step));
        RC_ASSERT(farthest(points, centre) >= ball.radius_sq);
        // and the step towards any point
        const std::size_t to = *rc::gen::inRange<std::size_t>(0, points.size() / dim);
        centre = ball.centre;
        for (int c = 0; c < dim; ++c) centre[c] += (points[to * dim + c] - centre[c]) / 1000;
        RC_ASSERT(farthest(points, centre) >= ball.radius_sq);
    }
}

// Trying all supports of 64 points would be 10^10 systems.
TEST(EnclosingBall, of_many_points_in_eight_dimensions) {
    std::vector<Rational> points;
    for (unsigned corner = 0; corner < 64; ++corner) // of a cube, so that many supports are as good
        for (unsigned c = 0; c < 8; ++c) points.emplace_back(c < 6 ? 2 * (corner >> c & 1U) : 0);
    const Ball ball = enclosing_ball(points, 8);
    EXPECT_EQ(ball.radius_sq, 6);
    EXPECT_EQ(ball.centre, (std::vector<Rational>{1, 1, 1, 1, 1, 1, 0, 0}));
}

TEST(EnclosingBall, a_set_loses_its_radius_over_scale_and_dimension) {
    const Family family{
        .name = "three", .sources = 3, .queries = 1, .dim = 2, .scale = 5, .targets = {0, 0, 6, 0, 3, 4}};
    EXPECT_EQ(set_loss(family, 0, 0), 0);
    EXPECT_EQ(set_loss(family, 4, 0), 0);
    EXPECT_EQ(set_loss(family, 3, 0), Rational(9, 10));
    // the third point lies outside that ball: R = abc / (4 area) = 6 25 / 48
    EXPECT_EQ(set_loss(family, 7, 0), Rational(150 * 150, 48 * 48 * 10));
}

} // namespace
