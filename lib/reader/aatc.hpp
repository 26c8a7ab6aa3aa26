#pragma once

#include "lib/codec/token_quantiser.hpp"
#include "lib/exact/rational.hpp"
#include "lib/reader/reader.hpp"

namespace kvproof {

/// What is chosen of AATC; the defaults are those of its appendix E.
struct AatcOptions {
    Rational bits = 2;    ///< 0 to 16, the average of a key channel, and of a value channel
    bool weighted = true; ///< else AATC var-only: sigma^2 alone says where bits go
    bool plain = false;   ///< water-filling over all layers, nothing normalised, no layer fixed
    TokenCode code = TokenCode::printed; ///< or repaired
    int head_groups = 1;                 ///< a divisor of G: KV heads in contiguous groups
};

/// AATC(b) (V): whitened latents of keys (before the rotary encoding) and values, channels with bits of their
/// own, a binary16 scale for each token and head group, first and latest tokens whole (TokenWindow).
/// `prepare` needs queries, x, wk, wv, wo and the rotary encoding of the calibration capture; docs/readers.md
/// says what was chosen where the paper is silent. Throws Error(bad_option) for bits outside 0 to 16.
[[nodiscard]] std::unique_ptr<Reader> aatc_reader(const AatcOptions& options);

} // namespace kvproof
