#pragma once

#include <string>
#include <string_view>

namespace kvproof {

/// Text from a file as an error line may show it: in double quotes, on one line, printable ASCII only (other
/// bytes as \xNN), cut after 60 bytes.
[[nodiscard]] std::string in_quotes(std::string_view text);

} // namespace kvproof
