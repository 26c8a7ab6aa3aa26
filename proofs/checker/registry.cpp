#include "registry.hpp"

namespace kvcheck {
namespace {

std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    for (std::size_t end = text.find(at); end != std::string_view::npos; end = text.find(at)) {
        parts.push_back(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    parts.push_back(text);
    return parts;
}

} // namespace

Registry read_registry(std::string_view text) {
    Registry registry;
    add_to_registry(text, registry);
    return registry;
}

void add_to_registry(std::string_view text, Registry& registry) {
    const std::vector<std::string_view> rows = split(text, '\n');
    std::map<std::string_view, std::size_t> columns;
    const std::vector<std::string_view> names = split(rows[0], '\t');
    for (std::size_t i = 0; i < names.size(); ++i) columns.emplace(names[i], i);
    for (const char* name : {"id", "rule", "scope", "formula", "proof"}) {
        if (!columns.contains(name)) throw BadUsage{std::string("no column ") + name};
    }
    for (std::size_t i = 1; i < rows.size(); ++i) {
        if (rows[i].empty()) continue;
        const std::vector<std::string_view> fields = split(rows[i], '\t');
        const std::string row = "row " + std::to_string(i + 1) + ": ";
        if (fields.size() != names.size()) throw BadUsage{row + "not as many fields as the header"};
        const auto field = [&](const char* name) { return std::string(fields[columns.at(name)]); };
        try {
            const std::string formula = field("formula");
            Claim claim{field("rule"), field("scope"), formula, field("proof"), read_statement(formula)};
            if (!registry.emplace(field("id"), std::move(claim)).second)
                throw BadUsage{"a second row of one id"};
        } catch (const BadUsage& bad) {
            throw BadUsage{row + bad.message};
        }
    }
}

CheckedProofs read_checked_proofs(std::string_view text) {
    CheckedProofs proofs;
    const std::vector<std::string_view> rows = split(text, '\n');
    for (std::size_t i = 1; i < rows.size(); ++i) { // after the header
        if (rows[i].empty()) continue;
        const std::vector<std::string_view> fields = split(rows[i], '\t');
        if (fields.size() < 3) throw BadUsage{"row " + std::to_string(i + 1) + ": not three fields"};
        proofs.insert("proofs/coq/" + std::string(fields[0]) + ":" + std::string(fields[1]) + " " +
                      std::string(fields[2]));
    }
    return proofs;
}

} // namespace kvcheck
