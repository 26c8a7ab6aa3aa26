#pragma once

#include "formula.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace kvcheck {

struct Claim {
    std::string rule, scope, formula;
    std::string proof; ///< proofs/coq/FILE.v:theorem, or empty
    Statement statement;
};

using Registry = std::map<std::string, Claim, std::less<>>;

/// `PROOF HASH` for each theorem that proofs/coq/checked.tsv lists.
using CheckedProofs = std::set<std::string, std::less<>>;

/// What was compiled in: proofs/claims.tsv, proofs/audit/claims.tsv and proofs/coq/checked.tsv.
[[nodiscard]] std::string_view registry_text();
[[nodiscard]] std::string_view audit_text();
[[nodiscard]] std::string_view checked_proofs_text();

/// Reads the text of a claims.tsv. Throws BadUsage where it or a formula is not understood.
[[nodiscard]] Registry read_registry(std::string_view text);

/// Adds the rows of another such text, with ids of their own.
void add_to_registry(std::string_view text, Registry& registry);

/// Reads the text of a checked.tsv. Throws BadUsage where a line has too few fields.
[[nodiscard]] CheckedProofs read_checked_proofs(std::string_view text);

} // namespace kvcheck
