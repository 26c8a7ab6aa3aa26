#pragma once

#include "lib/capture/float_array.hpp"
#include "lib/codec/whitening.hpp"

#include <cstddef>

namespace kvproof {

/// The whitened SVD of the columns first .. first + width - 1 of a projection [d_model, n] under the inputs
/// of a root: a head group's part of it.
[[nodiscard]] WhitenedSvd projection_factors(const InputRoot& root, const Tensor& projection,
                                             std::size_t first, std::size_t width);

} // namespace kvproof
