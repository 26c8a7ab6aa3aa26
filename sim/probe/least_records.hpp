#pragma once

#include "sim/probe/conflicts.hpp"
#include "sim/probe/encoding.hpp"

#include <vector>

namespace kvproof {

/// A permutation of the sources: source x is taken to be renaming[x].
using Renaming = std::vector<int>; ///< [sources]

/// Whether each list, renamed, is one of the lists again. Throws Error(internal) for what is no permutation.
[[nodiscard]] bool keeps(const ConflictLists& lists, const Renaming& renaming);

/// Exchanges of two sources that keep the lists: of each with the last one before it that it can be exchanged
/// with. Source 0 is left out: its record is the least of all anyway.
[[nodiscard]] std::vector<Renaming> exchanges(const ConflictLists& lists, int sources);

/// Appends the clauses of docs/probe.md, "Least records", with their variables: of all tables of records that
/// reordered or complemented bits and these renamings make of each other only some are left, the least one
/// among them. `bits`: of the formula; the renamings keep the lists that the formula is about.
void require_least_records(Cnf& cnf, int bits, int sources, const std::vector<Renaming>& renamings);

} // namespace kvproof
