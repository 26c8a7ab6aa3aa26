// Randomised risks in the probe model: a prior from below, a mixture of protocols from above.

#include "proofs/certificate/game_limits.hpp"
#include "proofs/certificate/probe_records.hpp"
#include "proofs/rules/decide.hpp"
#include "proofs/rules/probe_words.hpp"

namespace kvproof {

Decision decide_probe_game(const Formula& named, const Context& /*context*/) {
    const ProbeWords words = read_words(named);
    const Bracket bracket = randomised_risk(words.family, words.access, words.bits, words.probes);
    Decision out;
    out.cases = 1;
    out.witness = {{"randomised risk of " + words.text(),
                    {"[" + to_string(bracket.lower) + ", " + to_string(bracket.upper) + "]"}}};
    append_family(words.family, out.records);
    append_game(words.family, bracket, out.records);
    const bool certified = is_checkable(words.family, words.access, words.bits, words.probes, bracket);
    if (certified && bracket.lower == parse_rational(named.words[4]) &&
        bracket.upper == parse_rational(named.words[5])) {
        out.verdict = Verdict::proved;
        if (bracket.closed()) out.exact = bracket.lower;
    } else {
        out.why = Why::not_shown;
    }
    return out;
}

} // namespace kvproof
