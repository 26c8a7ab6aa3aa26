#include "proofs/functions.hpp"

#include "lib/error.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace kvproof {
namespace {

constexpr std::array<std::pair<std::string_view, ClaimFunction>, 13> functions = {{
    {"readkv.lloyd.tree", lloyd_tree_exists},
    {"readkv.lloyd.tree.depth12", lloyd_tree_exists},
    {"readkv.lloyd.symmetry", lloyd_tree_is_symmetric},
    {"readkv.lloyd.nested_penalty", nested_penalty},
    {"readkv.eq4.quantisers", quantisers_obey_entropy_bound},
    {"readkv.eq4.quantisers.fine", quantisers_obey_entropy_bound},
    {"readkv.thm1.bayes", bayes_risk_is_source_error},
    {"readkv.thm1.slack", converse_slack},
    {"readkv.thm1.region", separation_region},
    {"readkv.thm1.schedule", needs_reader},
    {"readkv.thm1.upper", needs_reader},
    {"readkv.thm2.run", needs_reader},
    {"readkv.obstruction.reader", needs_reader},
}};

} // namespace

ClaimFunction function_of(const std::string& id) {
    const auto* const at =
        std::ranges::find(functions, id, &std::pair<std::string_view, ClaimFunction>::first);
    return at == functions.end() ? nullptr : at->second;
}

long parameter(const Claim& claim, std::string_view name) {
    const std::string key = " " + std::string(name) + " ";
    const std::size_t at = claim.formula.find(key);
    long value = 0;
    if (at != std::string::npos) {
        const char* from = claim.formula.data() + at + key.size();
        const auto [end, status] = std::from_chars(from, claim.formula.data() + claim.formula.size(), value);
        if (status == std::errc()) return value;
    }
    throw Error(ErrorCode::bad_registry, claim.id + ": the formula lacks the parameter " + std::string(name));
}

Formula formula_part(const Claim& claim) {
    // (name key value … FORMULA): the formula is the last list
    const std::size_t at = claim.formula.find('(', 1);
    if (claim.formula.empty() || at == std::string::npos)
        throw Error(ErrorCode::bad_registry, claim.id + ": the row holds no formula");
    return parse_formula(std::string_view(claim.formula).substr(at, claim.formula.size() - at - 1));
}

} // namespace kvproof
