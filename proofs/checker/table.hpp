#pragma once

// A stored table: binary32 boundaries and centroids by depth, and what is exact about it.

#include "exact.hpp"

#include <map>
#include <vector>

namespace kvcheck {

struct TableLevel {
    std::vector<mpq_class> boundaries; ///< 2^t - 1, ascending
    std::vector<mpq_class> centroids;  ///< 2^t
};

/// Q(u): a boundary belongs to the cell above it.
[[nodiscard]] mpq_class table_value(const TableLevel& level, const mpq_class& u);
/// sup over |u| <= 1 of |u - Q(u)|.
[[nodiscard]] mpq_class table_epsilon(const TableLevel& level);
/// E (Z - Q(Z))^2 = 1 - 2 sum of q (phi(a) - phi(b)) + sum of q^2 (Phi(b) - Phi(a)).
[[nodiscard]] Interval table_distortion(const TableLevel& level, Fixed& fixed);

/// A user's table, from its certificate.
struct Table {
    explicit Table(unsigned precision) : fixed(precision + 64) {}
    Fixed fixed;
    std::vector<TableLevel> levels;
    std::map<std::size_t, Interval> distortion; ///< what Quantities computed
};

} // namespace kvcheck
