#pragma once

#include "lib/exact/formula.hpp"
#include "lib/exact/interval.hpp"

#include <map>
#include <optional>

namespace kvproof {

/// Where the named certified quantities of formulas come from.
class Quantities {
public:
    virtual ~Quantities() = default;
    /// An enclosure that tightens as the bits grow. Throws Error(unknown_quantity).
    [[nodiscard]] virtual Interval enclose(const std::string& name, Bits bits) const = 0;
    /// The value where it is a rational number that is known exactly.
    [[nodiscard]] virtual std::optional<Rational> exact(const std::string& name) const = 0;
    /// The same for the value of a named function at rational arguments. Undefined or nothing outside its
    /// domain.
    [[nodiscard]] virtual Interval enclose_function(const std::string& name,
                                                    const std::vector<Rational>& arguments, Bits bits) const;
    [[nodiscard]] virtual std::optional<Rational>
    exact_function(const std::string& name, const std::vector<Rational>& arguments) const;
};

/// No quantity has a name here.
[[nodiscard]] const Quantities& no_quantities();

/// A closed range of rationals.
struct Range {
    Rational lower;
    Rational upper;
};

/// The ranges of the variables in scope.
using Box = std::map<std::string, Range>;

/// An enclosure of the expression's range over the box, every operation at the given precision.
[[nodiscard]] Interval enclose(const Expr& expr, const Box& box, const Quantities& quantities, Bits bits);

/// The same in rational arithmetic without any rounding, where the expression is rational over the box:
/// constants, + - * / integer powers, abs, min, max, floor and exactly known quantities. Nothing otherwise,
/// also where a divisor may vanish.
[[nodiscard]] std::optional<Range> exact_range(const Expr& expr, const Box& box,
                                               const Quantities& quantities);

/// Whether the relation chain holds over the whole box: exactly where it is rational, else by enclosures at
/// the given precision. yes: everywhere; no: some link fails everywhere; unknown: not decided here.
[[nodiscard]] Truth holds(const Formula& relation, const Box& box, const Quantities& quantities, Bits bits);

} // namespace kvproof
