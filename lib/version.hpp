#pragma once

#include <string_view>

namespace kvproof {

/// MAJOR.MINOR.PATCH of this library.
[[nodiscard]] std::string_view version();

} // namespace kvproof
