#pragma once

#include "sim/probe/access_class.hpp"
#include "sim/probe/deterministic.hpp"

#include <tuple>
#include <vector>

namespace kvproof {

/// One place of a table of risks.
struct RiskCell {
    int bits = 0;
    int probes = 0;
    AccessClass access;
    DeterministicRisk risk;
};

/// What the question after a risk comes down to (docs/probe.md, "The clauses"): whether the query is seen,
/// bits written, bits read, batches. Equal questions have one answer, and one witness from below.
using RiskQuestion = std::tuple<bool, int, int, int>;
[[nodiscard]] RiskQuestion risk_question(const AccessClass& access, int bits, int probes);

/// The classes of a certificate of rule `probe-table` at r probes (docs/probe.md): oblivious,
/// query-independent, staged:1, ..., staged:(r+1), branching.
[[nodiscard]] std::vector<AccessClass> table_classes(int probes);

/// The deterministic risks of one family for all budgets up to these, in order of bits, probes, classes.
/// Cells that are the same question are answered once; each search starts from the best protocol of less
/// (`settings.start` is not used). Stopped, cells hold brackets. Throws what deterministic_risk throws.
[[nodiscard]] std::vector<RiskCell> risk_table(const Family& family, int bits, int probes,
                                               const RiskSettings& settings = {});

} // namespace kvproof
