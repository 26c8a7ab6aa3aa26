#pragma once

#include "lib/exact/formula.hpp"
#include "proofs/decision.hpp"
#include "proofs/quantities.hpp"

namespace kvproof {

/// What every decision may use.
struct Context {
    const CertifiedQuantities& quantities;
    Effort effort;
};

/// Decides a formula whose free variables have the ranges of the box (none, for a whole claim). The shape of
/// the formula says how: relations between constants by the rule `const` (and `=` by `identity`), quantifiers
/// over boxes by `cover`, over integers by `enumerate`.
[[nodiscard]] Decision decide(const Formula& formula, const Box& box, const Context& context);

/// A truth value and the precision that gave it (0: exact).
struct TruthAt {
    Truth truth;
    Bits bits;
};

/// Decides a relation at one point, no more: no enclosure, slack or witness.
[[nodiscard]] TruthAt truth_of(const Formula& relation, const Box& box, const Context& context);

/// Whether every term is certain to be defined on the whole box. A normal form shows equality only where both
/// sides are: sqrt(-1) sqrt(-1) has one.
[[nodiscard]] bool all_defined(const Formula& relation, const Box& box, const Context& context);

/// A relation between constants: exactly where it is rational, by normal forms where it is an equality, else
/// by enclosures whose precision doubles from 64 bits to the effort's.
[[nodiscard]] Decision decide_constant(const Formula& relation, const Box& box, const Context& context);

/// An equality between expressions with free variables, by their normal forms.
[[nodiscard]] Decision decide_identity(const Formula& relation, const Box& box, const Context& context);

/// A universal statement over real boxes, by branch and bound.
[[nodiscard]] Decision decide_cover(const Formula& universal, const Box& box, const Context& context);

/// A relation or a conjunction about printed numbers: proved where it holds for all values that these may
/// stand for, refuted where for none, supported (rounding_edge) where for some and not for others.
[[nodiscard]] Decision decide_printed(const Formula& printed, const Context& context);

/// A universal statement over integer ranges, instance by instance. Inside stand relations and conjunctions
/// only.
[[nodiscard]] Decision decide_enumerate(const Formula& universal, const Box& box, const Context& context);

/// A statement that is known by its name, by the rule that knows it:
///   (lloyd-tree W n)      the tree of depth W exists, is unique, and all its numbers are enclosed to n
///   digits (lloyd-symmetric W)   it is symmetric about 0 (lloyd-max T n)       the optimal quantisers of 2,
///   4, ..., 2^T levels exist, are unique and enclosed (pending ...)         needs a part of the program that
///   does not exist yet: undecided (reader NAME SEED N)  a statement about the running reader (decide_sample)
///   (probe-risk ...), (probe-table ...), (probe-game ...)  risks in the probe model
[[nodiscard]] Decision decide_named(const Formula& named, const Context& context);

[[nodiscard]] Decision decide_tree(const Formula& named, const Context& context);
[[nodiscard]] Decision decide_symmetry(const Formula& named, const Context& context);
[[nodiscard]] Decision decide_optima(const Formula& named, const Context& context);

/// A statement about the running reader, on its own grid of cases and N drawn ones, twenty times as many at
/// full effort: supported at most. What was drawn can be repeated, but not certified.
[[nodiscard]] Decision decide_sample(const Formula& named, const Context& context);

/// (probe-risk ...) and (probe-table ...) of docs/probe.md: the risks are computed, with both their sides as
/// records. Undecided where the number is another one than is claimed.
[[nodiscard]] Decision decide_probe_risk(const Formula& named, const Context& context);
[[nodiscard]] Decision decide_probe_table(const Formula& named, const Context& context);

/// (probe-game ...): whether the bracket that was found is the claimed one.
[[nodiscard]] Decision decide_probe_game(const Formula& named, const Context& context);

/// The smallest ratio of larger to smaller side over the relation's links, where both sides are positive.
[[nodiscard]] std::optional<Interval> slack_of(const Formula& relation, const Box& box,
                                               const Context& context, Bits bits);

/// Names the variables' values and both sides of the failing link: the evidence against a relation at one
/// point.
[[nodiscard]] std::vector<Witness> counterexample(const Formula& relation, const Box& point,
                                                  const Context& context, Bits bits);

} // namespace kvproof
