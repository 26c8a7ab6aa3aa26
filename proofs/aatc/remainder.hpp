#pragma once

#include "lib/exact/interval.hpp"
#include "proofs/sample.hpp"

#include <vector>

namespace kvproof {

/// One decode step under AATC's white noise (Assumption 1) in its simplest form: every error of a key or
/// value entry is + or - its size, with equal probability. T tokens, d_k key and d_v value channels, outputs
/// of D coordinates.
struct TwoPointNoise {
    std::vector<Rational> logits;                   ///< [T]
    std::vector<Rational> query;                    ///< [d_k], 1/sqrt(d_k) included where there is one
    std::vector<std::vector<Rational>> outputs;     ///< [T][D], v_i W_O
    std::vector<std::vector<Rational>> projection;  ///< [d_v][D], W_O
    std::vector<std::vector<Rational>> key_noise;   ///< [T][d_k], sizes
    std::vector<std::vector<Rational>> value_noise; ///< [T][d_v], sizes
};

/// Theorem 1's terms for one case, and what bounds its remainder.
struct DistortionParts {
    Interval distortion; ///< D = E||o - o^||^2
    Interval key;        ///< D_K
    Interval value;      ///< D_V
    Interval remainder;  ///< R = D - D_K - D_V
    Interval bound;      ///< of |R|: (27/100 s + 5/6 A_0^3) ||W_O||_F^2 sigma_V^2 + 11/12 D_o A_0^4
    Interval printed;    ///< the same with the printed steps' 4, 156 and 95
};

/// D from its definition, over all 2^(T (d_k + d_v)) patterns of signs, no expansion used; the rest from
/// their formulas, s = ||q||^2 sigma_K^2 and A_0 = ||q||_1 times the largest key noise
/// (docs/aatc-theorem1.md).
[[nodiscard]] DistortionParts distortion_parts(const TwoPointNoise& noise, Bits bits);

/// |R| is within both bounds on cases that are drawn: T up to 4, T (d_k + d_v) up to 8.
[[nodiscard]] Decision remainder_is_bounded(const Sample& sample);

} // namespace kvproof
