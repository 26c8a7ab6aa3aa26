// Statements that are known by their names: which rule decides which.

#include "lib/error.hpp"
#include "proofs/rules/decide.hpp"

#include <map>

namespace kvproof {
namespace {

Decision decide_pending(const Formula& named, const Context& /*context*/) {
    Decision out;
    out.why = Why::missing_part;
    out.witness = {{"missing", {named.subject}}};
    return out;
}

} // namespace

Decision decide_named(const Formula& named, const Context& context) {
    using Rule = Decision (*)(const Formula&, const Context&);
    static const std::map<std::string, Rule> rules = {
        {"lloyd-tree", decide_tree},       {"lloyd-symmetric", decide_symmetry},
        {"lloyd-max", decide_optima},      {"reader", decide_sample},
        {"probe-risk", decide_probe_risk}, {"probe-table", decide_probe_table},
        {"probe-game", decide_probe_game}, {"pending", decide_pending},
    };
    const auto rule = rules.find(named.name);
    if (rule == rules.end()) throw Error(ErrorCode::internal, "no rule decides " + named.name);
    return rule->second(named, context);
}

} // namespace kvproof
