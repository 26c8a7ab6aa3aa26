#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kvproof {

/// The sides of an array, the slowest index first.
using Shape = std::vector<std::uint64_t>;

/// No array here has more than four dimensions; the limit keeps error lines short.
inline constexpr std::size_t highest_rank = 8;

/// Bytes of an array of entries of this size; nothing where they do not fit 64 bits, even if a side is 0.
[[nodiscard]] std::optional<std::uint64_t> byte_count(const Shape& shape, std::uint64_t item_bytes);

/// "4, 16, 8" for the separator ", ".
[[nodiscard]] std::string joined(const Shape& shape, std::string_view separator);

/// "[4, 16, 8]".
[[nodiscard]] std::string shape_text(const Shape& shape);

} // namespace kvproof
