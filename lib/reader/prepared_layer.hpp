#pragma once

#include "lib/error.hpp"
#include "lib/reader/reader.hpp"

#include <map>
#include <string>

namespace kvproof {

/// What Reader::prepare learnt of the input's layer; `Learnt` has the `shape` of the calibration. Throws
/// Error(bad_option) naming the reader where it learnt nothing of it, or the cache has other KV heads or
/// another head dimension.
template <class Learnt>
const Learnt& prepared_layer(const std::map<int, Learnt>& learnt, const LayerInput& input,
                             const std::string& reader) {
    const auto at = learnt.find(input.index);
    if (at == learnt.end())
        throw Error(ErrorCode::bad_option, "reader \"" + reader + "\": found no calibration of layer " +
                                               std::to_string(input.index) +
                                               ", expected --calibration CAPTURE or --calibration self");
    const CaptureShape& shape = input.layer.shape;
    const CaptureShape& other = at->second.shape;
    if (other.kv_heads != shape.kv_heads || other.dim != shape.dim)
        throw Error(ErrorCode::bad_option,
                    "reader \"" + reader + "\": found a calibration of " + std::to_string(other.kv_heads) +
                        " KV heads of dimension " + std::to_string(other.dim) + ", expected " +
                        std::to_string(shape.kv_heads) + " of " + std::to_string(shape.dim));
    return at->second;
}

} // namespace kvproof
