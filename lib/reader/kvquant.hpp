#pragma once

#include "lib/reader/reader.hpp"

namespace kvproof {

/// KVQuant(b) (Hooper et al., NeurIPS 2024) as far as a capture allows. Choices:
///  - keys are the captured ones, after the rotary encoding; the original codes them before it;
///  - a key channel's range is that of the calibration tokens without the floor(T/200) least and largest;
///    offset and scale are its middle and half its length, used in double, charged at 16 bits;
///  - a token's values, over all KV heads, share a binary16 offset and scale, from the least and the largest
///    of the entries that are coded (beyond binary16's range they count as +-65504);
///  - outliers by rank: of a token's G d_h keys the ceil(G d_h / 100) of largest |z|, of its values as many
///    of largest magnitude, kept as captured, charged 16 bits and a 16-bit index each (and a code, which is
///    not used); ties go to the lower index. The token decides alone, so that the cache is causal;
///  - the first token is kept whole;
///  - 2^b float32 levels for the keys of a layer and 2^b for its values, by weighted k-means on the
///    calibration layer (weighted_levels) over the entries that would be coded. For the original's Fisher
///    information stands what a capture has: a key entry weighs scale^2 times the mean square of the
///    calibration queries on its channel, summed over query heads; a value entry weighs its token's scale^2;
///  - a z half-way between two levels goes up; a constant channel or token decodes to its offset.
/// Throws Error(bad_option) for bits outside 1 to 8; encode for more than 65536 channels in a layer.
[[nodiscard]] std::unique_ptr<Reader> kvquant_reader(int bits);

} // namespace kvproof
