#pragma once

#include "lib/exact/interval.hpp"
#include "sim/probe/family.hpp"

#include <optional>

namespace kvproof {

/// What every reader whose path does not see the query must lose, coins or not: lower bounds of its worst
/// expected squared error.
struct Converse {
    /// The entropy-MMSE bound (ReadKV E.1, Theorems 1 and 2) of the *solid* family that encloses the finite
    /// one: z, or the values, range over the whole of [-1,1]. Never a bound for the finite family.
    Interval solid;
    /// A bound for the finite family itself, where the sources are the vertices of a cube.
    std::optional<Interval> finite;
};

/// The bounds at t = min(w, r) bits of transcript; nothing for families that are not ReadKV's. In d
/// coordinates: solid 2^(1-2t/d)/(pi e d); finite (1-t/d)^(ln 4)/d, which is 0 for t >= d. Attention: solid
/// (2p-1)^2 2^(1-t)/(pi e). Why these hold for each family: docs/probe-bounds.md.
[[nodiscard]] std::optional<Converse> query_independent_converse(const Family& family, int bits, int probes,
                                                                 Bits accuracy);

} // namespace kvproof
