#pragma once

#include "lib/exact/evaluate.hpp"

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace kvproof {

/// Encloses expressions at one point after another, as enclose() does, with the same ends. Equal subterms are
/// evaluated once, wherever they stand, and only where something below them has changed since the point
/// before: an enumeration moves few variables at a time.
class Evaluator {
public:
    Evaluator(const Quantities& quantities, Bits bits) : quantities_(quantities), bits_(bits) {}

    /// Takes an expression in and says under which number its value is found.
    std::size_t add(const Expr& expr);
    void move_to(const Box& point);
    /// The enclosure at the point moved to.
    [[nodiscard]] const Interval& value(std::size_t number) const { return terms_[number].value; }

private:
    struct Term {
        Expr expr;
        std::vector<std::size_t> arguments;
        Interval value;
        bool is_fresh = true;    ///< has no value yet
        bool has_changed = true; ///< in the last move
    };
    using Key = std::tuple<Op, std::string, std::vector<std::size_t>>;
    using Known = std::unordered_map<const Expr::Node*, std::size_t>;

    std::size_t add(const Expr& expr, Known& known);
    [[nodiscard]] bool is_due(const Term& term) const;
    [[nodiscard]] Interval evaluate(const Term& term, const Box& point) const;

    const Quantities& quantities_;
    Bits bits_;
    std::vector<Term> terms_; // arguments stand before what they are arguments of
    std::map<Key, std::size_t> numbers_;
};

} // namespace kvproof
