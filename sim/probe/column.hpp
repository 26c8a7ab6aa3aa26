#pragma once

#include "sim/probe/bayes.hpp"
#include "sim/probe/symmetry.hpp"

#include <vector>

namespace kvproof {

/// A protocol with its decoder, for a game. An answer is a mean of the targets of the sources in its leaf
/// (none outside their hull is better), so it is held by its weights: they need not change where a symmetry
/// or another query that is alike moves the targets.
struct Column {
    Protocol protocol;
    std::vector<Rational> shares; ///< [sources, queries]: of the source in its leaf's answer; they add to 1

    bool operator==(const Column&) const = default;
};

/// The answers are the conditional means for `prior`; where it has no weight in a leaf, for `otherwise`,
/// which has weight everywhere. With `round` the shares are multiples of 2^-round.
[[nodiscard]] Column with_means(Protocol protocol, const Family& family, const Prior& prior,
                                const Prior& otherwise, int round = 0);

/// The loss of every pair, [sources, queries].
[[nodiscard]] std::vector<Rational> losses(const Column& column, const Family& family);

/// What loses on (s x, t y) what `column` loses on (x, y).
[[nodiscard]] Column moved(const Column& column, const Family& family, const Symmetry& symmetry);

/// The answers, [queries, 2^depth, dim]; 0 for leaves without sources.
[[nodiscard]] std::vector<Rational> answers(const Column& column, const Family& family);

/// A protocol for the distinct queries serves all; with a tree for each where the reader sees them.
[[nodiscard]] Column for_all_queries(const Column& column, const QueryClasses& classes, bool sees_query);

} // namespace kvproof
