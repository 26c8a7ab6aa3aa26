#pragma once

#include <string>
#include <string_view>

namespace kvcheck {

/// SHA-256 (FIPS 180-4) of the bytes, in 64 lower-case hex digits.
[[nodiscard]] std::string sha256(std::string_view bytes);

} // namespace kvcheck
