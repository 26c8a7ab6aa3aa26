#include "probe_ball.hpp"

#include <algorithm>

namespace kvcheck {
namespace {

using Points = std::vector<const mpz_class*>;

struct Ball {
    std::vector<mpq_class> centre;
    mpq_class radius; ///< squared
    Points support;
};

mpq_class squared(const std::vector<mpq_class>& centre, const mpz_class* point) {
    mpq_class sum;
    for (std::size_t k = 0; k < centre.size(); ++k) {
        const mpq_class difference = centre[k] - point[k];
        sum += difference * difference;
    }
    return sum;
}

/// Elimination without pivots other than the first that is not zero; the system has one solution.
std::vector<mpq_class> solved(std::vector<std::vector<mpq_class>> rows) {
    const std::size_t n = rows.size();
    for (std::size_t i = 0; i < n; ++i) {
        std::size_t pivot = i;
        while (rows.at(pivot)[i] == 0) ++pivot;
        std::swap(rows[i], rows[pivot]);
        for (std::size_t j = i + 1; j < n; ++j) {
            const mpq_class factor = rows[j][i] / rows[i][i];
            for (std::size_t k = i; k <= n; ++k) rows[j][k] -= factor * rows[i][k];
        }
    }
    std::vector<mpq_class> out(n);
    for (std::size_t i = n; i-- > 0;) {
        mpq_class rest = rows[i][n];
        for (std::size_t k = i + 1; k < n; ++k) rest -= rows[i][k] * out[k];
        out[i] = rest / rows[i][i];
    }
    return out;
}

/// The smallest ball with all these affinely independent points on its boundary.
Ball through(const Points& on, std::size_t numbers) {
    Ball ball{{on[0], on[0] + numbers}, 0, on};
    if (on.size() == 1) return ball;
    std::vector<std::vector<mpz_class>> edges;
    for (std::size_t i = 1; i < on.size(); ++i) {
        edges.emplace_back();
        for (std::size_t k = 0; k < numbers; ++k) edges.back().push_back(on[i][k] - on[0][k]);
    }
    std::vector<std::vector<mpq_class>> rows;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        rows.emplace_back();
        for (std::size_t j = 0; j <= edges.size(); ++j) {
            mpz_class product;
            for (std::size_t k = 0; k < numbers; ++k)
                product += edges[i][k] * edges[j == edges.size() ? i : j][k];
            rows.back().emplace_back(j == edges.size() ? product : mpz_class(2 * product));
        }
    }
    const std::vector<mpq_class> weights = solved(std::move(rows));
    for (std::size_t i = 0; i < edges.size(); ++i)
        for (std::size_t k = 0; k < numbers; ++k) ball.centre[k] += weights[i] * edges[i][k];
    ball.radius = squared(ball.centre, on[0]);
    return ball;
}

/// Welzl: the smallest ball around the first `count` points that has `on` on its boundary. A point outside
/// the ball of the others lies on the boundary, and is affinely independent of what already lies there.
Ball around(const Points& points, std::size_t count, const Points& on, std::size_t numbers) {
    if (count == 0 || on.size() == numbers + 1) return through(on, numbers);
    const mpz_class* last = points[count - 1];
    if (count > 1 || !on.empty()) {
        Ball ball = around(points, count - 1, on, numbers);
        if (squared(ball.centre, last) <= ball.radius) return ball;
    }
    Points more = on;
    more.push_back(last);
    return around(points, count - 1, more, numbers);
}

} // namespace

mpq_class squared_radius(const std::vector<const mpz_class*>& points, std::size_t numbers) {
    if (numbers == 1) {
        const auto [low, high] = std::minmax_element(
            points.begin(), points.end(), [](const mpz_class* a, const mpz_class* b) { return *a < *b; });
        const mpz_class range = **high - **low;
        mpq_class radius(range * range, 4);
        radius.canonicalize();
        return radius;
    }
    Ball ball = through({points[0]}, numbers);
    while (true) { // each time with the farthest point: the radius grows
        const mpz_class* farthest = points[0];
        mpq_class distance = -1;
        for (const mpz_class* point : points) {
            const mpq_class d = squared(ball.centre, point);
            if (d > distance) {
                distance = d;
                farthest = point;
            }
        }
        if (distance <= ball.radius) return ball.radius;
        Points few = ball.support;
        few.push_back(farthest);
        ball = around(few, few.size(), {}, numbers);
    }
}

mpq_class set_loss(const ProbeFamily& family, std::size_t y, const std::vector<std::size_t>& members) {
    std::vector<const mpz_class*> points;
    for (const std::size_t x : members) points.push_back(family.target(y, x));
    return squared_radius(points, family.numbers) / family.unit;
}

bool pair_loses(const ProbeFamily& family, std::size_t y, std::size_t a, std::size_t b,
                const mpq_class& value) {
    const mpz_class* u = family.target(y, a);
    const mpz_class* v = family.target(y, b);
    mpz_class sum;
    for (std::size_t k = 0; k < family.numbers; ++k) {
        const mpz_class difference = u[k] - v[k];
        sum += difference * difference;
    }
    return sum * value.get_den() >= 4 * value.get_num() * family.unit;
}

} // namespace kvcheck
