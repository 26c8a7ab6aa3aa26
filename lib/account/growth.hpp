#pragma once

#include "lib/exact/rational.hpp"

namespace kvproof {

/// How a count grows with the cache length t >= 1. Every quantity that the papers charge is a combination of
/// these four, so that each has a value at one call and a closed form for its sum over calls.
struct Growth {
    enum class Kind {
        constant, ///< 1
        tokens,   ///< floor(rate t)
        pairs,    ///< floor(rate ceil(t/2))
        window,   ///< a window of `limit` tokens, `step` of which leave after the call that fills it
    };
    Kind kind = Kind::constant;
    Rational rate = 1; ///< >= 0
    long limit = 1;    ///< >= 1
    long step = 1;     ///< 1 to limit

    [[nodiscard]] static Growth tokens(const Rational& rate = 1);
    [[nodiscard]] static Growth pairs(const Rational& rate = 1);
    [[nodiscard]] static Growth window(long limit, long step);
    /// min(t, limit): a window that one token leaves at a time.
    [[nodiscard]] static Growth latest(long limit);
    /// ((t-1) mod size) + 1, the tokens of the last, perhaps unfilled, block: a window that all leave at
    /// once.
    [[nodiscard]] static Growth open_block(long size);
};

/// The count at cache length t >= 1.
[[nodiscard]] Integer value_at(const Growth& growth, long t);

/// The sum of the counts at lengths 1..t, in closed form: no loop over calls. 0 for t = 0.
[[nodiscard]] Integer sum_to(const Growth& growth, long t);

/// floor(rate) + floor(2 rate) + ... + floor(n rate), rate >= 0, in as many steps as Euclid's algorithm
/// takes.
[[nodiscard]] Integer sum_of_floors(const Rational& rate, long n);

} // namespace kvproof
