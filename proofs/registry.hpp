#pragma once

#include "proofs/decision.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kvproof {

/// One row of proofs/claims.tsv: what is claimed, where it stands, and how it is decided.
struct Claim {
    std::string id;
    std::string paper;
    std::string place;
    std::string scope; ///< exact, float32, codebook, any-table
    std::string statement;
    std::string rule;
    std::string formula; ///< machine form (docs/formulas.md), or the parameters of the claim's own function
    Verdict recorded = Verdict::undecided;
    bool full_effort = false; ///< runs at --effort full only
    std::string note;
    std::string proof; ///< file:theorem of a machine-checked proof, or empty

    /// "ReadKV, Theorem 1, E.1.1"
    [[nodiscard]] std::string reference() const { return paper + ", " + place; }
};

/// Reads the table; throws Error(bad_registry) naming the line.
[[nodiscard]] std::vector<Claim> parse_registry(std::string_view text);

/// The registry this program was built with: the rows of proofs/claims.tsv, then those of
/// proofs/audit/claims.tsv.
[[nodiscard]] const std::vector<Claim>& registry();

/// The texts of proofs/claims.tsv and proofs/audit/claims.tsv that registry() was read from.
[[nodiscard]] std::string_view registry_text();
[[nodiscard]] std::string_view audit_text();

/// Whether a claim is one of the sentences that derive a number from printed numbers: there are hundreds of
/// them.
[[nodiscard]] inline bool is_audit(const Claim& claim) {
    return claim.id.starts_with("paper.audit.");
}

/// Whether an id matches a pattern in which `*` stands for any run of characters and `?` for one.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view id);

/// The claims that match any of the patterns (all, where there are none), in the registry's order.
/// Throws Error(unknown_claim) for a pattern that matches none.
[[nodiscard]] std::vector<Claim> select_claims(const std::vector<std::string>& patterns);

} // namespace kvproof
