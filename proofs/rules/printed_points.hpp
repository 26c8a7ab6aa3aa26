#pragma once

#include "proofs/rules/decide.hpp"

namespace kvproof {

/// Points of a box of printed values: one where all relations hold, one where some relation fails. Where both
/// are found, the printed digits leave the statement open.
struct PrintedPoints {
    std::optional<Box> holds;
    std::optional<Refutation> fails;
    [[nodiscard]] bool both() const { return holds && fails; }
};

/// Takes note of what the relations are at one point.
void look_at(const Box& point, const std::vector<const Formula*>& relations, const Context& context,
             PrintedPoints& found);

/// Looks at corners of the box. A link of a relation is pushed to fail, or to
/// hold, by moving each variable to the end of its range that serves it, found by probing; a link between two
/// extremes is met halfway; last come points spread over the box. Nothing rests on this search: what it finds
/// is evaluated, what it misses is found by halving boxes.
void search_points(const std::vector<const Formula*>& relations, const Box& box, const Context& context,
                   PrintedPoints& found);

/// The middle of the box: of printed numbers, the digits as they stand.
[[nodiscard]] Box middle_of(const Box& box);

/// Adds the variables of a term to the names.
void collect_variables(const Expr& term, std::vector<std::string>& names);

} // namespace kvproof
