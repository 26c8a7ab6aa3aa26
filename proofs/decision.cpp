#include "proofs/decision.hpp"

#include "lib/error.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace kvproof {
namespace {

constexpr std::array verdict_names = {"proved", "refuted", "supported", "undecided"};

/// Refuted weighs most in a conjunction, then undecided, then supported.
int weight(Verdict verdict) {
    switch (verdict) {
    case Verdict::refuted: return 3;
    case Verdict::undecided: return 2;
    case Verdict::supported: return 1;
    case Verdict::proved: return 0;
    }
    return 2;
}

} // namespace

std::string_view to_string(Verdict verdict) {
    return verdict_names[static_cast<std::size_t>(verdict)];
}

Verdict parse_verdict(std::string_view text) {
    const auto* const at = std::ranges::find(verdict_names, text);
    if (at == verdict_names.end())
        throw Error(ErrorCode::bad_registry, "found verdict \"" + std::string(text) +
                                                 "\", expected proved, refuted, supported or undecided");
    return static_cast<Verdict>(at - verdict_names.begin());
}

std::string_view to_string(Why why) {
    switch (why) {
    case Why::none: return "none";
    case Why::precision_cap: return "precision_cap";
    case Why::case_budget: return "case_budget";
    case Why::node_budget: return "node_budget";
    case Why::missing_part: return "missing_part";
    case Why::missing_input: return "missing_input";
    case Why::not_shown: return "not_shown";
    case Why::effort: return "effort";
    case Why::rounding_edge: return "rounding_edge";
    }
    return "none";
}

Decision both(Decision first, Decision second) {
    Decision out = std::move(first);
    if (weight(second.verdict) > weight(out.verdict)) {
        out.verdict = second.verdict;
        out.why = second.why;
    }
    if (!out.enclosure && !out.exact) {
        out.enclosure = std::move(second.enclosure);
        out.exact = std::move(second.exact);
    }
    if (out.slack && second.slack)
        out.slack = min(*out.slack, *second.slack);
    else if (second.slack)
        out.slack = std::move(second.slack);
    std::ranges::move(second.witness, std::back_inserter(out.witness));
    std::ranges::move(second.records, std::back_inserter(out.records));
    if (!out.refutation) out.refutation = std::move(second.refutation);
    out.cases += second.cases;
    out.bits = std::max(out.bits, second.bits);
    out.checker_bits = std::max(out.checker_bits, second.checker_bits);
    return out;
}

} // namespace kvproof
