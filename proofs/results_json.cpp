#include "proofs/results_json.hpp"
#include "lib/exact/decimal.hpp"
#include "lib/version.hpp"

#include <nlohmann/json.hpp>

namespace kvproof {
namespace {

using Json = nlohmann::ordered_json;
constexpr int digits = 40;

Json enclosure_json(const Decision& decision) {
    if (decision.exact) return {{"lower", to_string(*decision.exact)}, {"upper", to_string(*decision.exact)}};
    if (!decision.enclosure) return nullptr;
    return {{"lower", lower_decimal(*decision.enclosure, digits)},
            {"upper", upper_decimal(*decision.enclosure, digits)}};
}

Json witness_json(const std::vector<Witness>& witness) {
    Json out = Json::object();
    for (const Witness& part : witness) {
        if (part.values.size() == 1)
            out[part.name] = part.values.front();
        else
            out[part.name] = part.values;
    }
    return out;
}

Json claim_json(const Result& result, const CertificateSet& certificates, bool with_timings) {
    const Claim& claim = result.claim;
    const Decision& decision = result.decision;
    Json out = {{"id", claim.id},
                {"reference", claim.reference()},
                {"statement", claim.statement},
                {"scope", result.scope},
                {"verdict", to_string(decision.verdict)},
                {"why", decision.why == Why::none ? Json(nullptr) : Json(to_string(decision.why))},
                {"recorded", to_string(claim.recorded)},
                {"rule", claim.rule},
                {"enclosure", enclosure_json(decision)},
                {"slack", decision.slack ? Json(lower_decimal(*decision.slack, 12)) : Json(nullptr)},
                {"witness", witness_json(decision.witness)},
                {"cases", decision.cases},
                {"bits", decision.bits},
                {"certificate", nullptr},
                {"sha256", nullptr},
                {"note", claim.note}};
    if (const auto at = certificates.find(claim.id); at != certificates.end()) {
        out["certificate"] = "certificates/" + certificate_file(claim.id);
        out["sha256"] = at->second.sha256;
    }
    if (with_timings) out["seconds"] = result.seconds;
    return out;
}

} // namespace

std::string results_json(const std::vector<Result>& results, const CertificateSet& certificates,
                         bool with_timings) {
    const Summary summary = summarise(results);
    Json claims = Json::array();
    for (const Result& result : results) claims.push_back(claim_json(result, certificates, with_timings));
    const Json out = {{"format", 1},
                      {"kvproof", version()},
                      {"claims", std::move(claims)},
                      {"summary",
                       {{"proved", summary.proved},
                        {"refuted", summary.refuted},
                        {"supported", summary.supported},
                        {"undecided", summary.undecided}}}};
    return out.dump(2) + "\n";
}

} // namespace kvproof
