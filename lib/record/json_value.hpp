#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kvproof {

/// A JSON value that keeps its numbers as text, so that a caller can read them exactly.
struct JsonValue {
    enum class Kind { null, boolean, number, string, array, object };
    Kind kind = Kind::null;
    std::string text;              ///< string: decoded to UTF-8; number: its digits; boolean: true or false
    std::vector<std::string> keys; ///< object: the name of each item, in the order of the file, all different
    std::vector<JsonValue> items;  ///< array and object

    /// The member of an object, null where it has none of this name.
    [[nodiscard]] const JsonValue* find(std::string_view key) const;
};

/// "an object", "a string" and so on, for error lines.
[[nodiscard]] std::string_view kind_name(JsonValue::Kind kind);

/// Reads one strict JSON document (RFC 8259: UTF-8, no comments, nothing after it) independently of the
/// locale. A number's text is as written, except that integers lose a leading "-" of zero. Throws
/// Error(bad_file_format) that names `source` and the byte for anything else, and for what no input needs: a
/// key twice in an object, nesting beyond 32 levels, more than a million values, numbers beyond binary64.
[[nodiscard]] JsonValue parse_json(std::string_view text, const std::string& source);

} // namespace kvproof
