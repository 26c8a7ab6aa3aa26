#include "proofs/verify.hpp"

#include "lib/error.hpp"
#include "lib/exact/decimal.hpp"
#include "proofs/certificate/writer.hpp"
#include "proofs/coq_proofs.hpp"

#include <algorithm>

namespace kvproof {
namespace {

/// Whether the formula speaks of the stored table, and so of a user's file where one is given. A reader
/// stores with it.
bool speaks_of_table(const Formula& formula) {
    return is_sampled(formula) ||
           std::ranges::any_of(quantities_of(formula), CertifiedQuantities::is_of_table);
}

Decision decide_claim(const Claim& claim, const Formula& formula, const Context& context) {
    if (claim.full_effort && !context.effort.full) {
        Decision out;
        out.why = Why::effort;
        return out;
    }
    try {
        return decide(formula, {}, context);
    } catch (const Error& error) {
        // A shallower user table lacks the deeper quantities; that is no defect of the registry.
        if (error.code() != ErrorCode::unknown_quantity || !context.quantities.has_user_table()) throw;
        Decision out;
        out.why = Why::missing_input;
        out.witness = {{"missing", {error.what()}}};
        return out;
    }
}

/// Adds what is known of the row's machine-checked proof. A checked one proves the statement of which the
/// formula is a part, and so lifts `supported` to `proved`: of a part that was decided and holds, never of
/// one that fails or stays open. About a user's table the theorem says nothing.
void add_proof(const Claim& claim, const Formula& formula, bool of_user_table, Decision& decision) {
    if (claim.proof.empty() || decision.why == Why::effort || of_user_table) return;
    const CoqProof proof = find_coq_proof(claim.proof);
    if (!proof.checked()) {
        decision.witness.push_back({"proof not checked", {proof.problem}});
        return;
    }
    decision.witness.push_back({"proof", {proof.theorem}});
    decision.witness.push_back({"proof sha256", {proof.sha256}});
    decision.witness.push_back({"proof rests on", {proof.axioms.empty() ? "nothing" : proof.axioms}});
    if (formula.kind != Formula::Kind::part || decision.verdict != Verdict::supported) return;
    decision.verdict = Verdict::proved;
    decision.witness.push_back({"proved by", {"the proof; the formula's part was decided on its own"}});
    decision.records.push_back("coq " + proof.theorem + " " + proof.sha256);
}

} // namespace

Result verify_claim(const Claim& claim, const Context& context, const std::string& codebook_name) {
    const Formula formula = parse_formula(claim.formula);
    const bool of_file = context.quantities.has_user_table() && speaks_of_table(formula);
    Result out;
    out.claim = claim;
    out.scope = of_file ? "file:" + codebook_name : claim.scope;
    out.decision = decide_claim(claim, formula, context);
    add_proof(claim, formula, of_file, out.decision);
    out.certifiable = !is_sampled(formula);
    if (out.certifiable) {
        out.records = certificate_records(formula, out.decision);
        out.uses = needed_certificates(formula, of_file);
    }
    out.decision.refutation.reset(); // it points into the formula, which ends here
    return out;
}

Summary summarise(const std::vector<Result>& results) {
    Summary out;
    for (const Result& result : results) {
        switch (result.decision.verdict) {
        case Verdict::proved: ++out.proved; break;
        case Verdict::refuted: ++out.refuted; break;
        case Verdict::supported: ++out.supported; break;
        case Verdict::undecided: ++out.undecided; break;
        }
        if (!result.as_recorded()) ++out.differing;
    }
    return out;
}

std::string enclosure_text(const Decision& decision, int digits) {
    // A range of values, not the enclosure of one: the digits that its ends share say nothing.
    for (const Witness& witness : decision.witness)
        if (witness.name == "within the rounding") return witness.values.front();
    if (decision.exact) {
        const std::string exact = to_string(*decision.exact);
        return exact.size() <= static_cast<std::size_t>(digits)
                   ? exact
                   : shared_decimal(Interval(*decision.exact, 256), digits);
    }
    if (!decision.enclosure) return "-";
    std::string shared = shared_decimal(*decision.enclosure, digits);
    if (!shared.empty()) return shared;
    return "[" + lower_decimal(*decision.enclosure, digits) + ", " +
           upper_decimal(*decision.enclosure, digits) + "]";
}

std::string slack_text(const Decision& decision, int digits) {
    return decision.slack ? lower_decimal(*decision.slack, digits) : "-";
}

} // namespace kvproof
