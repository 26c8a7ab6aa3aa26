#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace kvproof {

/// Reads an unsigned integer whose least significant byte comes first. `bytes` holds at least
/// sizeof(Unsigned) bytes, at any alignment.
template <std::unsigned_integral Unsigned>
[[nodiscard]] Unsigned load_little_endian(std::string_view bytes) {
    Unsigned value = 0;
    for (std::size_t i = 0; i < sizeof(Unsigned); ++i)
        value = static_cast<Unsigned>(value | static_cast<Unsigned>(static_cast<unsigned char>(bytes[i]))
                                                  << (8 * i));
    return value;
}

/// Appends the bytes of an unsigned integer, least significant first.
template <std::unsigned_integral Unsigned>
void append_little_endian(std::string& bytes, Unsigned value) {
    for (std::size_t i = 0; i < sizeof(Unsigned); ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
}

/// Entry `index` of an array of little-endian binary32 numbers.
[[nodiscard]] inline float float32_at(std::string_view bytes, std::size_t index) {
    return std::bit_cast<float>(load_little_endian<std::uint32_t>(bytes.substr(4 * index, 4)));
}

inline void append_float32(std::string& bytes, float value) {
    append_little_endian(bytes, std::bit_cast<std::uint32_t>(value));
}

} // namespace kvproof
