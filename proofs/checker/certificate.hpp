#pragma once

#include "registry.hpp"
#include "rules.hpp"

namespace kvcheck {

/// What a checker says of a file.
struct Answer {
    enum class Kind { proved, refuted, supported, undecided, external, invalid };
    Kind kind = Kind::invalid;
    std::string id = "-";
    Invalid why{0, "unreadable"}; ///< where it is invalid
    std::string code;             ///< where it is undecided
    mpz_class cases = 0;          ///< where it is supported
    std::string proof;            ///< where it is external: the theorem and the hash of its sources
    // What others may use of it:
    std::string hash;
    std::shared_ptr<LloydTree> tree;
    std::shared_ptr<const LloydOptimum> optimum;
    std::shared_ptr<Table> table;
    std::shared_ptr<const ProbeRisks> risks;

    [[nodiscard]] std::string line() const;
};

/// Verifies files, each path once.
class Verifier {
public:
    Verifier(const Registry& registry, const CheckedProofs& proofs);
    const Answer& verify(const std::string& path);

private:
    void verify_text(const std::string& path, std::string_view text, Answer& answer);
    const Answer& used(const std::string& path, Records& records, const char* id);
    static void verify_records(const Statement& statement, Records& records, std::string_view verdict,
                               Answer& answer, const Quantities& quantities);

    /// The row of a claim line, and for an instance of a template the hash of its table.
    std::pair<const Claim*, std::string_view> row_of(std::string_view id);
    /// The claim `probe.risk(...)` or `probe.game(...)`; nullptr where it is none.
    const Claim* probe_claim(std::string_view id);

    /// `coq PROOF HASH`: the row's theorem, with sources that were checked. Returns PROOF HASH.
    [[nodiscard]] std::string proof_of(const Claim& claim, Records& records) const;

    const Registry& registry_;
    const CheckedProofs& proofs_;
    const Claim codebook_;                              ///< not in the registry
    std::map<std::string, Claim, std::less<>> outside_; ///< claims about the probe model, likewise
    std::map<std::string, Answer> answers_;
};

} // namespace kvcheck
