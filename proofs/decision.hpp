#pragma once

#include "lib/exact/evaluate.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kvproof {

/// How a claim ends. A scoped enum: nothing converts it to bool, so "not proved" can never be read as
/// "refuted".
enum class Verdict { proved, refuted, supported, undecided };

/// Why a claim is undecided, or only supported.
enum class Why {
    none,
    precision_cap, ///< enclosures at the highest precision still overlap
    case_budget,   ///< more instances than the effort allows
    node_budget,   ///< the covering was not finished
    missing_part,  ///< needs a part of the program that does not exist yet
    missing_input, ///< the user's file does not hold what the claim speaks of
    not_shown,     ///< the normal form does not show the identity
    effort,        ///< runs at --effort full only
    rounding_edge, ///< of what is supported: printed numbers decide it one way or the other by digits not
                   ///< printed
};

/// What may be spent on one claim. Work is counted, never time, so that a verdict does not depend on the
/// machine.
struct Effort {
    Bits bits = 4096;              ///< the highest precision of an enclosure
    std::uint64_t nodes = 200'000; ///< boxes of a covering
    std::uint64_t cases = 2'000'000;
    bool full = false; ///< rows marked `full` in the registry run too
};

/// A named part of the evidence; exact numbers are decimal or p/q strings.
struct Witness {
    std::string name;
    std::vector<std::string> values;
};

/// Where a relation fails: the formula's own relation, which must outlive this, and the values of its
/// variables.
struct Refutation {
    const Formula* relation = nullptr;
    Box point;
};

/// What a rule returns.
struct Decision {
    Verdict verdict = Verdict::undecided;
    Why why = Why::none;
    std::optional<Interval> enclosure; ///< of the one number that the claim is about
    std::optional<Rational> exact;     ///< that number, where it is a known rational
    std::optional<Interval> slack;     ///< bound over worst case, >= 1 where the claim is proved
    std::vector<Witness> witness;
    std::vector<std::string> records; ///< the witness for checkers, line by line (docs/certificates.md)
    std::optional<Refutation> refutation;
    std::uint64_t cases = 0; ///< relations, boxes, cells or instances that were decided
    Bits checker_bits = 0;   ///< precision that a checker needs where it is not twice `bits`
    Bits bits = 0;           ///< the highest precision used; 0 where all was exact
};

[[nodiscard]] std::string_view to_string(Verdict verdict);
/// Throws Error(bad_registry) for any other text.
[[nodiscard]] Verdict parse_verdict(std::string_view text);
[[nodiscard]] std::string_view to_string(Why why);

/// The decision for a conjunction: proved if both are, refuted if either is; the evidence is joined, the
/// smaller slack and the first enclosure stand.
[[nodiscard]] Decision both(Decision first, Decision second);

} // namespace kvproof
