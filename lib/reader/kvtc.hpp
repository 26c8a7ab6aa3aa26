#pragma once

#include "lib/exact/rational.hpp"
#include "lib/reader/reader.hpp"

namespace kvproof {

/// KVTC with `bits` a scalar (baseline of AATC, V and D: PCA, bit types by dynamic programming, DEFLATE).
/// Choices:
///  - the bases are those of a layer, over its KV heads side by side, one for keys and one for values; the
///    paper's run across layers too;
///  - keys are turned back to position 0 before, and to their position again after decoding; the capture has
///    to say how they were turned;
///  - mean and axes are those of all tokens of the calibration layer (principal_axes), groups and types the
///    ones of least realised error on them (learn_kvtc) within floor(bits G d_h) a token for keys and as much
///    for values, fields included: DEFLATE comes on top. A group lies within the G d_h coordinates: where no
///    longer one fits, groups of 16 and of 1 fill up, so no size has to divide anything;
///  - the first 4 tokens and a window of the latest are whole (TokenWindow);
///  - the codes of a call's other tokens are two DEFLATE streams, one for keys and one for values, made anew
///    for every length: a stream cannot be entered in the middle, so every call reads both to the end;
///  - charged: the realised bytes of the streams (fields are in them), 16 bits a scalar of a whole token, 16
///    bits for each entry of the two means, and 24 bits for each group that is not of 0 bits (where, how
///    long, how many bits). The axes, 2 (G d_h)^2 numbers a layer, count as weights and are not charged.
/// The transforms of the settings are not used. Throws Error(bad_option) for bits outside 0 to 8.
[[nodiscard]] std::unique_ptr<Reader> kvtc_reader(const Rational& bits);

} // namespace kvproof
