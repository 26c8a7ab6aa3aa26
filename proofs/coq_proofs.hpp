#pragma once

#include <string>
#include <string_view>

namespace kvproof {

/// What is known of a machine-checked proof that a row of the registry names.
struct CoqProof {
    std::string theorem; ///< proofs/coq/FILE.v:theorem, as the row has it
    std::string sha256;  ///< of its sources (proofs/coq/README.md); empty where these were not checked
    std::string axioms;  ///< what it rests on, names separated by spaces
    std::string problem; ///< why it does not count as checked; empty where it does

    [[nodiscard]] bool checked() const { return problem.empty(); }
};

/// The hashes of the Coq sources that this program was built beside: lines `FILE.v HASH`.
[[nodiscard]] std::string_view coq_sources_text();

/// The text of proofs/coq/checked.tsv, which only the check of the proofs writes (./run proofs): what coqc
/// accepted, resting on nothing but the axioms of the real numbers.
[[nodiscard]] std::string_view coq_checked_text();

/// A proof counts as checked where its theorem was, and its sources are still those that were checked.
/// Throws Error(bad_registry) where `theorem` is not proofs/coq/FILE.v:theorem.
[[nodiscard]] CoqProof find_coq_proof(const std::string& theorem,
                                      std::string_view sources = coq_sources_text(),
                                      std::string_view checked = coq_checked_text());

} // namespace kvproof
