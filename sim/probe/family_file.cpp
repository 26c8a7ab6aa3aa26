#include "sim/probe/family_file.hpp"

#include "lib/error.hpp"
#include "lib/record/file.hpp"
#include "lib/record/json_value.hpp"
#include "lib/record/quote.hpp"
#include "lib/record/sha256.hpp"

namespace kvproof {
namespace {

constexpr std::uint64_t largest_file = 16U << 20U;
constexpr std::size_t most_digits = 200;

using Kind = JsonValue::Kind;

/// Reads the members of one document; every fault names the file and the key.
class Reader {
public:
    Reader(std::string path, const JsonValue& document) : path_(std::move(path)), document_(document) {
        if (document.kind != Kind::object)
            refuse("", std::string(kind_name(document.kind)),
                   "an object with scale, sources, queries and targets");
    }

    [[noreturn]] void refuse(const std::string& key, const std::string& found,
                             const std::string& expected) const {
        throw Error(ErrorCode::bad_file_format, path_ + ": " + (key.empty() ? "" : key + ": ") + "found " +
                                                    found + ", expected " + expected);
    }

    [[nodiscard]] const JsonValue& list(const std::string& key, std::size_t most) const {
        const JsonValue* value = document_.find(key);
        if (value == nullptr) refuse(key, "nothing", "a list");
        return list(*value, key, most);
    }
    [[nodiscard]] const JsonValue& list(const JsonValue& value, const std::string& key,
                                        std::size_t most) const {
        if (value.kind != Kind::array) refuse(key, std::string(kind_name(value.kind)), "a list");
        if (value.items.empty() || value.items.size() > most)
            refuse(key, std::to_string(value.items.size()) + " entries", "1 to " + std::to_string(most));
        return value;
    }

    [[nodiscard]] std::vector<std::string> names(const std::string& key, std::size_t most) const {
        std::vector<std::string> out;
        for (const JsonValue& item : list(key, most).items) {
            if (item.kind != Kind::string) refuse(key, std::string(kind_name(item.kind)), "names as strings");
            out.push_back(item.text);
        }
        return out;
    }

    [[nodiscard]] Rational rational(const JsonValue& value, const std::string& key) const {
        if (value.kind != Kind::string && value.kind != Kind::number)
            refuse(key, std::string(kind_name(value.kind)), "a rational as a string");
        if (value.text.size() > most_digits)
            refuse(key, std::to_string(value.text.size()) + " characters",
                   "at most " + std::to_string(most_digits));
        try {
            return parse_rational(value.text);
        } catch (const Error&) {
            refuse(key, in_quotes(value.text), "a rational such as \"-3/4\" or \"0.75\"");
        }
    }

    [[nodiscard]] Integer scale() const {
        const JsonValue* value = document_.find("scale");
        if (value == nullptr) return 1;
        const Rational scale = rational(*value, "scale");
        if (denominator(scale) != 1 || scale < 1)
            refuse("scale", in_quotes(value->text), "a positive integer");
        return numerator(scale);
    }

private:
    std::string path_;
    const JsonValue& document_;
};

/// One target: a rational, or a list of them.
void append_target(const Reader& reader, const JsonValue& value, const std::string& key, Family& family) {
    const bool is_list = value.kind == Kind::array;
    const std::size_t dim = is_list ? reader.list(value, key, Family::most_dim).items.size() : 1;
    if (family.targets.empty()) family.dim = static_cast<int>(dim);
    if (dim != static_cast<std::size_t>(family.dim))
        reader.refuse(key, std::to_string(dim) + " numbers",
                      std::to_string(family.dim) + " as in the first target");
    if (!is_list) {
        family.targets.push_back(reader.rational(value, key));
        return;
    }
    for (const JsonValue& entry : value.items) family.targets.push_back(reader.rational(entry, key));
}

} // namespace

std::string table_text(const Family& family) {
    std::string out = "family " + std::to_string(family.sources) + " " + std::to_string(family.queries) +
                      " " + std::to_string(family.dim) + " " + family.scale.str() + "\n";
    const auto row = static_cast<std::size_t>(family.queries) * static_cast<std::size_t>(family.dim);
    for (std::size_t i = 0; i < family.targets.size(); ++i) {
        if (i % row == 0) out += "targets";
        out += " " + to_string(family.targets[i]);
        if (i % row == row - 1) out += "\n";
    }
    return out;
}

Family parse_family(std::string_view text, const std::string& path) {
    const JsonValue document = parse_json(text, path);
    const Reader reader(path, document);
    Family out;
    out.scale = reader.scale();
    out.source_names = reader.names("sources", Family::most_sources);
    out.query_names = reader.names("queries", Family::most_queries);
    out.sources = static_cast<int>(out.source_names.size());
    out.queries = static_cast<int>(out.query_names.size());
    const JsonValue& rows = reader.list("targets", Family::most_sources);
    if (rows.items.size() != out.source_names.size())
        reader.refuse("targets", std::to_string(rows.items.size()) + " rows",
                      std::to_string(out.sources) + ", one for each source");
    for (std::size_t x = 0; x < rows.items.size(); ++x) {
        const std::string key = "targets[" + std::to_string(x) + "]";
        const JsonValue& row = reader.list(rows.items[x], key, Family::most_queries);
        if (row.items.size() != out.query_names.size())
            reader.refuse(key, std::to_string(row.items.size()) + " targets",
                          std::to_string(out.queries) + ", one for each query");
        for (std::size_t y = 0; y < row.items.size(); ++y)
            append_target(reader, row.items[y], key + "[" + std::to_string(y) + "]", out);
    }
    out.name = "file:" + sha256(table_text(out));
    return out;
}

Family read_family(const std::string& path) {
    return parse_family(read_file(path, largest_file), path);
}

} // namespace kvproof
