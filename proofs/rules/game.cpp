#include "proofs/rules/decide.hpp"

namespace kvproof {

Decision decide_probe_game(const Formula& named, const Context& /*context*/) {
    Decision out;
    out.why = Why::missing_part;
    out.witness = {{"missing", {named.name}}};
    return out;
}

} // namespace kvproof
