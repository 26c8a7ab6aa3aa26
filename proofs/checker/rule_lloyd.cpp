#include "rules.hpp"

#include <algorithm>

namespace kvcheck {
namespace {

constexpr unsigned largest_scale = 2048;

unsigned read_scale(Check& check) {
    const std::optional<mpz_class> scale = read_integer(check.records.take("scale", 1)[0]);
    if (!scale || *scale < 0 || *scale > largest_scale) check.records.bad();
    return static_cast<unsigned>(scale->get_ui());
}

/// A number that must stand there.
void expect(Check& check, std::string_view field, std::size_t value) {
    if (field != std::to_string(value)) check.records.bad();
}

mpz_class read_point(Check& check, std::string_view field) {
    const std::optional<mpz_class> x = read_scaled(field);
    if (!x) check.records.bad();
    return *x;
}

/// Whether the signs at LO and HI enclose the split of the cell between the edges l and u.
bool encloses(const Lloyd& law, const Edge& split, const Edge& l, const Edge& u) {
    try {
        return split.lo.x < split.hi.x && sgn(law.balance(split.lo, l.lo, u.lo).hi) < 0 &&
               sgn(law.balance(split.hi, l.hi, u.hi).lo) > 0;
    } catch (const Undefined&) {
        return false;
    }
}

/// Whether everything computed at this depth, and the gain over the last one, is enclosed to so many digits.
bool has_all_digits(const Level& level, const Level& last, unsigned digits) {
    for (const Edge* edge : level.edges) {
        if (edge->lo.infinite == 0 && !has_digits(edge->at(), digits)) return false;
    }
    for (const Cell& cell : level.cells) {
        if (!has_digits(cell.centroid, digits) || !has_digits(cell.probability, digits)) return false;
    }
    return has_digits(level.distortion, digits) &&
           has_digits(Fixed::sub(last.distortion, level.distortion), digits);
}

/// The check of one level of the optimal quantisers: max |F_i| < delta R.
bool radius_holds(Lloyd& law, const std::vector<Point>& b, const std::vector<Edge>& edges,
                  const Interval& radius) {
    if (b.size() == 2) return true;
    mpz_class largest = 0;
    mpz_class delta;
    for (std::size_t i = 1; i + 1 < b.size(); ++i) {
        const bool apart = edges[i - 1].hi.x < edges[i].lo.x;
        if (!apart) return false;
        const Interval f = Fixed::abs(law.balance(b[i], b[i - 1], b[i + 1]));
        largest = std::max(largest, f.hi);
        // A normal law truncated further varies less: the smallest cells bound the variances.
        const Interval both = Fixed::add(law.variance(edges[i - 1].hi, edges[i].lo),
                                         law.variance(edges[i].hi, edges[i + 1].lo));
        delta = i == 1 ? both.lo : std::min(delta, both.lo);
    }
    return sgn(delta) > 0 && largest < law.fixed.mul({delta, delta}, radius).lo;
}

} // namespace

void check_tree(Check& check, const Formula& part) {
    auto tree = std::make_shared<LloydTree>(check.precision, read_scale(check));
    Lloyd& law = tree->law;
    const auto keep = [&tree](const Point& lo, const Point& hi) {
        tree->edges.push_back({lo, hi});
        return &tree->edges.back();
    };
    std::vector<const Edge*> edges = {keep(law.infinity(-1), law.infinity(-1)),
                                      keep(law.infinity(1), law.infinity(1))};
    std::vector<std::vector<const Edge*>> depths = {edges};
    for (unsigned t = 1; t <= part.depth; ++t) {
        std::vector<const Edge*> next;
        for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
            const auto fields = check.records.take("split", 4);
            expect(check, fields[0], t);
            expect(check, fields[1], i);
            const mpz_class lo = read_point(check, fields[2]);
            const mpz_class hi = read_point(check, fields[3]);
            if (t == 1 && (lo != 0 || hi != 0)) throw Invalid{check.records.line(), "bad_split"};
            const Edge* split = keep(law.point(lo), law.point(hi));
            if (t > 1 && !encloses(law, *split, *edges[i], *edges[i + 1])) {
                throw Invalid{check.records.line(), "bad_split"};
            }
            next.push_back(edges[i]);
            next.push_back(split);
        }
        next.push_back(edges.back());
        edges = next;
        depths.push_back(std::move(next));
    }
    try {
        for (auto& depth : depths) tree->levels.push_back(law.level(std::move(depth)));
    } catch (const Undefined&) {
        check.not_decided();
    }
    for (std::size_t t = 1; t < tree->levels.size(); ++t) {
        if (!has_all_digits(tree->levels[t], tree->levels[t - 1], part.digits)) check.not_decided();
    }
    check.tree = std::move(tree);
}

void check_symmetry(Check& check, const Formula& part) {
    const LloydTree* tree = check.quantities.tree();
    if (tree == nullptr || part.depth >= tree->levels.size()) check.not_decided();
    const std::vector<const Edge*>& edges = tree->levels[part.depth].edges;
    for (std::size_t i = 1; i + 1 < edges.size(); ++i) {
        if (edges[i]->lo.x != -edges[edges.size() - 1 - i]->hi.x) check.not_decided();
    }
}

void check_optimum(Check& check, const Formula& part) {
    const unsigned scale = read_scale(check);
    Lloyd law(check.precision, scale);
    auto optimum = std::make_shared<LloydOptimum>();
    optimum->bits = law.fixed.bits();
    optimum->distortion.push_back(law.fixed.integer(1));
    for (unsigned t = 1; t <= part.depth; ++t) {
        auto fields = check.records.take("level", 2);
        const std::size_t line = check.records.line();
        expect(check, fields[0], t);
        const mpz_class radius = read_point(check, fields[1]);
        if (t == 1 && radius != 0) throw Invalid{line, "bad_split"};

        std::vector<Point> points = {law.point(0)};
        std::vector<Edge> edges = {{points[0], points[0]}};
        for (std::size_t i = 1; i < std::size_t{1} << (t - 1); ++i) {
            fields = check.records.take("point", 2);
            expect(check, fields[0], i);
            const mpz_class b = read_point(check, fields[1]);
            points.push_back(law.point(b));
            edges.push_back({law.point(b - radius), law.point(b + radius)});
        }
        points.push_back(law.infinity(1));
        edges.push_back({points.back(), points.back()});
        try {
            if (!radius_holds(law, points, edges, law.fixed.rescaled({radius, radius}, scale)))
                throw Invalid{line, "bad_split"};
            // Above zero lies half of it: the cells below mirror.
            std::vector<const Edge*> half;
            for (const Edge& edge : edges) half.push_back(&edge);
            const Interval above = Fixed::sub(law.fixed.integer(1), law.level(half).distortion);
            const Interval both = Fixed::add(above, above);
            optimum->distortion.push_back(Fixed::sub(law.fixed.integer(1), both));
        } catch (const Undefined&) {
            throw Invalid{line, "bad_split"};
        }
    }
    for (const Interval& d : optimum->distortion) {
        if (!has_digits(d, part.digits)) check.not_decided();
    }
    check.optimum = std::move(optimum);
}

} // namespace kvcheck
