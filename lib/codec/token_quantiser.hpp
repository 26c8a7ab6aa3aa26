#pragma once

#include "lib/codec/half.hpp"

#include <span>

namespace kvproof {

/// Two forms of AATC's uniform quantiser with 2^b codes on [-alpha s_c, alpha s_c] (Step 2b).
///
///  - printed: code n stands for n Delta, and codes are clamped to -2^(b-1) .. 2^(b-1) - 1. There is no level
///    alpha s_c: the entry that sets alpha, where it is positive, errs by a whole Delta, twice what
///    Assumption 2 allows; the error has no zero mean; at b = 1 the levels are -alpha s_c and 0; and at b = 0
///    the only code is -1/2, which decodes to -alpha s_c and not to 0.
///  - repaired: code n stands for (n + 1/2) Delta. The 2^b cells of width Delta tile the range: an error
///    is at most Delta/2, at any b from 0; the levels are symmetric; at b = 0 the one level is 0. It has no
///    level 0 from b = 1 on.
enum class TokenCode { printed, repaired };

/// The quantiser of one channel of one token.
struct TokenQuantiser {
    double reach = 0; ///< alpha s_c >= 0; 0 quantises everything to 0
    int bits = 0;     ///< b, 0 to 30
    TokenCode form = TokenCode::printed;

    /// Delta = 2 alpha s_c / 2^b, the distance of neighbouring levels.
    [[nodiscard]] double step() const;
    /// The code of h, clamped: floor(h/Delta + 1/2) as printed, floor(h/Delta) repaired. An integer, but for
    /// b = 0, where both clamps leave -1/2; 0 where the reach is 0. A number between two cells goes up.
    [[nodiscard]] double code(double h) const;
    /// The level of a code.
    [[nodiscard]] double decode(double code) const;
    /// What h is reconstructed as.
    [[nodiscard]] double quantised(double h) const { return decode(code(h)); }
};

/// alpha = max |h_c| / s_c over the channels of a token and head group, those of zero bits included; channels
/// with s_c = 0 are left out, and 0 where no other is there. `scales` [as many as h] are the s_c >= 0.
[[nodiscard]] double token_scale(std::span<const double> h, std::span<const double> scales);

/// alpha as a cache keeps it, in binary16: printed, the nearest one, which may lie a rounding below alpha;
/// repaired, the least one that is not below, so that nothing overloads unless alpha is beyond binary16.
[[nodiscard]] Half stored_token_scale(double alpha, TokenCode form);

} // namespace kvproof
