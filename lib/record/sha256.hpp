#pragma once

#include <string>
#include <string_view>

namespace kvproof {

/// SHA-256 of the bytes, as 64 lower-case hex digits.
[[nodiscard]] std::string sha256(std::string_view bytes);

} // namespace kvproof
