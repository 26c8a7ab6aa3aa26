#pragma once

#include "sim/probe/encoder_search.hpp"
#include "sim/probe/encoding.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace kvproof {

/// One step of a proof that clauses cannot all hold: with the literals all false, each of the hinted clauses
/// in turn has one literal left, which is then true, and the last has none. Clauses are numbered from 1,
/// those of the formula first, then the lines.
struct RupLine {
    std::vector<int> literals;
    std::vector<int> hints;

    bool operator==(const RupLine&) const = default;
};

/// Turns a solver's trace (binary DRAT of a formula that cannot hold) into lines that a plain checker can
/// follow. Every clause of the trace is derived anew by unit propagation, which finds the hints; then only
/// what the empty clause needs is kept, and the whole is repeated on what was kept while that makes it much
/// shorter. Takes a few times as long as the solver did. Nothing where `stop` ended it. Throws
/// Error(internal) where a clause of the trace does not follow by unit propagation.
[[nodiscard]] std::optional<std::vector<RupLine>> unsat_proof(const Cnf& cnf, std::string_view trace,
                                                              const StopRequest& stop = {});

/// Follows the lines as a checker does. Throws Error(internal) that names the line which fails.
void require_valid_proof(const Cnf& cnf, const std::vector<RupLine>& lines);

} // namespace kvproof
