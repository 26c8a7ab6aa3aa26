#pragma once

// The parts of a formula about the probe model.

#include "probe_tree.hpp"

#include <map>
#include <tuple>

namespace kvcheck {

struct ProbePart {
    FamilyName family;
    std::string access; ///< empty in a table
    unsigned w = 0, r = 0;
    mpq_class value, upper; ///< of a risk its value, of a game both ends
};

/// What certified tables say: by FAMILY.CLASS, w and r.
using ProbeRisks = std::map<std::tuple<std::string, mpz_class, mpz_class>, mpq_class>;

/// The operands of `probe-risk`, `probe-table` or `probe-game`; nothing where they are none.
[[nodiscard]] std::optional<ProbePart> read_probe_part(std::string_view word,
                                                       const std::vector<std::string>& operands);

/// Whether this is the first word of a term (probe.FAMILY.CLASS w r).
[[nodiscard]] bool is_probe_term(std::string_view word);

} // namespace kvcheck
