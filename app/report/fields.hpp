#pragma once

#include "lib/record/json_value.hpp"

#include <string>
#include <vector>

// Members of JSON objects that must be there, and of the kind that is expected. All throw
// Error(bad_file_format) with a line that names the file and the key.

namespace kvproof::report {

/// An object of a file and how error lines call it: "out/results.json: claims[3]".
struct Fields {
    const JsonValue* value;
    std::string where;

    [[nodiscard]] bool has(const char* key) const;
    /// The member, of any kind.
    [[nodiscard]] const JsonValue& at(const char* key) const;
    [[nodiscard]] Fields object(const char* key) const;
    /// The members of a list of objects.
    [[nodiscard]] std::vector<Fields> objects(const char* key) const;
    [[nodiscard]] std::vector<std::string> strings(const char* key) const;
    /// A string, as it stands.
    [[nodiscard]] std::string text(const char* key) const;
    /// A string, or nothing for null or a missing key.
    [[nodiscard]] std::string text_or_null(const char* key) const;
    /// A number, or a string that is one: its text. "p/q" and "inf" are numbers too.
    [[nodiscard]] std::string number(const char* key) const;
    /// A number, or nothing for null or a missing key.
    [[nodiscard]] std::string number_or_null(const char* key) const;
    /// A whole number of at most `most`.
    [[nodiscard]] long integer(const char* key, long most) const;
    /// A string, one of these.
    [[nodiscard]] std::string one_of(const char* key, const std::vector<std::string>& choices) const;
    /// An identifier: letters, digits and ._:-+(),/ in any order.
    [[nodiscard]] std::string identifier(const char* key) const;
    /// 64 hex digits, or nothing for null.
    [[nodiscard]] std::string digest(const char* key) const;

    [[noreturn]] void refuse(const char* key, const std::string& found, const std::string& expected) const;
};

/// The number that the text denotes, nearest in double, for plots; p/q and inf too. The text must be one.
[[nodiscard]] double to_double(const std::string& text);

/// Whether a text is a number: a decimal, p/q or inf.
[[nodiscard]] bool is_number(const std::string& text);

/// The file's name without its folder: a report does not tell where it was made.
[[nodiscard]] std::string file_name(const std::string& path);

} // namespace kvproof::report
