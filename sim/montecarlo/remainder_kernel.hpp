#pragma once

#include "lib/portable/instructions.hpp"
#include "lib/portable/lanes.hpp"

#include <cstddef>
#include <cstdint>

namespace kvproof {

/// What the trials of the experiment `remainder` are drawn by.
struct RemainderSetting {
    std::size_t tokens = 0; ///< T
    double spread = 0;      ///< of the normal logits
    double size = 0;        ///< A_0
    bool signs = false;     ///< noise is -A_0 or A_0; else uniform between
    std::uint64_t seed = 0;
};

/// Draws the trials first, ..., first + 7 and writes sum_i |r_i| / A_0^3 and max_i |r_i| / A_0^3 of each, r_i
/// the remainder of AATC's Lemma 1. `work` holds remainder_workspace(T) doubles; `sums` and `tops` eight. The
/// same bits with every set of instructions: no operation mixes two trials.
void remainder_strip(const RemainderSetting& setting, std::uint64_t first, double* work, double* sums,
                     double* tops, Instructions instructions = best_instructions());

/// Doubles that eight trials of T tokens need.
[[nodiscard]] std::size_t remainder_workspace(std::size_t tokens);

/// How far the computed r_i E / a_i A_0^3, and with it sum |r_i| / A_0^3, can be from the exact one, for
/// weights and noise as drawn. Let u = 2^-53 and d = (2T + 64) u, which is more than any weighted sum below
/// is off, relatively. In units of A_0: |y| <= 2 and n_2 <= 1 (noise lies in [-1, 1]); y is off by 1.1 d.
/// R = y^3 q(A_0 y), |R| <= 2.4, |dR/dy| <= 4.4: 7 d. n_2: d from the weights, 4.4 d from y^2: with the sums
/// 9 d. N = sum a R: 10 d. In the bracket: n_2 y / 2: 10 d; A_0 n_2 (y^2 - n_2)/4: 13 d; N (1 + x + (x^2 -
/// m_2)/2), the factor at most 5 and off by 8 d: 70 d; sums of terms below 17: d. Together 101 d; a_i / E and
/// the last sum add 4 d of |r_i|; E >= 1 by Jensen's inequality. Less than 128 d.
[[nodiscard]] inline double remainder_allowance(std::size_t tokens) {
    return 128 * (2 * static_cast<double>(tokens) + 64) * 0x1p-53;
}

} // namespace kvproof
