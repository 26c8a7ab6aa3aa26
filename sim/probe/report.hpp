#pragma once

#include "sim/probe/cell.hpp"
#include "sim/probe/converse.hpp"
#include "sim/probe/readkv_reach.hpp"

#include <string>
#include <vector>

namespace kvproof {

/// One line of the report for a class and budget.
struct ProbeLine {
    ProbeCell cell;
    std::optional<DeterministicCell> deterministic;
    std::optional<Bracket> randomised;
};

/// What stands beside the classes at one budget.
struct ProbeBeside {
    int bits = 0;
    int probes = 0;
    std::optional<ReadKvReach> readkv;
    std::optional<Converse> converse;
};

/// All that `kvproof probe` found.
struct ProbeReport {
    Family family;
    std::vector<ProbeLine> lines;
    std::vector<ProbeBeside> beside;
};

/// The object of the command line's contract; readkv and converse are lists where there are several budgets.
[[nodiscard]] std::string probe_json(const ProbeReport& report);

} // namespace kvproof
