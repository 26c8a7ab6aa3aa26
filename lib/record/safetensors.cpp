#include "lib/record/safetensors.hpp"

#include "lib/error.hpp"
#include "lib/record/json_value.hpp"
#include "lib/record/little_endian.hpp"
#include "lib/record/quote.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>
#include <utility>

namespace kvproof {
namespace {

using Kind = JsonValue::Kind;

// The format's own limit. A header is JSON, whose tree takes several times its size.
constexpr std::uint64_t longest_header = 100'000'000;

constexpr std::array<std::pair<std::string_view, std::uint64_t>, 16> dtypes = {{{"BOOL", 1},
                                                                                {"U8", 1},
                                                                                {"I8", 1},
                                                                                {"F8_E5M2", 1},
                                                                                {"F8_E4M3", 1},
                                                                                {"I16", 2},
                                                                                {"U16", 2},
                                                                                {"F16", 2},
                                                                                {"BF16", 2},
                                                                                {"I32", 4},
                                                                                {"U32", 4},
                                                                                {"F32", 4},
                                                                                {"F64", 8},
                                                                                {"I64", 8},
                                                                                {"U64", 8},
                                                                                {"C64", 8}}};

/// Refuses with the name of the file and of the place in it.
struct Place {
    std::string name;
    [[noreturn]] void refuse(const std::string& what) const {
        throw Error(ErrorCode::bad_file_format, name + ": " + what);
    }
    const JsonValue& member(const JsonValue& object, std::string_view key, Kind kind) const {
        const JsonValue* value = object.find(key);
        const std::string expected = std::string(kind_name(kind)) + " " + std::string(key);
        if (value == nullptr) refuse("found no " + std::string(key) + ", expected " + expected);
        if (value->kind != kind)
            refuse("found " + std::string(kind_name(value->kind)) + " as " + std::string(key) +
                   ", expected " + std::string(kind_name(kind)));
        return *value;
    }
    /// Digits only: no sign, no fraction, no exponent.
    std::uint64_t whole_number(const JsonValue& value, std::string_view key) const {
        std::uint64_t number = 0;
        const char* end = value.text.data() + value.text.size();
        const auto [stop, status] = std::from_chars(value.text.data(), end, number);
        if (value.kind != Kind::number || status != std::errc() || stop != end)
            refuse(
                "found " +
                (value.kind == Kind::number ? value.text.substr(0, 60) : std::string(kind_name(value.kind))) +
                " in " + std::string(key) + ", expected whole numbers below 2^64");
        return number;
    }
};

/// A tensor with the range of its data.
struct Entry {
    TensorView tensor;
    std::uint64_t begin;
    std::uint64_t end;
};

Entry read_entry(const std::string& name, const JsonValue& value, std::string_view data, const Place& place) {
    if (value.kind != Kind::object)
        place.refuse("found " + std::string(kind_name(value.kind)) + ", expected an object");
    for (const std::string& key : value.keys)
        if (key != "dtype" && key != "shape" && key != "data_offsets")
            place.refuse("found the key " + in_quotes(key) + ", expected dtype, shape and data_offsets");

    Entry entry{{name, place.member(value, "dtype", Kind::string).text, {}, {}}, 0, 0};
    const std::optional<std::uint64_t> item_bytes = item_bytes_of(entry.tensor.dtype);
    if (!item_bytes)
        place.refuse("found dtype " + in_quotes(entry.tensor.dtype) +
                     ", expected one of the format, such as \"F32\"");

    const std::vector<JsonValue>& sides = place.member(value, "shape", Kind::array).items;
    if (sides.size() > highest_rank)
        place.refuse("found " + std::to_string(sides.size()) + " dimensions, expected at most " +
                     std::to_string(highest_rank));
    for (const JsonValue& side : sides) entry.tensor.shape.push_back(place.whole_number(side, "shape"));
    const std::optional<std::uint64_t> size = byte_count(entry.tensor.shape, *item_bytes);
    if (!size)
        place.refuse("found shape " + shape_text(entry.tensor.shape) + ", expected a size below 2^64 bytes");

    const JsonValue& offsets = place.member(value, "data_offsets", Kind::array);
    if (offsets.items.size() != 2)
        place.refuse("found " + std::to_string(offsets.items.size()) + " data_offsets, expected 2");
    entry.begin = place.whole_number(offsets.items[0], "data_offsets");
    entry.end = place.whole_number(offsets.items[1], "data_offsets");
    const std::string found = "found data_offsets [" + std::to_string(entry.begin) + ", " +
                              std::to_string(entry.end) + "], expected ";
    if (entry.begin > entry.end) place.refuse(found + "begin <= end");
    if (entry.end > data.size())
        place.refuse(found + "an end of at most " + std::to_string(data.size()) +
                     ", the bytes after the header");
    if (entry.end - entry.begin != *size)
        place.refuse(found + std::to_string(*size) + " bytes for " + entry.tensor.dtype + " of shape " +
                     shape_text(entry.tensor.shape));
    entry.tensor.data = data.substr(entry.begin, *size);
    return entry;
}

/// Each tensor begins where the one before it ends, and the last one ends the file.
void require_tiling(const std::vector<Entry>& entries, std::uint64_t data_size, const std::string& source) {
    std::uint64_t at = 0;
    for (const Entry& entry : entries) {
        if (entry.begin != at)
            Place{source + ": tensor " + in_quotes(entry.tensor.name)}.refuse(
                "found data at offset " + std::to_string(entry.begin) + ", expected " + std::to_string(at) +
                ", where the tensor before it ends");
        at = entry.end;
    }
    if (at != data_size)
        Place{source}.refuse("found " + std::to_string(data_size) + " bytes after the header, expected " +
                             std::to_string(at) + ", the end of the last tensor");
}

std::string_view header_of(std::string_view bytes, const Place& file) {
    if (bytes.size() < 8)
        file.refuse("found " + std::to_string(bytes.size()) +
                    " bytes, expected the 8 bytes of a header length");
    const auto length = load_little_endian<std::uint64_t>(bytes);
    const std::uint64_t most = std::min<std::uint64_t>(bytes.size() - 8, longest_header);
    if (length > most)
        file.refuse("found a header length of " + std::to_string(length) + ", expected at most " +
                    std::to_string(most) + " bytes");
    const std::string_view header = bytes.substr(8, length);
    if (!header.starts_with('{')) file.refuse("found a header that does not begin with \"{\"");
    return header;
}

/// A JSON string. Bytes beyond ASCII pass as they are: names are UTF-8.
std::string json_string(std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            (out += '\\') += c;
        else if (static_cast<unsigned char>(c) < 0x20)
            ((out += "\\u00") += hex[static_cast<unsigned char>(c) >> 4]) += hex[c & 15];
        else
            out += c;
    }
    return out + "\"";
}

} // namespace

