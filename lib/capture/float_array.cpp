#include "lib/capture/float_array.hpp"

#include "lib/codec/half_bits.hpp"
#include "lib/error.hpp"
#include "lib/record/little_endian.hpp"

#include <bit>
#include <cmath>
#include <cstdio>
#include <functional>
#include <utility>

namespace kvproof {
namespace {

double from_bfloat(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

enum class Kind { half, bfloat, single, binary64 };

double load(std::string_view bytes, std::size_t index, Kind kind) {
    switch (kind) {
    case Kind::half: return half_value(load_little_endian<std::uint16_t>(bytes.substr(2 * index, 2)));
    case Kind::bfloat: return from_bfloat(load_little_endian<std::uint16_t>(bytes.substr(2 * index, 2)));
    case Kind::single: return float32_at(bytes, index);
    case Kind::binary64: break;
    }
    return std::bit_cast<double>(load_little_endian<std::uint64_t>(bytes.substr(8 * index, 8)));
}

std::string text_of(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

/// Index `flat` of a row-major array, as "[0, 4, 5]".
std::string index_text(const Shape& shape, std::size_t flat) {
    Shape index(shape.size());
    for (std::size_t i = shape.size(); i-- > 0; flat /= shape[i]) index[i] = flat % shape[i];
    return shape_text(index);
}

void require_usable(const Tensor& tensor, const std::string& place) {
    for (std::size_t i = 0; i < tensor.values.size(); ++i) {
        const double value = tensor.values[i];
        if (std::abs(value) <= largest_value) continue; // false for NaN
        throw Error(ErrorCode::bad_capture, place + ": found " + text_of(value) + " at " +
                                                index_text(tensor.shape, i) +
                                                ", expected finite numbers of at most binary32's range");
    }
}

} // namespace

Tensor float_tensor(const TensorView& tensor, const std::string& source) {
    const std::string place = source + ": tensor \"" + tensor.name + "\"";
    Kind kind = Kind::single;
    if (tensor.dtype == "F16")
        kind = Kind::half;
    else if (tensor.dtype == "BF16")
        kind = Kind::bfloat;
    else if (tensor.dtype == "F64")
        kind = Kind::binary64;
    else if (tensor.dtype != "F32")
        throw Error(ErrorCode::bad_capture,
                    place + ": found dtype " + tensor.dtype + ", expected F16, BF16, F32 or F64");
    const std::size_t count = tensor.data.size() / *item_bytes_of(tensor.dtype);
    Tensor out{tensor.shape, std::vector<double>(count)};
    for (std::size_t i = 0; i < count; ++i) out.values[i] = load(tensor.data, i, kind);
    require_usable(out, place);
    return out;
}

Tensor float_tensor(const NpyView& array, const std::string& source) {
    const std::string type = array.dtype.substr(1);
    Kind kind = Kind::single;
    std::size_t size = 4;
    if (type == "f2")
        std::tie(kind, size) = std::pair(Kind::half, std::size_t{2});
    else if (type == "f8")
        std::tie(kind, size) = std::pair(Kind::binary64, std::size_t{8});
    else if (type != "f4")
        throw Error(ErrorCode::bad_capture,
                    source + ": found dtype " + array.dtype + ", expected f2, f4 or f8");
    std::string swapped;
    std::string_view bytes = array.data;
    if (array.dtype[0] == '>') {
        swapped.assign(bytes.rbegin(), bytes.rend()); // each number's bytes, and the numbers, last first
        bytes = swapped;
    }
    const std::size_t count = bytes.size() / size;
    const auto stored = [&](std::size_t i) {
        return load(bytes, array.dtype[0] == '>' ? count - 1 - i : i, kind);
    };
    Tensor out{array.shape, std::vector<double>(count)};
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t at = i;
        if (array.fortran_order) { // where row-major entry i lies when the first index runs fastest
            std::size_t rest = i;
            std::size_t stride = count;
            at = 0;
            for (std::size_t axis = array.shape.size(); axis-- > 0; rest /= array.shape[axis]) {
                stride /= array.shape[axis];
                at += rest % array.shape[axis] * stride;
            }
        }
        out.values[i] = stored(at);
    }
    require_usable(out, source);
    return out;
}

} // namespace kvproof
