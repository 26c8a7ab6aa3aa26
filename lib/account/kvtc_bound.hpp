#pragma once

#include "lib/account/geometry.hpp"
#include "lib/account/system.hpp"

namespace kvproof {

/// An upper bound on what KVTC keeps of a layer with t >= 1 cached tokens, and on what a call reads: after
/// DEFLATE its bits depend on the data, and there is no closed form. With B = floor(BITS G d_h), c coded
/// tokens (those that Growth::window leaves) and N = floor(c B / 8) bytes in each of two streams:
///   2 8 (N + floor(N/2^12) + floor(N/2^14) + floor(N/2^25) + 7) + 2 16 G d_h (t - c)
///   + 2 (16 G d_h + 24 min(G d_h, floor(B/34))),
/// what stored blocks of DEFLATE cost; whole tokens; means and groups, of which each costs a token 34 bits or
/// more. The stream's 7 bytes are taken off where N = 0.
[[nodiscard]] Integer kvtc_most_bits(const System& system, const LayerGeometry& layer, long t);

} // namespace kvproof
