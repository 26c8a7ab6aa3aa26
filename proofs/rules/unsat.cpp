// Deterministic risks in the probe model: a protocol from above, from below a clique or a refuted formula.

#include "lib/error.hpp"
#include "proofs/certificate/probe_records.hpp"
#include "proofs/rules/decide.hpp"
#include "sim/probe/deterministic.hpp"
#include "sim/probe/family.hpp"

#include <charconv>

namespace kvproof {
namespace {

constexpr int most_budget = 16; // docs/probe.md

int budget(const Formula& named, const std::string& word) {
    int value = -1;
    const char* end = word.data() + word.size();
    const auto [stopped, failure] = std::from_chars(word.data(), end, value);
    if (failure != std::errc() || stopped != end || value < 0 || value > most_budget)
        throw Error(ErrorCode::bad_formula, named.name + ": \"" + word + "\" is no budget");
    return value;
}

/// The classes of (probe-table ...) at r probes: one batch more than there are probes is among them, so that
/// J >= r can be compared with branching.
std::vector<AccessClass> table_classes(int probes) {
    std::vector<AccessClass> out = {{false, 1}, {false, AccessClass::unlimited}};
    for (int batches = 1; batches <= probes + 1; ++batches) out.push_back({true, batches});
    out.push_back({true, AccessClass::unlimited});
    return out;
}

std::string text_of(const Family& family, const AccessClass& access, int bits, int probes) {
    return to_string(access) + ", " + std::to_string(bits) + " bits, " + std::to_string(probes) +
           " probes on " + family.name;
}

/// The risk with both its sides as records; nothing where the lower side was not found.
std::optional<Rational> certified_risk(const Family& family, const AccessClass& access, int bits, int probes,
                                       std::vector<std::string>& records) {
    const DeterministicRisk risk = deterministic_risk(family, access, bits, probes);
    const auto lower = lower_witness(family, access, bits, probes, risk.upper);
    if (!risk.decided() || !lower) return {};
    append_protocol(risk.protocol, records);
    append_lower(*lower, records);
    return risk.upper;
}

} // namespace

Decision decide_probe_risk(const Formula& named, const Context& /*context*/) {
    const Family family = make_family(named.words[0]);
    const AccessClass access = parse_access_class(named.words[1]);
    const int bits = budget(named, named.words[2]);
    const int probes = budget(named, named.words[3]);
    const Rational claimed = parse_rational(named.words[4]);
    Decision out;
    append_family(family, out.records);
    const auto risk = certified_risk(family, access, bits, probes, out.records);
    out.cases = 1;
    out.witness = {
        {"risk of " + text_of(family, access, bits, probes), {risk ? to_string(*risk) : "not found"}}};
    if (risk == claimed) {
        out.verdict = Verdict::proved;
        out.exact = risk;
    } else {
        out.why =
            Why::not_shown; // a false number has no certificate of its own: the true one is another claim
    }
    return out;
}

Decision decide_probe_table(const Formula& named, const Context& /*context*/) {
    const Family family = make_family(named.words[0]);
    const int most_bits = budget(named, named.words[1]);
    const int most_probes = budget(named, named.words[2]);
    Decision out;
    append_family(family, out.records);
    for (int bits = 0; bits <= most_bits; ++bits)
        for (int probes = 0; probes <= most_probes; ++probes)
            for (const AccessClass& access : table_classes(probes)) {
                std::vector<std::string> witness;
                const auto risk = certified_risk(family, access, bits, probes, witness);
                if (!risk) {
                    out.why = Why::case_budget;
                    return out;
                }
                out.records.push_back("risk " + std::to_string(bits) + " " + std::to_string(probes) + " " +
                                      to_string(access) + " " + to_string(*risk));
                out.records.insert(out.records.end(), witness.begin(), witness.end());
                ++out.cases;
            }
    out.verdict = Verdict::proved;
    out.witness = {{"risks of " + family.name, {std::to_string(out.cases)}}};
    return out;
}

} // namespace kvproof
