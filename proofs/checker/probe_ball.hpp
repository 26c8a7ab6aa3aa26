#pragma once

// The loss of sources in one leaf: the squared radius of the smallest ball around their targets, exactly.

#include "probe_family.hpp"

namespace kvcheck {

/// The squared radius for points of so many numbers each; there is at least one point.
[[nodiscard]] mpq_class squared_radius(const std::vector<const mpz_class*>& points, std::size_t numbers);

/// The least worst loss of one answer for these sources and query y.
[[nodiscard]] mpq_class set_loss(const ProbeFamily& family, std::size_t y,
                                 const std::vector<std::size_t>& members);

/// Whether two sources lose at least `value` together for query y.
[[nodiscard]] bool pair_loses(const ProbeFamily& family, std::size_t y, std::size_t a, std::size_t b,
                              const mpq_class& value);

} // namespace kvcheck
