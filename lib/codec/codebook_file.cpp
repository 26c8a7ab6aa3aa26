#include "lib/codec/codebook_file.hpp"

#include "lib/codec/codebook_json.hpp"
#include "lib/codec/codebook_npy.hpp"
#include "lib/codec/codebook_safetensors.hpp"
#include "lib/error.hpp"
#include "lib/record/file.hpp"
#include "lib/record/little_endian.hpp"

#include <optional>

namespace kvproof {
namespace {

enum class Format { json, safetensors, npy };

std::optional<Format> format_of_ending(const std::string& name) {
    std::string ending = std::filesystem::path(name).extension().string();
    for (char& c : ending)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a'); // std::tolower asks the locale
    if (ending == ".json") return Format::json;
    if (ending == ".safetensors") return Format::safetensors;
    if (ending == ".npy") return Format::npy;
    return std::nullopt;
}

std::optional<Format> format_of_content(std::string_view bytes) {
    if (bytes.starts_with("\x93NUMPY")) return Format::npy;
    // Before JSON: read as a length, eight characters of text would be far more than the file.
    if (bytes.size() > 8 && bytes[8] == '{' && load_little_endian<std::uint64_t>(bytes) <= bytes.size() - 8)
        return Format::safetensors;
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && bytes[first] == '{') return Format::json;
    return std::nullopt;
}

} // namespace

Codebook<float> parse_codebook(std::string_view bytes, const std::string& name) {
    std::optional<Format> format = format_of_ending(name);
    if (!format) format = format_of_content(bytes);
    if (!format)
        throw Error(ErrorCode::bad_file_format,
                    name +
                        ": found neither JSON nor safetensors nor .npy, expected a codebook in one of them");
    Codebook<float> codebook;
    switch (*format) {
    case Format::json: codebook = codebook_from_json(bytes, name); break;
    case Format::safetensors: codebook = codebook_from_safetensors(bytes, name); break;
    case Format::npy: codebook = codebook_from_npy(bytes, name); break;
    }
    require_valid(codebook, name);
    return codebook;
}

Codebook<float> read_codebook(const std::filesystem::path& path) {
    return parse_codebook(read_file(path, largest_codebook_file), path.string());
}

} // namespace kvproof
