#pragma once

// The functions of rationals that formulas know by name (docs/formulas.md): exact values.

#include "exact.hpp"

#include <string>
#include <vector>

namespace kvcheck {

/// clipped + active * power^(1/active)
struct FunctionValue {
    mpq_class clipped;
    unsigned long active = 0;
    mpq_class power;

    [[nodiscard]] std::optional<mpq_class> exact() const; ///< where it is rational
    [[nodiscard]] Interval enclosure(const Fixed& scale) const;
};

[[nodiscard]] bool is_function(const std::string& name);

/// Throws Undefined where an argument is out of range.
[[nodiscard]] FunctionValue function_value(const std::string& name, const std::vector<mpq_class>& arguments);

} // namespace kvcheck
