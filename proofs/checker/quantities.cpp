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

unsigned Quantities::table_bits() const {
    return table_ ? table_->fixed.bits() : tree_->law.fixed.bits();
}

mpq_class Quantities::rounded(const Interval& x) const {
    const mpz_class unit = mpz_class(1) << table_bits();
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

const TableLevel& Quantities::table(const mpz_class& depth) const {
    if (table_) return table_->levels[entry(depth, table_->levels.size())];
    const Level& at = level(depth);
    const auto known = tree_->rounded.find(depth.get_ui());
    if (known != tree_->rounded.end()) return known->second;
    TableLevel fresh;
    for (std::size_t i = 1; i + 1 < at.edges.size(); ++i)
        fresh.boundaries.push_back(rounded(at.edges[i]->at()));
    for (const Cell& cell : at.cells) fresh.centroids.push_back(rounded(cell.centroid));
    return tree_->rounded[depth.get_ui()] = std::move(fresh);
}

mpq_class Quantities::of_table(const Quantity& q) const {
    if (q.field == "gain") return rounded(table_ ? codebook(q) : exact_tree(q));
    const TableLevel& at = table(q.depth);
    if (q.field == "epsilon") return table_epsilon(at);
    if (q.field == "value") return table_value(at, q.index);
    const std::vector<mpq_class>& column = q.field == "boundary" ? at.boundaries : at.centroids;
    return column[entry(q.index, column.size())];
}

Interval Quantities::codebook(const Quantity& q) const {
    if (q.field == "gain")
        return Fixed::sub(codebook({q.family, "distortion", q.depth - 1, 0}),
                          codebook({q.family, "distortion", q.depth, 0}));
    const TableLevel& at = table(q.depth);
    auto& known = table_ ? table_->distortion : tree_->table_distortion;
    const auto found = known.find(q.depth.get_ui());
    if (found != known.end()) return found->second;
    return known[q.depth.get_ui()] = table_distortion(at, table_ ? table_->fixed : tree_->law.fixed);
}

mpq_class Quantities::risk(const std::string& name, const mpq_class& w, const mpq_class& r) const {
    if (!risks_ || w.get_den() != 1 || r.get_den() != 1) throw Undefined{};
    const auto known = risks_->find({name.substr(name.find('.') + 1), w.get_num(), r.get_num()});
    if (known == risks_->end()) throw Undefined{};
    return known->second;
}

std::optional<mpq_class> Quantities::rational(const std::string& name) const {
    const std::optional<Quantity> q = read_quantity(name);
    if (!q) throw Undefined{};
    if (q->family != "float32") return std::nullopt;
    return of_table(*q);
}

Interval Quantities::enclosure(const std::string& name, const Fixed& scale) const {
    const std::optional<Quantity> q = read_quantity(name);
    if (!q) throw Undefined{};
    if (q->family == "lloydmax") {
        if (!optimum_) throw Undefined{};
        return scale.rescaled(optimum_->distortion[entry(q->depth, optimum_->distortion.size())],
                              optimum_->bits);
    }
    if (q->family == "lloyd") {
        const Interval value = exact_tree(*q);
        return scale.rescaled(value, tree_->law.fixed.bits());
    }
    const Interval value = codebook(*q);
    return scale.rescaled(value, table_bits());
}

} // namespace kvcheck
