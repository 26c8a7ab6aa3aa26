#pragma once

#include "lib/exact/rational.hpp"
#include "sim/probe/encoder_search.hpp"
#include "sim/probe/family.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace kvproof {

/// The losses of all sets that can be a minimal conflict: 2 to m + 1 sources (Helly: a ball of a radius holds
/// some points exactly where it can hold any m + 1 of them). As ranks among the values that occur.
struct SmallSets {
    std::vector<std::uint64_t> sets;               ///< in order of size, then of the ascending members
    std::vector<Rational> values;                  ///< ascending, without repeats; values[0] = 0
    std::vector<std::vector<std::uint32_t>> ranks; ///< [queries, sets]

    static constexpr std::size_t most = std::size_t{1} << 22; ///< sets times queries
};

/// Throws Error(bad_option) where there are more than SmallSets::most. Nothing where `stop` ended it.
[[nodiscard]] std::optional<SmallSets> small_sets(const Family& family, const StopRequest& stop);
[[nodiscard]] SmallSets small_sets(const Family& family);

/// The losses that a deterministic risk can have, ascending: 0 and those of the small sets.
[[nodiscard]] std::vector<Rational> thresholds(const Family& family);

/// What no leaf may hold for its loss to stay below a value (docs/probe.md): minimal sets, in order of size,
/// then of the ascending members.
struct ConflictLists {
    std::vector<std::vector<std::uint64_t>> lists; ///< none empty, no two equal
    std::vector<int> list_of; ///< [queries]: whose list; -1 where anything may be in one leaf

    bool operator==(const ConflictLists&) const = default;
};

/// The lists at `value` > 0: one for each query that differs, or (where the path must not see the query) one
/// of the union without sets that contain another, which then is every query's.
[[nodiscard]] ConflictLists conflict_lists(const SmallSets& sets, const Rational& value, bool sees_query);

/// The joint conflict graph: [sources] the sources that have a loss of at least `value` together with each
/// for some query.
[[nodiscard]] std::vector<std::uint64_t> conflict_graph(const SmallSets& sets, const Rational& value,
                                                        int sources);

} // namespace kvproof
