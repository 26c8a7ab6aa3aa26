#pragma once

#include "lib/reader/reader.hpp"

namespace kvproof {

/// PALU (Chang et al.; AATC Appendix E) with latents of `rank` and `bits` each. Choices:
///  - groups of 4 KV heads, the last of what is left; all where there are fewer than 4; every group of
///    every layer has the same `rank` (Fisher information, which PALU shares ranks out with, is not in a
///    capture);
///  - the projection of a group, d_model rows by its channels, is taken apart by whitened_svd under the
///    calibration inputs; the first `rank` latents are kept. Keys are turned back to position 0 before, and
///    to their position after;
///  - the latents of a token and group are rotated by H/sqrt(m) without signs, in blocks of m, the largest
///    power of two that divides `rank` (32 at least), and coded as a UniformGroup: binary16 scale and offset,
///    codes rounded half to even. The offset is the least latent, a number and not a code: an integer zero
///    point clamped to the codes cannot reach a range that lies on one side of 0. With the identity transform
///    in the settings there is no rotation here either;
///  - the first 4 tokens and a window of the latest are whole, 16 bits a scalar, not latents (TokenWindow);
///  - the two factors take the place of the projections: weights, not charged.
/// prepare throws Error(bad_capture) where a head group has fewer channels than the rank, or the calibration
/// has no x, wk, wv and wo. Throws Error(bad_option) unless rank is a positive multiple of 32 and bits is 1
/// to 8.
[[nodiscard]] std::unique_ptr<Reader> palu_reader(int rank, int bits);

/// KV heads that share a projection.
inline constexpr int palu_heads = 4;

/// The multiple of 32 nearest to 70% of the channels of the smallest head group, AATC's operating point (of
/// two the lower); 32 at least.
[[nodiscard]] int usual_palu_rank(const CaptureShape& shape);

} // namespace kvproof
