#pragma once

#include "lib/error.hpp"
#include "lib/reader/calibration_layer.hpp"

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
    require_same_heads(at->second.shape, input.layer.shape, reader);
    return at->second;
}

} // namespace kvproof
