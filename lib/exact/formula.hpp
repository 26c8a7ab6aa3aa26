#pragma once

#include "lib/exact/expr.hpp"

#include <optional>

namespace kvproof {

enum class Relation { less, less_equal, greater, greater_equal, equal };

/// A variable with its range: a real box side, the integers lower..upper, or what a printed number may stand
/// for.
struct Bound {
    std::string name;
    bool integer = false;
    Rational lower;
    Rational upper;
    std::string digits = {}; // of a printed number, as they stand
    bool operator==(const Bound&) const = default;
};

/// A statement about real numbers, as data:
///   relation     a chain such as lo < x < hi (all links carry the same relation)
///   conjunction  every part holds
///   universal    the part holds for all values of the bound variables
///   printed      the part holds for all values that the printed numbers may stand for, for none, or for
///                some: one of three answers, where a universal formula has two; it stands outermost or
///                not at all
///   part         the part holds; it is only a stated part of what the claim's prose says
///   named        a statement that a rule knows by its name, with integer parameters: (lloyd-tree 8 30)
///                or (reader staged2 0 40), a statement about the running reader
struct Formula {
    enum class Kind { relation, conjunction, universal, printed, part, named };
    Kind kind = Kind::relation;
    Relation relation = Relation::less;
    std::vector<Expr> terms;        // relation: two or more
    std::vector<Formula> parts;     // conjunction: one or more; universal, printed, part: exactly one
    std::vector<Bound> bounds;      // universal, printed: one or more
    std::string name;               // named
    std::vector<long> parameters;   // named
    std::string subject;            // named: what `pending` waits for; which statement about the `reader`
    std::vector<std::string> words; // named, of a risk in the probe model: its parameters as written
    bool operator==(const Formula&) const = default;
};

// clang-format off
/// Reads the machine form. Grammar (docs/formulas.md):
///   formula := (REL term term ...) | (and formula ...) | (forall (bound ...) formula)
///            | (let ((name term) ...) formula) | (part formula) | (printed ((name digits) ...) formula)
///            | (lloyd-tree W n) | (lloyd-symmetric W) | (lloyd-max T n) | (pending WHAT)
///            | (reader NAME SEED CASES) | (probe-risk FAMILY CLASS W R VALUE) | (probe-table FAMILY W R)
///            | (probe-game FAMILY CLASS W R LOWER UPPER)
///   REL     := < | <= | > | >= | =
///   bound   := (name lower upper) | (name int lower upper)
///   term    := number | pi | e | name | (OP term ...) | (FUNCTION term ...) | (probe.FAMILY.CLASS w r)
/// `let` abbreviates: each name is replaced by its term while reading. A name with a dot is a certified quantity.
/// Throws Error(bad_formula) with the place of the fault.
// clang-format on
[[nodiscard]] Formula parse_formula(std::string_view text);

/// Reads one term; names without a dot must be among `variables`.
[[nodiscard]] Expr parse_expr(std::string_view text, const std::vector<std::string>& variables = {});

/// "<", "<=", ">", ">=", "=" and back.
[[nodiscard]] std::string_view relation_name(Relation relation);
[[nodiscard]] std::optional<Relation> relation_named(std::string_view name);

[[nodiscard]] std::string to_machine(const Formula& formula);
[[nodiscard]] std::string to_infix(const Formula& formula);
[[nodiscard]] std::vector<std::string> quantities_of(const Formula& formula);

/// All relations of the formula in order, inside conjunctions and quantifiers too.
[[nodiscard]] std::vector<const Formula*> relations_of(const Formula& formula);

} // namespace kvproof
