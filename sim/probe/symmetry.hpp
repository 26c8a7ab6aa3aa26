#pragma once

#include "sim/probe/family.hpp"

#include <cstddef>
#include <vector>

namespace kvproof {

/// |f(x,y) - f(x',y)|^2 of every two sources, [sources, sources]. It is all that matters of a query: the
/// decoder knows y, so two queries with the same distances are one, moved in space.
[[nodiscard]] std::vector<Rational> distances(const Family& family, int y);

/// The queries up to isometry.
struct QueryClasses {
    Family family;                        ///< with the first query of each class alone
    std::vector<int> class_of = {};       ///< [queries]: the query of `family` that is like this one
    std::vector<int> representative = {}; ///< [queries of `family`]: that query's number among all
};
[[nodiscard]] QueryClasses distinct_queries(const Family& family);

/// A renaming of sources and queries that keeps all distances:
/// |f(s x, t y) - f(s x', t y)| = |f(x,y) - f(x',y)|. It maps protocols to equally good ones, answers by the
/// isometry that takes the targets of y to those of t y; answers that are means of targets go along with
/// them.
struct Symmetry {
    std::vector<int> sources; ///< s, [sources]
    std::vector<int> queries; ///< t, [queries]

    bool operator==(const Symmetry&) const = default;
};

inline constexpr std::size_t most_symmetries = 100000;

/// All symmetries of a family whose queries are distinct (else Error(internal)), the identity first. The
/// identity alone where there are more than `most` or the search would look at more than 64 `most` partial
/// ones: what is returned is always a group.
[[nodiscard]] std::vector<Symmetry> symmetries(const Family& family, std::size_t most = most_symmetries);

/// The source parts of the symmetries of any family, for encoder_space.
[[nodiscard]] std::vector<std::vector<int>> source_symmetries(const Family& family,
                                                              std::size_t most = most_symmetries);

/// The pairs (x, y) up to the symmetries.
struct PairOrbits {
    std::vector<int> of;    ///< [sources, queries], numbered in order of the first pair
    std::vector<int> sizes; ///< [orbits]
};
[[nodiscard]] PairOrbits pair_orbits(const Family& family, const std::vector<Symmetry>& group);

} // namespace kvproof
