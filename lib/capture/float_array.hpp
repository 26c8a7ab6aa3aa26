#pragma once

#include "lib/record/npy.hpp"
#include "lib/record/safetensors.hpp"

#include <string>
#include <vector>

namespace kvproof {

/// An array of numbers in row-major order, as doubles: every F16, BF16 and F32 number is one.
struct Tensor {
    Shape shape;
    std::vector<double> values;
};

/// The largest magnitude that a capture may hold: binary32's. Sums of fourth powers of it stay finite.
inline constexpr double largest_value = 0x1.fffffep127;

/// The values of a tensor of dtype F16, BF16, F32 or F64. Throws Error(bad_capture) that names `source`, the
/// tensor and what was found for any other dtype, for a NaN or an infinity, with its index, and for a
/// magnitude beyond largest_value.
[[nodiscard]] Tensor float_tensor(const TensorView& tensor, const std::string& source);

/// The same for a .npy array of dtype f2, f4 or f8. Big-endian numbers are swapped, and what is stored column
/// by column is brought into row-major order.
[[nodiscard]] Tensor float_tensor(const NpyView& array, const std::string& source);

} // namespace kvproof
