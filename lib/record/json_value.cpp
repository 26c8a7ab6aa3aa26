#include "lib/record/json_value.hpp"

#include "lib/error.hpp"
#include "lib/record/quote.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace kvproof {
namespace {

constexpr std::size_t deepest_nesting = 32;
constexpr std::size_t most_values = 1'000'000;

/// Receives the parser's events. The parser is not recursive, so the limit on nesting is ours to keep: the
/// destructor and every reader of the tree recurse.
class Builder : public nlohmann::json_sax<nlohmann::json> {
public:
    explicit Builder(const std::string& source) : source_(source) {}

    bool null() override { return add({JsonValue::Kind::null, "", {}, {}}); }
    bool boolean(bool value) override {
        return add({JsonValue::Kind::boolean, value ? "true" : "false", {}, {}});
    }
    bool number_integer(number_integer_t value) override { return number(std::to_string(value)); }
    bool number_unsigned(number_unsigned_t value) override { return number(std::to_string(value)); }
    bool number_float(number_float_t, const string_t& text) override {
        // The library writes the locale's decimal point into the text. It is the only character that can be
        // none of these.
        std::string digits = text;
        for (char& c : digits)
            if (std::string_view("0123456789+-eE").find(c) == std::string_view::npos) c = '.';
        return number(std::move(digits));
    }
    bool string(string_t& value) override { return add({JsonValue::Kind::string, std::move(value), {}, {}}); }
    bool binary(binary_t&) override { return false; } // not JSON text
    bool start_object(std::size_t) override { return open(JsonValue::Kind::object); }
    bool start_array(std::size_t) override { return open(JsonValue::Kind::array); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t& name) override {
        Open& object = open_.back();
        if (!object.names.insert(name).second)
            refuse("found the key " + in_quotes(name) + " twice in one object");
        object.value.keys.push_back(std::move(name));
        return true;
    }
    bool parse_error(std::size_t byte, const std::string&,
                     const nlohmann::detail::exception& fault) override {
        // The library's own message quotes raw bytes of the file.
        if (fault.id == 406) refuse("found a number beyond binary64 before byte " + std::to_string(byte));
        refuse("found a fault at byte " + std::to_string(byte) + ", expected JSON");
    }

    JsonValue take() { return std::move(root_); }

private:
    struct Open {
        JsonValue value;
        std::set<std::string, std::less<>> names;
    };

    [[noreturn]] void refuse(const std::string& what) const {
        throw Error(ErrorCode::bad_file_format, source_ + ": " + what);
    }
    bool number(std::string text) { return add({JsonValue::Kind::number, std::move(text), {}, {}}); }
    bool open(JsonValue::Kind kind) {
        if (open_.size() == deepest_nesting)
            refuse("found JSON nested deeper than " + std::to_string(deepest_nesting) + " levels");
        open_.push_back({{kind, "", {}, {}}, {}});
        return true;
    }
    bool close() {
        JsonValue value = std::move(open_.back().value);
        open_.pop_back();
        return add(std::move(value));
    }
    bool add(JsonValue value) {
        if (++count_ > most_values) refuse("found more than " + std::to_string(most_values) + " JSON values");
        if (open_.empty())
            root_ = std::move(value);
        else
            open_.back().value.items.push_back(std::move(value));
        return true;
    }

    const std::string& source_;
    JsonValue root_;
    std::vector<Open> open_;
    std::size_t count_ = 0;
};

} // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
    const auto at = std::ranges::find(keys, key);
    return at == keys.end() ? nullptr : &items[static_cast<std::size_t>(at - keys.begin())];
}

std::string_view kind_name(JsonValue::Kind kind) {
    using enum JsonValue::Kind;
    switch (kind) {
    case null: return "null";
    case boolean: return "a boolean";
    case number: return "a number";
    case string: return "a string";
    case array: return "an array";
    case object: return "an object";
    }
    return "";
}

JsonValue parse_json(std::string_view text, const std::string& source) {
    Builder builder(source);
    if (!nlohmann::json::sax_parse(text, &builder))
        throw Error(ErrorCode::bad_file_format, source + ": expected JSON");
    return builder.take();
}

} // namespace kvproof
