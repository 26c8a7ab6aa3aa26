#include "app/report/read_results.hpp"

namespace kvproof::report {
namespace {

constexpr long most_bits = 32;

/// A risk that was decided is one number, else an interval.
Ends risk_of(const Fields& cell) {
    if (cell.at("risk").kind != JsonValue::Kind::object) return {cell.number("risk"), cell.number("risk")};
    const Fields ends = cell.object("risk");
    return {ends.number("lower"), ends.number("upper")};
}

/// What stands beside the classes is one object at one budget, a list of such with their budgets at several.
std::vector<Fields> each_budget(const Fields& fields, const char* key) {
    if (fields.at(key).kind == JsonValue::Kind::array) return fields.objects(key);
    return {fields.object(key)};
}

} // namespace

ProbeSweep read_probe(const Fields& fields) {
    ProbeSweep out{fields.text("family"), fields.number("sources"), fields.number("queries"), {}, {}};
    for (const Fields& line : fields.objects("results")) {
        ProbeRow row;
        row.access = line.identifier("class");
        row.bits = static_cast<int>(line.integer("bits", most_bits));
        row.probes = static_cast<int>(line.integer("probes", most_bits));
        if (line.has("deterministic")) row.deterministic = risk_of(line.object("deterministic"));
        if (line.has("randomised")) {
            const Fields ends = line.object("randomised");
            row.randomised = Ends{ends.number("lower"), ends.number("upper")};
        }
        out.rows.push_back(std::move(row));
    }
    if (out.rows.empty()) fields.refuse("results", "none", "at least one class and budget");
    const std::vector<Fields> readkv = each_budget(fields, "readkv");
    const std::vector<Fields> converse = each_budget(fields, "converse");
    if (readkv.size() != converse.size())
        fields.refuse("converse", std::to_string(converse.size()) + " budgets",
                      std::to_string(readkv.size()) + ", as in readkv");
    for (std::size_t i = 0; i < readkv.size(); ++i) {
        ProbeSide side;
        side.bits =
            readkv[i].has("bits") ? static_cast<int>(readkv[i].integer("bits", most_bits)) : out.rows[0].bits;
        side.probes = readkv[i].has("probes") ? static_cast<int>(readkv[i].integer("probes", most_bits))
                                              : out.rows[0].probes;
        side.readkv = readkv[i].number_or_null("risk");
        side.converse = converse[i].number_or_null("finite_lower");
        out.beside.push_back(std::move(side));
    }
    return out;
}

} // namespace kvproof::report
