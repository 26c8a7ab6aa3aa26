#pragma once
// The reads and capacity cells of ReadKV's Tables 2, 3, 6, 7 and 8, and what was run for each.

#include "lib/account/percent.hpp"
#include "lib/record/file.hpp"
#include "lib/record/json_value.hpp"

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace kvproof::testing_support {

struct Cell {
    std::string place; ///< "Table 2, ReadKV(8,4), yi-1.5-6b, reads"
    std::string table;
    std::string quantity; ///< reads or capacity
    std::string printed;
    ModelGeometry model;
    System system;
    long length = 0; ///< cached tokens: of the causal pass, or those at which capacity is taken
};

/// Reader name of a printed row; the low-read SparQ row has r = 8 on Yi and 16 elsewhere (F.2).
inline std::string system_of_row(std::string row, const std::string& model) {
    static const std::map<std::string, std::string> names = {
        {"FullReader(4,4)", "full:4"},
        {"ReadKV(4,2)", "readkv:4,2"},
        {"ReadKV(8,2)", "readkv:8,2"},
        {"ReadKV(8,4)", "readkv:8,4"},
        {"KIVI-2bit", "kivi:2"},
        {"KIVI-4bit", "kivi:4"},
        {"TurboQuantK4V4", "turboquant"},
        {"Lloyd-2", "lloyd2"},
        {"SparQ(r32,k128)", "sparq:32,128"},
        {"SparQ+nested", "sparq-nested:32,128"},
    };
    const std::string suffix = "+protected";
    const bool kept = row.ends_with(suffix);
    if (kept) row.resize(row.size() - suffix.size());
    if (row == "SparQ(R2target)") return model == "yi-1.5-6b" ? "sparq:8,64" : "sparq:16,64";
    return names.at(row) + (kept ? "+protect" : "");
}

/// All printed cells: in Tables 2 and 6 reads over a causal pass of 2048 tokens and capacity there; in the
/// others capacity at the length that A.1 names (reads there depend on the lengths of the answers, which are
/// not printed).
inline std::vector<Cell> printed_cells() {
    const std::map<std::string, std::string> models = {{"qwen", "qwen2.5-7b"},
                                                       {"mistral", "mistral-7b-v0.3"}};
    const std::map<std::string, long> lengths = {{"2", 2048}, {"6", 2048},    {"3", 7500},
                                                 {"7", 3500}, {"8/4k", 4096}, {"8/8k", 8192}};
    const std::string path = KVPROOF_SOURCE_DIR "/tests/data/papers/readkv_tables.json";
    const JsonValue json = parse_json(read_file(path, 1 << 20), path);
    std::vector<Cell> out;
    for (const JsonValue& table : json.find("tables")->items) {
        const std::string number = table.find("table")->text;
        if (std::string("23678").find(number) == std::string::npos) continue;
        const JsonValue& rows = *table.find("cells");
        for (std::size_t r = 0; r < rows.keys.size(); ++r) {
            const std::size_t slash = rows.keys[r].find('/');
            const bool split = slash != std::string::npos;
            const std::string row = split ? rows.keys[r].substr(slash + 1) : rows.keys[r];
            const JsonValue& columns = rows.items[r];
            for (std::size_t c = 0; c < columns.keys.size(); ++c) {
                const std::string& column = columns.keys[c];
                const std::string model = split ? models.at(rows.keys[r].substr(0, slash)) : column;
                for (const char* quantity : {"reads", "capacity"}) {
                    const JsonValue* printed = columns.items[c].find(quantity);
                    const bool known = quantity == std::string("capacity") || number == "2" || number == "6";
                    if (printed == nullptr || !known) continue;
                    out.push_back({"Table " + number + ", " + rows.keys[r] + ", " + column + ", " + quantity,
                                   number, quantity, printed->text, parse_model(model),
                                   parse_system(system_of_row(row, model)),
                                   lengths.at(number == "8" ? "8/" + column : number)});
                }
            }
        }
    }
    return out;
}

/// Whether a value rounds to the printed digits, a half upwards.
inline bool rounds_to(const Rational& value, const std::string& printed) {
    Rational unit = 1;
    const std::size_t point = printed.find('.');
    for (std::size_t i = point; point != std::string::npos && i + 1 < printed.size(); ++i) unit /= 10;
    return Rational(floor(value / unit + Rational(1, 2))) * unit == parse_rational(printed);
}

} // namespace kvproof::testing_support
