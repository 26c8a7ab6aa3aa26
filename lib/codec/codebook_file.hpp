#pragma once

#include "lib/codec/codebook.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace kvproof {

/// No codebook of depth 12 needs more, even as JSON with hundreds of digits.
inline constexpr std::uint64_t largest_codebook_file = std::uint64_t{64} << 20;

/// Reads a user's codebook: JSON as `kvproof table lloyd --format json` prints it, safetensors, or .npy; see
/// codebook_json.hpp, codebook_safetensors.hpp and codebook_npy.hpp. The name's ending decides (.json,
/// .safetensors, .npy in any case); with any other ending the first bytes do. The result is valid. Throws
/// Error(file_not_readable), Error(bad_file_format) where the file is not what it says it is, and
/// Error(bad_codebook) where what it holds is no nested binary quantiser of finite binary32 numbers. Each
/// names the file, the tensor or key, what was found and what was expected.
[[nodiscard]] Codebook<float> read_codebook(const std::filesystem::path& path);

/// The same for bytes in memory; `name` stands for the file's name, ending included.
[[nodiscard]] Codebook<float> parse_codebook(std::string_view bytes, const std::string& name);

} // namespace kvproof
