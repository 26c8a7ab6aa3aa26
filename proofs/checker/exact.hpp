#pragma once

// Ranges of exact fractions, the operations on them, and the numbers of certificates.

#include "fixed.hpp"

#include <optional>
#include <string_view>

namespace kvcheck {

enum class Op {
    number,
    pi,
    e,
    variable,
    quantity, // leaves
    add,
    subtract,
    multiply,
    divide,
    negate,
    power,
    abs,
    min,
    max,
    floor, // rational on rationals
    sqrt,
    exp,
    log,
    erf,
    erfc,
    tanh,
    function // of rationals, by name
};

struct Range {
    mpq_class lo, hi;
    [[nodiscard]] bool is_point() const { return lo == hi; }
};

/// The exact range of a rational operation whose operands run through a and b (b is ignored by an operation
/// of one operand). Nothing where a power's exponent is not one integer. Throws Undefined outside the domain.
[[nodiscard]] std::optional<Range> apply(Op op, const Range& a, const Range& b);

[[nodiscard]] mpz_class floor_of(const mpq_class& x);
[[nodiscard]] mpz_class ceiling_of(const mpq_class& x);

/// The binary32 number nearest to x, ties to even. Throws Undefined where it overflows.
[[nodiscard]] mpq_class rounded_to_binary32(const mpq_class& x);

/// Numbers as certificates write them, in no other form: at most 2000 characters, nothing redundant.
[[nodiscard]] std::optional<mpz_class> read_integer(std::string_view text);
[[nodiscard]] std::optional<mpq_class> read_rational(std::string_view text);
[[nodiscard]] std::optional<mpz_class> read_scaled(std::string_view text);

} // namespace kvcheck
