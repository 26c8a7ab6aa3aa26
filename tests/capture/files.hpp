#pragma once
// What the tests of captures share: where files lie, arrays and captures written by hand.

#include "lib/capture/calibration.hpp"
#include "lib/capture/capture.hpp"
#include "lib/record/file.hpp"
#include "lib/record/npy.hpp"
#include "lib/record/safetensors.hpp"
#include "tests/folder.hpp"
#include "tests/record/refusal.hpp"

#include <bit>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace kvproof::testing_support {

/// Captures that are not part of the product; tests on them are skipped where they are not there.
inline std::filesystem::path shared_captures() {
    return std::filesystem::path(KVPROOF_SOURCE_DIR) / "../shared/data/captures";
}

/// The bytes of a file of this project's own, a few MiB at most.
inline std::string whole_file(const std::filesystem::path& path) {
    return read_file(path, std::uint64_t{1} << 24);
}

/// The little-endian bytes of numbers, on a little-endian host.
template <class Number>
std::string bytes_of(const std::vector<Number>& numbers) {
    static_assert(std::endian::native == std::endian::little);
    std::string out(numbers.size() * sizeof(Number), '\0');
    if (!out.empty()) std::memcpy(out.data(), numbers.data(), out.size());
    return out;
}

/// The numbers 1, 2, 3, ... scaled, as many as the shape holds.
inline std::vector<float> counted(const Shape& shape, float scale = 1) {
    std::uint64_t count = 1;
    for (const std::uint64_t side : shape) count *= side;
    std::vector<float> out;
    for (std::uint64_t i = 1; i <= count; ++i) out.push_back(static_cast<float>(i) * scale);
    return out;
}

/// A tensor with the bytes it views.
struct OwnedTensor {
    std::string name;
    std::string dtype;
    Shape shape;
    std::string bytes;
};

inline OwnedTensor single(const std::string& name, const Shape& shape, float scale = 1) {
    return {name, "F32", shape, bytes_of(counted(shape, scale))};
}

inline std::string safetensors_of(const std::vector<OwnedTensor>& tensors) {
    std::vector<TensorView> views;
    for (const OwnedTensor& tensor : tensors)
        views.push_back({tensor.name, tensor.dtype, tensor.shape, tensor.bytes});
    return write_safetensors(views);
}

} // namespace kvproof::testing_support
