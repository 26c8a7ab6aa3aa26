#pragma once

// Cells of the standard normal law and what is computed from them: the tree and the optimal quantisers, once
// their certificates' points are read. Points are integers at the scale 2^-scale of the certificate.

#include "table.hpp"

#include <deque>
#include <vector>

namespace kvcheck {

struct Point {
    int infinite = 0; ///< -1 or 1: no number
    mpz_class x;
    Interval at; ///< x at the scale of enclosures
    Gauss gauss;
};

/// A boundary between cells: it lies between two points.
struct Edge {
    Point lo, hi;
    [[nodiscard]] Interval at() const { return {lo.at.lo, hi.at.hi}; }
};

struct Cell {
    Interval centroid, probability;
};

/// A partition of the line.
struct Level {
    std::vector<const Edge*> edges; ///< ascending, from -infinity to infinity
    std::vector<Cell> cells;        ///< cell i lies between edges i and i + 1
    Interval distortion;            ///< 1 - sum of P c^2
};

class Lloyd {
public:
    Lloyd(unsigned precision, unsigned scale) : fixed(precision + 64), scale_(scale) {}

    [[nodiscard]] Point point(const mpz_class& x);
    [[nodiscard]] Point infinity(int sign);
    /// c(a, b) = E[Z | a < Z < b]. Throws Undefined unless a < b.
    [[nodiscard]] Interval mean(const Point& a, const Point& b) const;
    /// Var[Z | a < Z < b] = 1 + (a phi(a) - b phi(b)) / P - c^2.
    [[nodiscard]] Interval variance(const Point& a, const Point& b) const;
    /// f(m; a, b) = 2m - c(a, m) - c(m, b).
    [[nodiscard]] Interval balance(const Point& m, const Point& a, const Point& b) const;
    /// c rises in both ends, P in the upper one.
    [[nodiscard]] Cell cell(const Edge& a, const Edge& b) const;
    [[nodiscard]] Level level(std::vector<const Edge*> edges) const;
    /// -1: the edge is <= u, 1: it is > u. Throws Undefined where that is open.
    [[nodiscard]] int side(const Edge& edge, const mpz_class& u) const;

    Fixed fixed;

private:
    unsigned scale_;
};

/// Whether the width is at most 10^-digits times the smaller end in magnitude.
[[nodiscard]] bool has_digits(const Interval& x, unsigned digits);

struct LloydTree {
    LloydTree(unsigned precision, unsigned scale) : law(precision, scale) {}
    Lloyd law;
    std::deque<Edge> edges;    ///< all of them
    std::vector<Level> levels; ///< levels[t]: depth t
    // What Quantities computed:
    std::map<std::size_t, TableLevel> rounded;
    std::map<std::size_t, Interval> table_distortion;
};

struct LloydOptimum {
    unsigned bits = 0;                ///< the scale of
    std::vector<Interval> distortion; ///< D*(t) from t = 0
};

} // namespace kvcheck
