#pragma once

#include "lib/codec/codebook.hpp"

#include <optional>

namespace kvproof {

/// eps_t = sup over |u| <= 1 of |u - Q_t(u)| (ReadKV E.1.1), taken at an end of some cell cut to [-1, 1].
template <class Number>
struct PointwiseError {
    Number value;
    Number at;        ///< the end where it is taken
    std::size_t cell; ///< of depth t
    bool attained;    ///< the end belongs to the cell (its lower end, or 1); else it is only approached
};

/// For Rational: exact. For Interval: enclosures; throws Error(precision_exhausted) where an enclosure cannot
/// be told from -1 or 1. Among equal ends the attained one with the largest u is named.
[[nodiscard]] PointwiseError<Rational> pointwise_error(const Codebook<Rational>& codebook, int t);
[[nodiscard]] PointwiseError<Interval> pointwise_error(const Codebook<Interval>& codebook, int t);

/// The cell of depth t that holds u; a boundary belongs to the cell above it.
/// Throws Error(precision_exhausted) where that is undecided.
[[nodiscard]] std::size_t cell_of(const Codebook<Rational>& codebook, int t, const Rational& u);
[[nodiscard]] std::size_t cell_of(const Codebook<Interval>& codebook, int t, const Rational& u);

} // namespace kvproof
