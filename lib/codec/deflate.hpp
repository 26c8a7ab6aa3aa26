#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kvproof {

/// A raw DEFLATE stream (RFC 1951: no header, no checksum) by zlib at level 9, its window and memory at their
/// defaults, all in one call. The bytes are those of the zlib that is linked: the same on one machine,
/// perhaps a few more or less with another version of it. Nothing for nothing.
[[nodiscard]] std::vector<std::uint8_t> deflated(std::span<const std::uint8_t> bytes);

/// The `size` bytes that such a stream stands for. Throws Error(internal) where it stands for something else.
[[nodiscard]] std::vector<std::uint8_t> inflated(std::span<const std::uint8_t> stream, std::size_t size);

/// The most bytes that `deflated` makes of n, whatever they are: n + floor(n/2^12) + floor(n/2^14) +
/// floor(n/2^25) + 7, what stored blocks cost (zlib's deflateBound for these settings); 0 for 0.
[[nodiscard]] std::uint64_t deflate_bound(std::uint64_t n);

} // namespace kvproof
