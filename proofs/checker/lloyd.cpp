#include "lloyd.hpp"

#include <algorithm>

namespace kvcheck {

Point Lloyd::point(const mpz_class& x) {
    Point p;
    p.x = x;
    p.at = fixed.rescaled({x, x}, scale_);
    p.gauss = fixed.gauss(p.at);
    return p;
}

Point Lloyd::infinity(int sign) {
    const Interval zero = fixed.integer(0);
    return {sign, 0, zero, {zero, fixed.integer(sign > 0 ? 1 : 0)}};
}

Interval Lloyd::mean(const Point& a, const Point& b) const {
    const bool ascending = a.infinite != b.infinite ? a.infinite < b.infinite : a.infinite == 0 && a.x < b.x;
    if (!ascending) throw Undefined{};
    return fixed.div(Fixed::sub(a.gauss.density, b.gauss.density),
                     Fixed::sub(b.gauss.distribution, a.gauss.distribution));
}

Interval Lloyd::variance(const Point& a, const Point& b) const {
    const Interval c = mean(a, b);
    // An infinite point has at = 0 and phi = 0: its term is 0, as in the limit.
    const Interval ends = Fixed::sub(fixed.mul(a.at, a.gauss.density), fixed.mul(b.at, b.gauss.density));
    const Interval ratio = fixed.div(ends, Fixed::sub(b.gauss.distribution, a.gauss.distribution));
    return Fixed::sub(Fixed::add(fixed.integer(1), ratio), fixed.power(c, 2));
}

Interval Lloyd::balance(const Point& m, const Point& a, const Point& b) const {
    return Fixed::sub(Fixed::add(m.at, m.at), Fixed::add(mean(a, m), mean(m, b)));
}

Cell Lloyd::cell(const Edge& a, const Edge& b) const {
    const Interval centroid = {mean(a.lo, b.lo).lo, mean(a.hi, b.hi).hi};
    const Interval narrow = Fixed::sub(b.lo.gauss.distribution, a.hi.gauss.distribution);
    const Interval wide = Fixed::sub(b.hi.gauss.distribution, a.lo.gauss.distribution);
    return {centroid, {narrow.lo, wide.hi}};
}

Level Lloyd::level(std::vector<const Edge*> edges) const {
    Level result;
    result.distortion = fixed.integer(1);
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
        const Cell c = cell(*edges[i], *edges[i + 1]);
        result.distortion =
            Fixed::sub(result.distortion, fixed.mul(c.probability, fixed.power(c.centroid, 2)));
        result.cells.push_back(c);
    }
    result.edges = std::move(edges);
    return result;
}

int Lloyd::side(const Edge& edge, const mpz_class& u) const {
    if (edge.lo.infinite != 0) return edge.lo.infinite;
    const mpz_class at = u << scale_;
    if (edge.hi.x <= at) return -1;
    if (edge.lo.x > at) return 1;
    throw Undefined{};
}

bool has_digits(const Interval& x, unsigned digits) {
    if (sgn(x.lo) < 0 && sgn(x.hi) > 0) return false;
    mpz_class ten;
    mpz_ui_pow_ui(ten.get_mpz_t(), 10, digits);
    return (x.hi - x.lo) * ten <= std::min<mpz_class>(abs(x.lo), abs(x.hi));
}

} // namespace kvcheck
