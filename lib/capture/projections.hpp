#pragma once

#include "lib/capture/capture_source.hpp"

namespace kvproof {

/// The matrices between which the attention of a layer stands.
struct Projections {
    Tensor x;  ///< [T, d_model], the layer's input
    Tensor wk; ///< [d_model, G d_h]; keys before the rotary encoding are x wk
    Tensor wv; ///< [d_model, G d_h]
    Tensor wo; ///< [H d_h, d_model]
};

/// The projections of a layer. Throws Error(bad_capture) that names the source, the tensor, what was found
/// and what was expected, where one is missing or their sizes do not fit together; `reader` is who needs
/// them.
[[nodiscard]] Projections required_projections(const CaptureSource& source, int layer,
                                               const std::string& reader);

/// The rotary encoding. Throws Error(bad_capture) where the capture does not tell it.
[[nodiscard]] Rotary required_rotary(const CaptureSource& source, const std::string& reader);

} // namespace kvproof
