#include "app/report/read_results.hpp"

namespace kvproof::report {
namespace {

constexpr long deepest = 12;
constexpr long most_entries = 1'000'000;

std::vector<std::string> numbers(const Fields& fields, const char* key, std::size_t expected) {
    std::vector<std::string> out = fields.strings(key);
    if (out.size() != expected)
        fields.refuse(key, std::to_string(out.size()) + " numbers", std::to_string(expected));
    for (const std::string& text : out)
        if (!is_number(text)) fields.refuse(key, "\"" + text + "\"", "numbers");
    return out;
}

} // namespace

std::vector<LloydRow> read_lloyd(const Fields& fields) {
    std::vector<LloydRow> out;
    for (const Fields& level : fields.objects("levels")) {
        LloydRow row;
        row.t = static_cast<int>(level.integer("t", deepest));
        if (static_cast<std::size_t>(row.t) != out.size())
            level.refuse("t", std::to_string(row.t),
                         std::to_string(out.size()) + ", one depth after the other");
        const std::size_t cells = std::size_t{1} << static_cast<unsigned>(row.t);
        row.distortion = level.number("distortion");
        row.gain = level.number_or_null("gain");
        row.epsilon = level.number("epsilon");
        row.boundaries = numbers(level, "boundaries", cells - 1);
        row.centroids = numbers(level, "centroids", cells);
        out.push_back(std::move(row));
    }
    if (out.empty()) fields.refuse("levels", "none", "at least one depth");
    return out;
}

SeparationTable read_separation(const Fields& fields) {
    SeparationTable out;
    out.dimension = fields.integer("dimension", most_entries);
    out.probes = fields.integer("probes", most_entries);
    if (out.dimension == 0) fields.refuse("dimension", "0", "at least 1");
    for (const Fields& line : fields.objects("rows"))
        out.rows.push_back({line.integer("k", most_entries), line.integer("L", deepest),
                            line.one_of("certified", {"yes", "no", "unknown"}), line.number("factor")});
    return out;
}

AccountResults read_account(const Fields& fields) {
    AccountResults out{fields.text("model"), fields.text("run"), fields.number("capacity_at"), {}};
    const auto row = [](const Fields& line) {
        return AccountRow{line.text("system"), line.number("reads_percent"), line.number("capacity_percent")};
    };
    if (!fields.has("systems")) {
        out.rows.push_back(row(fields));
        return out;
    }
    for (const Fields& line : fields.objects("systems")) out.rows.push_back(row(line));
    return out;
}

} // namespace kvproof::report
