// kvproof claims: what each claim says, where it stands in the papers, and how it is decided.

#include "app/audit_page.hpp"
#include "app/verb.hpp"
#include "lib/exact/formula.hpp"
#include "proofs/registry.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace kvproof::app {
namespace {

struct ClaimsOptions {
    CommonOptions common;
    std::vector<std::string> patterns;
};

std::string decided_by(const Claim& claim) {
    return claim.rule + (claim.full_effort ? ", at --effort full" : "");
}

std::string text(const std::vector<Claim>& claims) {
    std::string out;
    for (const Claim& claim : claims) {
        out +=
            fmt::format("{}\n  {}; scope: {}\n  {}\n  formula: {}\n  decided by: {}\n  recorded: {}\n",
                        claim.id, claim.reference(), claim.scope, claim.statement,
                        to_infix(parse_formula(claim.formula)), decided_by(claim), to_string(claim.recorded));
        if (!claim.proof.empty()) out += fmt::format("  Coq proof: {}\n", claim.proof);
        if (!claim.note.empty()) out += fmt::format("  note: {}\n", claim.note);
    }
    return out;
}

std::string json(const std::vector<Claim>& claims) {
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (const Claim& claim : claims)
        out.push_back({{"id", claim.id},
                       {"reference", claim.reference()},
                       {"scope", claim.scope},
                       {"statement", claim.statement},
                       {"rule", claim.rule},
                       {"formula", claim.formula},
                       {"recorded", to_string(claim.recorded)},
                       {"effort", claim.full_effort ? "full" : "default"},
                       {"proof", claim.proof.empty() ? nlohmann::ordered_json(nullptr)
                                                     : nlohmann::ordered_json(claim.proof)},
                       {"note", claim.note}});
    return nlohmann::ordered_json{{"format", 1}, {"claims", std::move(out)}}.dump(2) + "\n";
}

/// docs/claims.md; docs/audit.md where all are of the audit. One page does not hold both.
std::string markdown(std::vector<Claim> claims) {
    if (std::ranges::all_of(claims, is_audit)) return audit_page(claims);
    std::erase_if(claims, is_audit);
    std::string out = "# The claims\n\nMade by `kvproof claims --format markdown` from `proofs/claims.tsv`; "
                      "formulas are explained in [formulas.md](formulas.md).\n"
                      "Sentences about printed numbers, `paper.audit.*`, are in [audit.md](audit.md).\n";
    std::string place;
    for (const Claim& claim : claims) {
        if (claim.reference() != place) out += fmt::format("\n## {}\n", place = claim.reference());
        out += fmt::format("\n**{}** ({}, recorded: **{}**)  \n{}.  \n", claim.id, claim.scope,
                           to_string(claim.recorded), claim.statement);
        out += fmt::format("`{}`  \nDecided by: {}.\n", to_infix(parse_formula(claim.formula)),
                           decided_by(claim));
        if (!claim.proof.empty()) out += fmt::format("Coq proof: `{}` ([coq.md](coq.md)).\n", claim.proof);
        if (!claim.note.empty()) out += fmt::format("Note: {}\n", claim.note);
    }
    return out;
}

} // namespace

void add_claims(CLI::App& app, Status& /*status*/) {
    const auto options = std::make_shared<ClaimsOptions>();
    CLI::App* verb = app.add_subcommand("claims", "Show what is claimed, where, and how it is decided");
    verb->add_option("ID-GLOB", options->patterns, "Claims to show, with * and ?; all, if none is given");
    add_common_options(*verb, options->common, {"text", "json", "markdown"});
    verb->footer("Example: everything about Theorem 2\n  kvproof claims 'readkv.thm2.*'");
    verb->callback([options] {
        const std::vector<Claim> claims = select_claims(options->patterns);
        const std::string& format = options->common.format;
        print(format == "json" ? json(claims) : format == "markdown" ? markdown(claims) : text(claims));
    });
}

} // namespace kvproof::app
