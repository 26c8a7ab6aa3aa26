#pragma once

#include "proofs/registry.hpp"
#include "proofs/rules/decide.hpp"

namespace kvproof {

/// A claim that is more than its formula has a function of its own: it spends an effort and returns a
/// decision.
using ClaimFunction = Decision (*)(const Claim& claim, const Context& context);

/// The function of a claim, or nullptr where the formula decides.
[[nodiscard]] ClaimFunction function_of(const std::string& id);

/// An integer parameter of a function's row: `(lloyd-tree depth 8 digits 30)` has depth 8.
/// Throws Error(bad_registry) where it is missing.
[[nodiscard]] long parameter(const Claim& claim, std::string_view name);

/// The formula inside a function's row: the part that begins at "(and", "(forall" or a relation.
[[nodiscard]] Formula formula_part(const Claim& claim);

// One per claim, in the file named after its place in the paper.
Decision lloyd_tree_exists(const Claim& claim, const Context& context);
Decision lloyd_tree_is_symmetric(const Claim& claim, const Context& context);
Decision nested_penalty(const Claim& claim, const Context& context);
Decision quantisers_obey_entropy_bound(const Claim& claim, const Context& context);
Decision bayes_risk_is_source_error(const Claim& claim, const Context& context);
Decision converse_slack(const Claim& claim, const Context& context);
Decision separation_region(const Claim& claim, const Context& context);
Decision needs_reader(const Claim& claim, const Context& context);

} // namespace kvproof
