#pragma once

#include <string_view>
#include <vector>

namespace kvproof {

/// The pieces between the separators, empty ones too.
[[nodiscard]] std::vector<std::string_view> split_words(std::string_view text, char separator);

/// A whole number in decimal digits alone (no sign, no space). Throws Error(bad_option), naming `what`, where
/// it is none or lies outside lower..upper.
[[nodiscard]] long parse_whole(std::string_view text, long lower, long upper, std::string_view what);

} // namespace kvproof
