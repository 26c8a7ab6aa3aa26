#pragma once

#include "lib/codec/rotary.hpp"
#include "lib/reader/token_rows.hpp"

namespace kvproof {

/// Every key turned from position 0 to `direction` times the position of its token: -1 takes the rotary
/// encoding of captured keys away, 1 puts it back.
inline void turn_keys(HeadVectors& keys, const CaptureShape& shape, const Rotary& rotary, int direction) {
    for (int g = 0; g < shape.kv_heads; ++g)
        for (int j = 0; j < shape.tokens; ++j) rotary.turn(keys.at(g, j), direction * j);
}

/// The keys of a layer before the rotary encoding, all heads of a token in a row: [T, G d_h].
[[nodiscard]] inline std::vector<double> unturned_key_rows(const CaptureLayer& layer, const Rotary& rotary) {
    HeadVectors keys(layer.shape, layer.k);
    turn_keys(keys, layer.shape, rotary, -1);
    return token_rows(keys, 0, layer.shape.kv_heads, 0, layer.shape.tokens);
}

/// Its values: [T, G d_h].
[[nodiscard]] inline std::vector<double> value_rows(const CaptureLayer& layer) {
    return token_rows({layer.shape, layer.v}, 0, layer.shape.kv_heads, 0, layer.shape.tokens);
}

} // namespace kvproof
