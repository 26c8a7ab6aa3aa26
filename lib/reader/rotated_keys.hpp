#pragma once

#include "lib/codec/rotary.hpp"
#include "lib/reader/head_vectors.hpp"

namespace kvproof {

/// Every key turned from position 0 to `direction` times the position of its token: -1 takes the rotary
/// encoding of captured keys away, 1 puts it back.
inline void turn_keys(HeadVectors& keys, const CaptureShape& shape, const Rotary& rotary, int direction) {
    for (int g = 0; g < shape.kv_heads; ++g)
        for (int j = 0; j < shape.tokens; ++j) rotary.turn(keys.at(g, j), direction * j);
}

} // namespace kvproof