const TensorView* Safetensors::find(std::string_view name) const {
    const auto at = std::ranges::find(tensors, name, &TensorView::name);
    return at == tensors.end() ? nullptr : &*at;
}

std::optional<std::uint64_t> item_bytes_of(std::string_view dtype) {
    const auto* const at = std::ranges::find(dtypes, dtype, [](const auto& entry) { return entry.first; });
    return at == dtypes.end() ? std::nullopt : std::optional(at->second);
}

Safetensors read_safetensors(std::string_view bytes, const std::string& source) {
    const Place file{source};
    const std::string_view header = header_of(bytes, file);
    const std::string_view data = bytes.substr(8 + header.size());
    const JsonValue root = parse_json(header, source + ": header"); // an object: it begins with "{"

    Safetensors out;
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < root.items.size(); ++i) {
        const std::string& name = root.keys[i];
        const Place place{source + ": tensor " + in_quotes(name)};
        if (name != "__metadata__") {
            entries.push_back(read_entry(name, root.items[i], data, place));
            continue;
        }
        const Place metadata{source + ": __metadata__"};
        if (root.items[i].kind != Kind::object)
            metadata.refuse("found " + std::string(kind_name(root.items[i].kind)) + ", expected an object");
        for (std::size_t j = 0; j < root.items[i].items.size(); ++j) {
            const JsonValue& value = root.items[i].items[j];
            if (value.kind != Kind::string)
                metadata.refuse("found " + std::string(kind_name(value.kind)) + " as " +
                                in_quotes(root.items[i].keys[j]) + ", expected a string");
            out.metadata[root.items[i].keys[j]] = value.text;
        }
    }
    std::ranges::sort(entries, {}, [](const Entry& e) { return std::tuple(e.begin, e.end, e.tensor.name); });
    require_tiling(entries, data.size(), source);
    for (Entry& entry : entries) out.tensors.push_back(std::move(entry.tensor));
    return out;
}

std::string write_safetensors(const std::vector<TensorView>& tensors) {
    std::string header = "{";
    std::string data;
    for (const TensorView& tensor : tensors) {
        if (header.size() > 1) header += ',';
        header += json_string(tensor.name) + ":{\"dtype\":" + json_string(tensor.dtype) + ",\"shape\":[" +
                  joined(tensor.shape, ",") + "],\"data_offsets\":[" + std::to_string(data.size());
        data += tensor.data;
        header += ',' + std::to_string(data.size()) + "]}";
    }
    header += '}';
    header.append((8 - header.size() % 8) % 8, ' '); // so that the data are aligned to 8 bytes
    std::string out;
    append_little_endian<std::uint64_t>(out, header.size());
    return out + header + data;
}

} // namespace kvproof
