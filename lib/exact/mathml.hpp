#pragma once

#include "lib/exact/formula.hpp"

namespace kvproof {

/// Typeset formulas: presentation MathML, which browsers lay out by themselves. Well-formed XML whatever the
/// names in the tree are; the namespace stands on the outermost element only.

/// One term, without the element <math> around it.
[[nodiscard]] std::string to_mathml(const Expr& expr);

/// A statement as it is typeset, and how large it is.
struct TypesetFormula {
    std::string mathml;     ///< one element <math display="block">
    std::size_t widest = 0; ///< of its lines, in about as many characters
    std::size_t lines = 0;
};

/// A statement: the parts of a conjunction below each other, what stands under a quantifier indented, long
/// chains and sums broken at their signs. What has no sign to break at stays on its line, however wide.
[[nodiscard]] TypesetFormula typeset_formula(const Formula& formula);

/// The name of a variable or a quantity as it is typeset: `sigma_K` as a Greek letter with an index,
/// `lloyd.gain.3` as the paper's Delta with the index 3.
[[nodiscard]] std::string name_to_mathml(const std::string& name);

} // namespace kvproof
