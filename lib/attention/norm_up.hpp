#pragma once

#include <cstddef>

namespace kvproof {

/// ||x|| from above: 0 only for zeros.
[[nodiscard]] double norm_up(const double* x, std::size_t count);

} // namespace kvproof
