#include "lib/record/npy.hpp"

#include "lib/error.hpp"
#include "lib/record/little_endian.hpp"
#include "lib/record/npy_header.hpp"
#include "lib/record/quote.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace kvproof {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

[[noreturn]] void refuse(const std::string& source, const std::string& what) {
    throw Error(ErrorCode::bad_file_format, source + ": " + what);
}

/// Bytes of one entry of a plain numeric dtype.
std::optional<std::uint64_t> item_bytes_of_npy(std::string_view dtype) {
    constexpr std::array<std::string_view, 11> wide = {"f2", "f4", "f8", "i2", "i4", "i8",
                                                       "u2", "u4", "u8", "c8", "c16"};
    constexpr std::array<std::string_view, 3> narrow = {"|b1", "|i1", "|u1"};
    if (std::ranges::find(narrow, dtype) != narrow.end()) return 1;
    if (dtype.empty() || (dtype[0] != '<' && dtype[0] != '>')) return std::nullopt;
    const std::string_view kind = dtype.substr(1);
    if (std::ranges::find(wide, kind) == wide.end()) return std::nullopt;
    return kind.size() == 3 ? 16 : static_cast<std::uint64_t>(kind[1] - '0');
}

/// The text of the header, and where the data begin.
struct Header {
    std::string_view text;
    std::size_t end;
};

Header header_of(std::string_view bytes, const std::string& source) {
    if (!bytes.starts_with(magic))
        refuse(source, "found " + in_quotes(bytes.substr(0, magic.size())) + " at its beginning, expected " +
                           in_quotes(magic));
    const std::string_view version = bytes.substr(magic.size(), 2);
    if (version.size() < 2) refuse(source, "found its end after the magic string, expected a version");
    const int major = static_cast<unsigned char>(version[0]);
    const int minor = static_cast<unsigned char>(version[1]);
    if (major < 1 || major > 3 || minor != 0)
        refuse(source, "found version " + std::to_string(major) + "." + std::to_string(minor) +
                           ", expected 1.0, 2.0 or 3.0");

    const std::size_t begin = magic.size() + 2 + (major == 1 ? 2 : 4);
    if (bytes.size() < begin) refuse(source, "found its end inside the header length");
    const std::string_view length_bytes = bytes.substr(magic.size() + 2);
    const std::uint64_t length = major == 1 ? load_little_endian<std::uint16_t>(length_bytes)
                                            : load_little_endian<std::uint32_t>(length_bytes);
    if (length > bytes.size() - begin)
        refuse(source, "found a header length of " + std::to_string(length) + ", expected at most " +
                           std::to_string(bytes.size() - begin) + " bytes");
    return {bytes.substr(begin, length), begin + length};
}

} // namespace

NpyView read_npy(std::string_view bytes, const std::string& source) {
    const Header header = header_of(bytes, source);
    NpyView out = read_npy_dictionary(header.text, source);
    out.data = bytes.substr(header.end);

    const std::optional<std::uint64_t> item_bytes = item_bytes_of_npy(out.dtype);
    if (!item_bytes)
        refuse(source,
               "descr: found dtype " + in_quotes(out.dtype) + ", expected a plain number such as \"<f4\"");
    const std::optional<std::uint64_t> size = byte_count(out.shape, *item_bytes);
    if (!size || *size != out.data.size())
        refuse(source, "found " + std::to_string(out.data.size()) + " bytes of data, expected " +
                           (size ? std::to_string(*size) : std::string("more than 2^64")) + " for " +
                           out.dtype + " of shape " + shape_text(out.shape));
    return out;
}

std::string write_npy(const NpyView& array) {
    const std::string shape = joined(array.shape, ", ") + (array.shape.size() == 1 ? "," : "");
    std::string header = "{'descr': '" + array.dtype +
                         "', 'fortran_order': " + (array.fortran_order ? "True" : "False") + ", 'shape': (" +
                         shape + "), }";
    const std::size_t before = magic.size() + 4;
    header.append(63 - (before + header.size()) % 64, ' ');
    header += '\n';
    std::string out(magic);
    out += {'\x01', '\x00'};
    append_little_endian<std::uint16_t>(out, static_cast<std::uint16_t>(header.size()));
    return (out += header) += array.data;
}

} // namespace kvproof
