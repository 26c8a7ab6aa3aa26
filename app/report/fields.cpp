#include "app/report/fields.hpp"

#include "lib/error.hpp"
#include "lib/exact/rational.hpp"
#include "lib/record/quote.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>

namespace kvproof::report {
namespace {

using Kind = JsonValue::Kind;

std::string described(const JsonValue& value) {
    if (value.kind == Kind::string || value.kind == Kind::number) return in_quotes(value.text);
    return std::string(kind_name(value.kind));
}

bool is_identifier(const std::string& text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view("._:-+(),/").find(static_cast<char>(c)) != std::string_view::npos;
    });
}

} // namespace

bool is_number(const std::string& text) {
    if (text == "inf") return true;
    try {
        return !std::isnan(to_double(text));
    } catch (const Error&) {
        return false;
    }
}

double to_double(const std::string& text) {
    if (text == "inf") return std::numeric_limits<double>::infinity();
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, value);
    if (failure == std::errc() && stopped == end && std::isfinite(value)) return value;
    return nearest_float64(parse_rational(text));
}

std::string file_name(const std::string& path) {
    std::string out = std::filesystem::path(path).filename().string();
    for (char& c : out)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    return out;
}

void Fields::refuse(const char* key, const std::string& found, const std::string& expected) const {
    throw Error(ErrorCode::bad_file_format,
                where + ": " + key + ": found " + found + ", expected " + expected);
}

bool Fields::has(const char* key) const {
    return value->kind == Kind::object && value->find(key) != nullptr;
}

const JsonValue& Fields::at(const char* key) const {
    if (value->kind != Kind::object)
        throw Error(ErrorCode::bad_file_format,
                    where + ": found " + std::string(kind_name(value->kind)) + ", expected an object");
    const JsonValue* const member = value->find(key);
    if (member == nullptr) refuse(key, "nothing", "a member of this name");
    return *member;
}

Fields Fields::object(const char* key) const {
    const JsonValue& member = at(key);
    if (member.kind != Kind::object) refuse(key, described(member), "an object");
    return {&member, where + ": " + key};
}

std::vector<Fields> Fields::objects(const char* key) const {
    const JsonValue& member = at(key);
    if (member.kind != Kind::array) refuse(key, described(member), "a list");
    std::vector<Fields> out;
    for (std::size_t i = 0; i < member.items.size(); ++i) {
        const std::string name = std::string(key) + "[" + std::to_string(i) + "]";
        if (member.items[i].kind != Kind::object)
            refuse(name.c_str(), described(member.items[i]), "an object");
        out.push_back({&member.items[i], where + ": " + name});
    }
    return out;
}

std::vector<std::string> Fields::strings(const char* key) const {
    const JsonValue& member = at(key);
    if (member.kind != Kind::array) refuse(key, described(member), "a list");
    std::vector<std::string> out;
    for (const JsonValue& item : member.items) {
        if (item.kind != Kind::string) refuse(key, described(item), "a list of strings");
        out.push_back(item.text);
    }
    return out;
}

std::string Fields::text(const char* key) const {
    const JsonValue& member = at(key);
    if (member.kind != Kind::string) refuse(key, described(member), "a string");
    return member.text;
}

std::string Fields::text_or_null(const char* key) const {
    if (!has(key) || at(key).kind == Kind::null) return "";
    return text(key);
}

std::string Fields::number(const char* key) const {
    const JsonValue& member = at(key);
    const bool shaped = member.kind == Kind::number || member.kind == Kind::string;
    if (!shaped || !is_number(member.text)) refuse(key, described(member), "a number");
    return member.text;
}

std::string Fields::number_or_null(const char* key) const {
    if (!has(key) || at(key).kind == Kind::null) return "";
    return number(key);
}

long Fields::integer(const char* key, long most) const {
    const JsonValue& member = at(key);
    long number = -1;
    const char* const end = member.text.data() + member.text.size();
    const auto [stopped, failure] = std::from_chars(member.text.data(), end, number);
    if (member.kind != Kind::number || failure != std::errc() || stopped != end || number < 0 ||
        number > most)
        refuse(key, described(member), "a whole number from 0 to " + std::to_string(most));
    return number;
}

std::string Fields::one_of(const char* key, const std::vector<std::string>& choices) const {
    std::string found = text(key);
    if (std::ranges::find(choices, found) != choices.end()) return found;
    std::string expected;
    for (const std::string& choice : choices) expected += (expected.empty() ? "" : ", ") + choice;
    refuse(key, in_quotes(found), "one of " + expected);
}

std::string Fields::identifier(const char* key) const {
    std::string found = text(key);
    if (!is_identifier(found)) refuse(key, in_quotes(found), "letters, digits and ._:-+(),/");
    return found;
}

std::string Fields::digest(const char* key) const {
    std::string found = text_or_null(key);
    constexpr std::size_t hex_digits = 64;
    if (!found.empty() &&
        (found.size() != hex_digits || found.find_first_not_of("0123456789abcdef") != std::string::npos))
        refuse(key, in_quotes(found), "64 hex digits");
    return found;
}

} // namespace kvproof::report
