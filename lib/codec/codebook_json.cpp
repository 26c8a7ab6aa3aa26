#include "lib/codec/codebook_json.hpp"

#include "lib/codec/codebook_entries.hpp"
#include "lib/error.hpp"
#include "lib/record/json_value.hpp"
#include "lib/record/quote.hpp"

namespace kvproof {
namespace {

using Kind = JsonValue::Kind;

// Far more than a table prints or binary32 needs, and so little that a hostile file costs no time: exact
// arithmetic with 1e-20000 is slow.
constexpr std::size_t longest_number = 2000;
constexpr std::size_t longest_exponent = 4; // a sign and three digits

const JsonValue& member(const JsonValue& object, std::string_view key, Kind kind, const std::string& where) {
    const JsonValue* value = object.find(key);
    const std::string expected = std::string(key) + ", expected " + std::string(kind_name(kind));
    if (value == nullptr) refuse_format(where, "found no " + expected);
    if (value->kind != kind)
        refuse_format(where, "found " + std::string(kind_name(value->kind)) + " as " + expected);
    return *value;
}

/// Requires that the member is this number, as written without a fraction.
void require_number(const JsonValue& object, std::string_view key, std::size_t expected,
                    const std::string& where) {
    const JsonValue& value = member(object, key, Kind::number, where);
    if (value.text != std::to_string(expected))
        refuse_format(where, "found " + std::string(key) + " " + value.text.substr(0, 60) + ", expected " +
                                 std::to_string(expected));
}

float entry(const JsonValue& value, const std::string& where) {
    if (value.kind != Kind::string && value.kind != Kind::number)
        refuse_format(where, "found " + std::string(kind_name(value.kind)) + ", expected a decimal string");
    if (value.text.size() > longest_number)
        refuse_format(where, "found a number of " + std::to_string(value.text.size()) +
                                 " characters, expected at most " + std::to_string(longest_number));
    const std::size_t mark =
        value.text.find_first_of(value.text.find_first_of("xX") == std::string::npos ? "eE" : "pP");
    if (mark != std::string::npos && value.text.size() - mark - 1 > longest_exponent)
        refuse_format(where,
                      "found " + in_quotes(value.text) + ", expected an exponent of at most three digits");
    try {
        return nearest_float32(parse_rational(value.text)) + 0.0F; // no -0, as in finite_entry
    } catch (const Error& error) {
        if (error.code() == ErrorCode::bad_number)
            refuse_format(where, "found " + in_quotes(value.text) +
                                     ", expected a decimal, a fraction or a hex float");
        refuse_codebook(where,
                        "found " + in_quotes(value.text) + ", expected a number that binary32 can hold");
    }
}

std::vector<float> entries(const JsonValue& list, const char* kind, std::size_t t, std::size_t expected,
                           const std::string& source) {
    require_entry_count(source, kind, t, list.items.size(), expected);
    std::vector<float> out;
    for (std::size_t i = 0; i < expected; ++i)
        out.push_back(entry(list.items[i], source + ": " + entry_name(kind, t, i)));
    return out;
}

} // namespace

Codebook<float> codebook_from_json(std::string_view text, const std::string& source) {
    const JsonValue root = parse_json(text, source);
    if (root.kind != Kind::object)
        refuse_format(source, "found " + std::string(kind_name(root.kind)) + ", expected an object");
    const std::string& table = member(root, "table", Kind::string, source).text;
    if (table != "lloyd") refuse_format(source, "found table " + in_quotes(table) + ", expected \"lloyd\"");
    const std::vector<JsonValue>& levels = member(root, "levels", Kind::array, source).items;
    require_level_count(source, levels.size());
    require_number(root, "depth", levels.size() - 1, source);

    Codebook<float> out;
    for (std::size_t t = 0; t < levels.size(); ++t) {
        const std::string where = source + ": levels[" + std::to_string(t) + "]";
        const JsonValue& level = levels[t];
        if (level.kind != Kind::object)
            refuse_format(where, "found " + std::string(kind_name(level.kind)) + ", expected an object");
        require_number(level, "t", t, where);
        static const JsonValue nothing{Kind::array, "", {}, {}};
        const bool absent = t == 0 && level.find("boundaries") == nullptr;
        const JsonValue& boundaries = absent ? nothing : member(level, "boundaries", Kind::array, where);
        out.boundaries.push_back(entries(boundaries, "boundaries", t, (std::size_t{1} << t) - 1, source));
        out.centroids.push_back(entries(member(level, "centroids", Kind::array, where), "centroids", t,
                                        std::size_t{1} << t, source));
    }
    return out;
}

} // namespace kvproof
