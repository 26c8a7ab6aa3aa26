#pragma once

#include "lib/exact/interval.hpp"

namespace kvproof {

/// What the standard normal law says about a cut of the line at x, mostly an exactly known point, or
/// +infinity: the density phi(x) and the upper tail P(Z > x), as enclosures.
struct Cut {
    Interval x;
    Interval density;
    Interval tail;
};

/// Enclosures with ends of this precision, tight at a point and relatively accurate also for large positive
/// x; for an interval x they hold the values at all of its members.
[[nodiscard]] Cut gaussian_cut(const Interval& x, Bits bits);
/// The same from a cut nearby, by a series in the difference: phi(x + h) = phi(x) exp(-x h - h^2/2),
/// integrated for the tail. The nearer, the fewer its terms: next to nothing beside gaussian_cut where x is a
/// Newton step away, or a narrow ball around at.x. Where the series is of no use (too far, at.x no point) it
/// is gaussian_cut.
[[nodiscard]] Cut nearby_cut(const Cut& at, const Interval& x, Bits bits);
/// The cut at +infinity.
[[nodiscard]] Cut cut_at_infinity();

/// P(a < Z < b).
[[nodiscard]] Interval cell_mass(const Cut& a, const Cut& b, Bits bits);
/// c(a, b) = E[Z | a < Z < b] = (phi(a) - phi(b)) / (Phi(b) - Phi(a)).
[[nodiscard]] Interval cell_centroid(const Cut& a, const Cut& b, Bits bits);
/// E[(Z - q)^2; a < Z < b], the distortion of the cell when q reconstructs it.
[[nodiscard]] Interval cell_distortion(const Cut& a, const Cut& b, const Interval& q, Bits bits);
/// Var[Z | a < Z < b] > 0.
[[nodiscard]] Interval cell_variance(const Cut& a, const Cut& b, Bits bits);

} // namespace kvproof
