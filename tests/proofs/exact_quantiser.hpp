#pragma once
// Uniform quantisers in exact arithmetic, and the moments of their error under a uniform input, cell by cell.

#include "lib/exact/rational.hpp"

#include <algorithm>
#include <vector>

namespace kvproof::testing_support {

/// x -> zero + step (clamp(floor((x - zero)/step + shift), lowest, highest) + offset).
struct ExactQuantiser {
    Rational step;
    Rational zero;
    Rational shift;
    Rational lowest;
    Rational highest;
    Rational offset;

    [[nodiscard]] Rational level(const Rational& x) const {
        const Rational code(floor((x - zero) / step + shift));
        return zero + step * (std::max(lowest, std::min(highest, code)) + offset);
    }
    [[nodiscard]] Rational error(const Rational& x) const { return level(x) - x; }
};

/// AATC's token-scaled quantiser on [-1, 1], that is alpha s_c = 1, as printed (V-B, step 2b).
inline ExactQuantiser printed_quantiser(long bits) {
    const Rational half = power(Rational(2), bits - 1);
    return {Rational(1) / half, 0, Rational(1, 2), -half, half - 1, 0};
}

/// The repair: the same codes for the cells [n, n+1) Delta, which they stand for by their middles.
inline ExactQuantiser repaired_quantiser(long bits) {
    const Rational half = power(Rational(2), bits - 1);
    return {Rational(1) / half, 0, 0, -half, half - 1, Rational(1, 2)};
}

/// AATC's Definition 2.
inline ExactQuantiser definition_2(long bits, const Rational& step, const Rational& zero) {
    return {step, zero, Rational(1, 2), 0, power(Rational(2), bits) - 1, 0};
}

struct Moments {
    Rational largest; ///< the supremum of |error|
    Rational mean;
    Rational mean_square;
};

/// Under the uniform law on [lower, upper], whose ends are multiples of step/2 from zero. On each half cell
/// the level is that of its left end, up to the right end (exclusive): floor is constant there.
inline Moments uniform_moments(const ExactQuantiser& quantiser, const Rational& lower,
                               const Rational& upper) {
    Moments out;
    const Rational half_cell = quantiser.step / 2;
    for (Rational left = lower; left < upper; left += half_cell) {
        const Rational right = left + half_cell;
        const Rational level = quantiser.level(left);
        const Rational from = level - left;
        const Rational to = level - right;
        out.largest = std::max({out.largest, Rational(abs(from)), Rational(abs(to))});
        out.mean += (from * from - to * to) / 2;
        out.mean_square += (power(from, 3) - power(to, 3)) / 3;
    }
    out.largest = std::max(out.largest, Rational(abs(quantiser.error(upper))));
    out.mean /= upper - lower;
    out.mean_square /= upper - lower;
    return out;
}

} // namespace kvproof::testing_support
