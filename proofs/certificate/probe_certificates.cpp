#include "proofs/certificate/probe_certificates.hpp"

#include "proofs/certificate/game_limits.hpp"
#include "proofs/certificate/probe_records.hpp"

namespace kvproof {
namespace {

/// `words`: the parameters of the statement.
NamedCertificate named(const std::string& what, const std::string& rule,
                       const std::vector<std::string>& words, std::vector<std::string> records) {
    std::string claim = "probe." + what + "(";
    std::string statement = "(probe-" + what;
    for (std::size_t i = 0; i < words.size(); ++i) {
        claim += (i > 0 ? ";" : "") + words[i];
        statement += " " + words[i];
    }
    claim += ")";
    records.insert(records.begin(), "precision 128");
    const std::vector<std::string> header = {"claim " + claim, "rule " + rule, "scope exact",
                                             "statement " + statement + ")", "verdict proved"};
    return {claim, sealed(header, records)};
}

} // namespace

std::optional<NamedCertificate> risk_certificate(const Family& family, const AccessClass& access, int probes,
                                                 const Protocol& protocol, const LowerWitness* known,
                                                 const StopRequest& stop) {
    const Rational risk = worst_loss(protocol, family);
    std::optional<LowerWitness> lower;
    if (known != nullptr && known->kind != LowerKind::exhaustive) {
        lower = *known;
    } else {
        RiskSettings settings;
        settings.stop = stop;
        lower = lower_witness(family, access, protocol.bits, probes, risk, settings);
    }
    if (!lower) return {};
    std::vector<std::string> records;
    append_family(family, records);
    append_protocol(protocol, records);
    append_lower(*lower, records);
    return named("risk", "unsat",
                 {family.name, to_string(access), std::to_string(protocol.bits), std::to_string(probes),
                  to_string(risk)},
                 std::move(records));
}

std::optional<NamedCertificate> game_certificate(const Family& family, const AccessClass& access, int bits,
                                                 int probes, const Bracket& bracket) {
    if (!is_checkable(family, access, bits, probes, bracket)) return {};
    std::vector<std::string> records;
    append_family(family, records);
    append_game(family, bracket, records);
    return named("game", "game",
                 {family.name, to_string(access), std::to_string(bits), std::to_string(probes),
                  to_string(bracket.lower), to_string(bracket.upper)},
                 std::move(records));
}

} // namespace kvproof
