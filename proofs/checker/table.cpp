#include "table.hpp"

#include <algorithm>

namespace kvcheck {

mpq_class table_value(const TableLevel& level, const mpq_class& u) {
    std::size_t i = 0;
    while (i < level.boundaries.size() && level.boundaries[i] <= u) ++i;
    return level.centroids[i];
}

mpq_class table_epsilon(const TableLevel& level) {
    mpq_class largest = 0;
    for (std::size_t i = 0; i < level.centroids.size(); ++i) {
        const bool last = i == level.boundaries.size();
        const mpq_class below = i == 0 ? mpq_class(-1) : level.boundaries[i - 1];
        const mpq_class above = last ? mpq_class(1) : level.boundaries[i];
        if (below > 1 || (!last && above <= -1)) continue;
        for (const mpq_class& end : {std::max<mpq_class>(below, -1), std::min<mpq_class>(above, 1)})
            largest = std::max<mpq_class>(largest, abs(end - level.centroids[i]));
    }
    return largest;
}

Interval table_distortion(const TableLevel& level, Fixed& fixed) {
    const Interval zero = fixed.integer(0);
    const Interval one = fixed.integer(1);
    Interval total = one;
    Gauss lower = {zero, zero};
    for (std::size_t i = 0; i < level.centroids.size(); ++i) {
        const bool last = i == level.boundaries.size();
        const Gauss upper =
            last ? Gauss{zero, one} : fixed.gauss(fixed.range(level.boundaries[i], level.boundaries[i]));
        const Interval q = fixed.range(level.centroids[i], level.centroids[i]);
        const Interval moment = fixed.mul(q, Fixed::sub(lower.density, upper.density));
        const Interval mass = fixed.mul(fixed.mul(q, q), Fixed::sub(upper.distribution, lower.distribution));
        total = Fixed::add(Fixed::sub(total, Fixed::add(moment, moment)), mass);
        lower = upper;
    }
    return total;
}

} // namespace kvcheck
