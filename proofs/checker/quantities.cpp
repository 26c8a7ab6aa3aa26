#include "quantities.hpp"

#include <algorithm>

namespace kvcheck {
namespace {

/// Entry `index` of `count`.
std::size_t entry(const mpz_class& index, std::size_t count) {
    if (index < 0 || index >= count) throw Undefined{};
    return index.get_ui();
}

/// The cell that u lies in: a boundary belongs to the cell above it.
std::size_t cell_of(const Lloyd& law, const Level& level, const mpz_class& u) {
    std::size_t i = 0;
    while (law.side(*level.edges[i + 1], u) < 0) ++i;
    return i;
}

/// sup over |u| <= 1 of |u - Q(u)|: over each cell cut to [-1, 1] it is taken at an end.
Interval epsilon(const Lloyd& law, const Level& level) {
    const Interval one = law.fixed.integer(1);
    Interval largest = law.fixed.integer(0);
    const std::size_t last = cell_of(law, level, 1);
    for (std::size_t i = cell_of(law, level, -1); i <= last; ++i) {
        Interval ends[] = {Fixed::negate(one), one};
        for (std::size_t j = 0; j < 2; ++j) {
            const Edge& edge = *level.edges[i + j];
            if (law.side(edge, -1) > 0 && law.side(edge, 1) < 0) ends[j] = edge.at();
            const Interval error = Fixed::abs(Fixed::sub(ends[j], level.cells[i].centroid));
            largest = {std::max(largest.lo, error.lo), std::max(largest.hi, error.hi)};
        }
    }
    return largest;
}

} // namespace

const Level& Quantities::level(const mpz_class& depth) const {
    if (!tree_) throw Undefined{};
    return tree_->levels[entry(depth, tree_->levels.size())];
}

mpq_class Quantities::rounded(const Interval& x) const {
    const mpz_class unit = mpz_class(1) << tree_->law.fixed.bits();
    mpq_class lo(x.lo, unit);
    mpq_class hi(x.hi, unit);
    lo.canonicalize();
    hi.canonicalize();
    mpq_class result = rounded_to_binary32(lo);
    if (result != rounded_to_binary32(hi)) throw Undefined{};
    return result;
}

Interval Quantities::exact_tree(const Quantity& q) const {
    const Level& at = level(q.depth);
    const Lloyd& law = tree_->law;
    if (q.field == "distortion") return at.distortion;
    if (q.field == "gain") return Fixed::sub(level(q.depth - 1).distortion, at.distortion);
    if (q.field == "epsilon") return epsilon(law, at);
    if (q.field == "boundary") return at.edges[entry(q.index, at.edges.size() - 2) + 1]->at();
    if (q.field == "centroid") return at.cells[entry(q.index, at.cells.size())].centroid;
    return at.cells[cell_of(law, at, q.index)].centroid;
}

mpq_class Quantities::table_epsilon(const Level& at) const {
    mpq_class largest = 0;
    for (std::size_t i = 0; i < at.cells.size(); ++i) {
        const bool first = i == 0;
        const bool last = i + 1 == at.cells.size();
        const mpq_class below = first ? mpq_class(-1) : rounded(at.edges[i]->at());
        const mpq_class above = last ? mpq_class(1) : rounded(at.edges[i + 1]->at());
        if (below > 1 || (!last && above <= -1)) continue;
        const mpq_class centroid = rounded(at.cells[i].centroid);
        for (const mpq_class& end : {std::max<mpq_class>(below, -1), std::min<mpq_class>(above, 1)}) {
            largest = std::max<mpq_class>(largest, abs(end - centroid));
        }
    }
    return largest;
}

mpq_class Quantities::table(const Quantity& q) const {
    const Level& at = level(q.depth);
    if (q.field == "epsilon") return table_epsilon(at);
    if (q.field != "value") return rounded(exact_tree(q));
    std::size_t i = 0;
    while (i + 1 < at.cells.size() && rounded(at.edges[i + 1]->at()) <= q.index) ++i;
    return rounded(at.cells[i].centroid);
}

/// E (Z - Q(Z))^2 = 1 - 2 sum of q (phi(a) - phi(b)) + sum of q^2 (Phi(b) - Phi(a)).
const Interval& Quantities::codebook_distortion(const mpz_class& depth) const {
    const Level& at = level(depth);
    const auto known = tree_->codebook_distortion.find(depth.get_ui());
    if (known != tree_->codebook_distortion.end()) return known->second;
    Fixed& fixed = tree_->law.fixed;
    std::vector<Gauss> edges;
    for (const Edge* edge : at.edges) {
        if (edge->lo.infinite != 0) {
            edges.push_back(edge->lo.gauss);
        } else {
            const mpq_class x = rounded(edge->at());
            edges.push_back(fixed.gauss(fixed.range(x, x)));
        }
    }
    Interval total = fixed.integer(1);
    for (std::size_t i = 0; i < at.cells.size(); ++i) {
        const mpq_class x = rounded(at.cells[i].centroid);
        const Interval q = fixed.range(x, x);
        const Interval moment = fixed.mul(q, Fixed::sub(edges[i].density, edges[i + 1].density));
        const Interval mass =
            fixed.mul(fixed.mul(q, q), Fixed::sub(edges[i + 1].distribution, edges[i].distribution));
        total = Fixed::add(Fixed::sub(total, Fixed::add(moment, moment)), mass);
    }
    return tree_->codebook_distortion[depth.get_ui()] = total;
}

std::optional<mpq_class> Quantities::rational(const std::string& name) const {
    const std::optional<Quantity> q = read_quantity(name);
    if (!q) throw Undefined{};
    if (q->family != "float32") return std::nullopt;
    return table(*q);
}

Interval Quantities::enclosure(const std::string& name, const Fixed& scale) const {
    const std::optional<Quantity> q = read_quantity(name);
    if (!q) throw Undefined{};
    if (q->family == "lloydmax") {
        if (!optimum_) throw Undefined{};
        return scale.rescaled(optimum_->distortion[entry(q->depth, optimum_->distortion.size())],
                              optimum_->bits);
    }
    Interval value;
    if (q->family == "lloyd") {
        value = exact_tree(*q);
    } else {
        value = codebook_distortion(q->depth);
        if (q->field == "gain") value = Fixed::sub(codebook_distortion(q->depth - 1), value);
    }
    return scale.rescaled(value, tree_->law.fixed.bits());
}

} // namespace kvcheck
