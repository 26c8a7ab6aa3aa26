#include "lib/record/shape.hpp"

namespace kvproof {

std::optional<std::uint64_t> byte_count(const Shape& shape, std::uint64_t item_bytes) {
    std::uint64_t product = item_bytes;
    for (const std::uint64_t side : shape)
        if (__builtin_mul_overflow(product, side, &product)) return std::nullopt;
    return product;
}

std::string joined(const Shape& shape, std::string_view separator) {
    std::string out;
    for (const std::uint64_t side : shape) {
        if (!out.empty()) out += separator;
        out += std::to_string(side);
    }
    return out;
}

std::string shape_text(const Shape& shape) {
    return "[" + joined(shape, ", ") + "]";
}

} // namespace kvproof
