#pragma once

// The truth of relations, for variables in given ranges: exactly where both sides are rational, else by
// enclosures and by normal forms. Each shared node is evaluated once per evaluation, one without variables
// once for all.

#include "functions.hpp"
#include "normal_form.hpp"

namespace kvcheck {

enum class Truth { no, open, yes };

/// What quantities are: a point where they are rational numbers. May throw Undefined.
class Quantities;

class Evaluator {
public:
    /// Enclosures have 64 bits more than the precision that was asked for.
    Evaluator(const Statement& statement, unsigned precision, const Quantities& quantities);

    /// Sets a variable, and forgets what was evaluated with variables.
    void set(int slot, const Range& range);
    [[nodiscard]] const Range& range(int slot) const { return variables_[slot]; }

    /// The truth of a chain: no where one link is certainly false.
    [[nodiscard]] Truth truth(const Formula& relation);
    /// Whether all terms of a chain of = have one normal form, and enclosures for the ranges set.
    [[nodiscard]] bool identical(const Formula& relation);

private:
    template <class Value>
    struct Memo {
        long when = -1; ///< the evaluation; 0 for a node without variables
        Value value;
    };

    [[nodiscard]] Truth link(Relation relation, int a, int b);
    const Range* exact(int id); ///< nullptr: not rational
    std::optional<Range> exact_value(const Node& node);
    FunctionValue function(const Node& node);
    const Interval& enclosure(int id);
    Interval enclosure_of(const Node& node);

    const Statement& statement_;
    const Quantities& quantities_;
    Fixed fixed_;
    NormalForms forms_;
    std::vector<Range> variables_;
    long now_ = 1;
    std::vector<Memo<std::optional<Range>>> exact_;
    std::vector<Memo<Interval>> enclosures_;
};

} // namespace kvcheck
