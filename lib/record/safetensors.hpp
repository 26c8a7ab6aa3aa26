#pragma once

#include "lib/record/shape.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kvproof {

/// A tensor of a safetensors file. The data are little-endian, row-major, at any alignment, and belong to the
/// buffer that was read.
struct TensorView {
    std::string name;
    std::string dtype; ///< as the format spells it: "F32", "BF16", "I64"
    Shape shape;
    std::string_view data; ///< product of the shape times the size of one item
};

/// The contents of a safetensors file.
struct Safetensors {
    std::vector<TensorView> tensors; ///< in the order of their data
    std::map<std::string, std::string> metadata;

    /// The tensor of this name, null where there is none.
    [[nodiscard]] const TensorView* find(std::string_view name) const;
};

/// Bytes of one entry of a dtype; nothing for a dtype that the format does not have.
[[nodiscard]] std::optional<std::uint64_t> item_bytes_of(std::string_view dtype);

/// Reads the header of a safetensors file and checks all of it: its length, strict JSON, known dtypes, shapes
/// whose size fits, and data ranges that fill the rest of the file without gap or overlap. The views point
/// into `bytes`. Values are not looked at. Throws Error(bad_file_format) that names `source`, the tensor,
/// what was found and what was expected.
[[nodiscard]] Safetensors read_safetensors(std::string_view bytes, const std::string& source);

/// The bytes of a safetensors file of these tensors in this order, with the header padded to a multiple of 8.
/// Equal tensors give equal bytes.
[[nodiscard]] std::string write_safetensors(const std::vector<TensorView>& tensors);

} // namespace kvproof
