#pragma once

#include "lib/exact/expr.hpp"
#include "lib/exact/mathml_elements.hpp"

// Pieces of typeset formulas: what operations bind how, and how wide things are.

namespace kvproof::mathml {

struct Typeset {
    std::string xml;       ///< exactly one element
    int binding = 0;       ///< of the outermost operation: 0 sum, 1 product, 2 power or fraction, 3 atom
    std::size_t width = 0; ///< about as many characters
};

inline constexpr const char* minus_sign = "\xE2\x88\x92";
inline constexpr const char* dot_sign = "\xE2\x8B\x85";

[[nodiscard]] inline std::string fenced(const char* left, const std::string& inner, const char* right) {
    return row(operation(left) + inner + operation(right));
}

/// In brackets where it binds less than is needed.
[[nodiscard]] inline Typeset wrap(const Typeset& inner, int needed) {
    if (inner.binding >= needed) return inner;
    return {fenced("(", inner.xml, ")"), 3, inner.width + 2};
}

/// An operation between its two sides.
[[nodiscard]] inline Typeset infix(const Typeset& left, const char* sign, const Typeset& right, int binding) {
    return {row(left.xml + operation(sign) + right.xml), binding, left.width + right.width + 3};
}

[[nodiscard]] Typeset fraction(const Typeset& above, const Typeset& below);
[[nodiscard]] Typeset negative(const Typeset& size);

/// A number as people print it: 0.63661974, a fraction, or some digits times a power of ten.
[[nodiscard]] Typeset typeset(const Rational& value);
[[nodiscard]] Typeset typeset(const Expr& expr);
[[nodiscard]] Typeset typeset_name(const std::string& name);

} // namespace kvproof::mathml
