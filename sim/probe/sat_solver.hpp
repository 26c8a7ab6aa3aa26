#pragma once

#include "sim/probe/encoder_search.hpp"
#include "sim/probe/encoding.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kvproof {

enum class SatAnswer { satisfiable, unsatisfiable, unknown };

struct SatResult {
    SatAnswer answer = SatAnswer::unknown;
    std::vector<bool> model; ///< [variables] where satisfiable
    std::string trace;       ///< the solver's binary DRAT where unsatisfiable
};

/// Asks CaDiCaL. The same formula gets the same answer, model and trace each time. `unknown` where `stop`
/// ended it or it met more than `most_conflicts` (none: -1).
[[nodiscard]] SatResult solve(const Cnf& cnf, const StopRequest& stop = {}, std::int64_t most_conflicts = -1);

} // namespace kvproof
