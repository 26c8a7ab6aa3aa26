#pragma once

#include "lib/exact/formula.hpp"

namespace kvproof {

/// Typeset formulas: presentation MathML, which browsers lay out by themselves. Well-formed XML whatever the
/// names in the tree are; the namespace stands on the outermost element only.

/// One term, without the element <math> around it.
[[nodiscard]] std::string to_mathml(const Expr& expr);

/// A statement as one element <math display="block">, the parts of a conjunction below each other.
[[nodiscard]] std::string to_mathml(const Formula& formula);

/// The name of a variable or a quantity as it is typeset: `sigma_K` as a Greek letter with an index,
/// `lloyd.gain.3` as the paper's Delta with the index 3.
[[nodiscard]] std::string name_to_mathml(const std::string& name);

/// How many characters the widest line has, printed infix: what is wide does not fit a page.
[[nodiscard]] std::size_t widest_line(const Formula& formula);

} // namespace kvproof
