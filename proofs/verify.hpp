#pragma once

#include "proofs/registry.hpp"
#include "proofs/rules/decide.hpp"

#include <functional>

namespace kvproof {

/// A claim with the decision it ended in.
struct Result {
    Claim claim;
    std::string scope; ///< the claim's, or file:NAME where a user's codebook took the table's place
    Decision decision;
    std::vector<std::string>
        records;                   ///< what its certificate holds after the header (certificate/writer.hpp)
    std::vector<std::string> uses; ///< claims whose certificates it rests on
    bool certifiable = true;       ///< false for a sample: it can be repeated, and leaves no certificate
    double seconds = 0;            ///< filled by the caller's clock, for --timings only

    /// Whether the verdict is the one the registry records. Rows that this effort does not run do not count.
    [[nodiscard]] bool as_recorded() const {
        return decision.why == Why::effort || decision.verdict == claim.recorded;
    }
};

/// Decides one claim: by its own function, or by its formula; where the formula is a part of the statement
/// and the row names a machine-checked proof, by both.
[[nodiscard]] Result verify_claim(const Claim& claim, const Context& context,
                                  const std::string& codebook_name = "");

/// Counts by verdict, in the order of the enum.
struct Summary {
    std::size_t proved = 0;
    std::size_t refuted = 0;
    std::size_t supported = 0;
    std::size_t undecided = 0;
    std::size_t differing = 0; ///< verdicts that differ from the record
};

[[nodiscard]] Summary summarise(const std::vector<Result>& results);

/// "[lower, upper]" as outward decimals, or the shared digits followed by "..."; "-" where there is no
/// number.
[[nodiscard]] std::string enclosure_text(const Decision& decision, int digits);
[[nodiscard]] std::string slack_text(const Decision& decision, int digits);

} // namespace kvproof
