// Deterministic risks in the probe model: a protocol from above, from below a clique or a refuted formula.

#include "proofs/certificate/probe_records.hpp"
#include "proofs/rules/decide.hpp"
#include "proofs/rules/probe_words.hpp"
#include "sim/probe/risk_table.hpp"
#include "sim/probe/symmetry.hpp"

#include <map>

namespace kvproof {
namespace {

/// Witnesses of one family, each looked for once.
class Witnesses {
public:
    explicit Witnesses(const Family& family) : family_(family) {}

    /// Appends both sides of a decided risk; false where no witness from below was found.
    bool append(const AccessClass& access, int bits, int probes, const DeterministicRisk& risk,
                std::vector<std::string>& records) {
        if (!risk.decided()) return false;
        auto [at, is_new] = known_.try_emplace(risk_question(access, bits, probes));
        if (is_new)
            at->second = risk.witness.kind == LowerKind::exhaustive
                             ? lower_witness(family_, access, bits, probes, risk.upper)
                             : risk.witness;
        if (!at->second) return false;
        append_protocol(risk.protocol, records);
        append_lower(*at->second, records);
        return true;
    }

private:
    const Family& family_;
    std::map<RiskQuestion, std::optional<LowerWitness>> known_;
};

} // namespace

Decision decide_probe_risk(const Formula& named, const Context& /*context*/) {
    const ProbeWords words = read_words(named);
    const Rational claimed = parse_rational(named.words[4]);
    const DeterministicRisk risk = deterministic_risk(words.family, words.access, words.bits, words.probes);
    Decision out;
    out.cases = 1;
    out.exact = risk.upper;
    out.witness = {{"risk of " + words.text(), {to_string(risk.upper)}}};
    append_family(words.family, out.records);
    Witnesses witnesses(words.family);
    const bool certified = witnesses.append(words.access, words.bits, words.probes, risk, out.records);
    // where the number is another one, that is another claim
    if (certified && risk.upper == claimed)
        out.verdict = Verdict::proved;
    else
        out.why = Why::not_shown;
    return out;
}

Decision decide_probe_table(const Formula& named, const Context& /*context*/) {
    const Family family = make_family(named.words[0]);
    Decision out;
    append_family(family, out.records);
    RiskSettings settings;
    settings.symmetries = source_symmetries(family);
    Witnesses witnesses(family);
    for (const RiskCell& cell : risk_table(family, read_budget(named, named.words[1]),
                                           read_budget(named, named.words[2]), settings)) {
        out.records.push_back("risk " + std::to_string(cell.bits) + " " + std::to_string(cell.probes) + " " +
                              to_string(cell.access) + " " + to_string(cell.risk.upper));
        if (!witnesses.append(cell.access, cell.bits, cell.probes, cell.risk, out.records)) {
            out.why = Why::not_shown;
            return out;
        }
        ++out.cases;
    }
    out.verdict = Verdict::proved;
    out.witness = {{"risks of " + family.name, {std::to_string(out.cases)}}};
    return out;
}

} // namespace kvproof
