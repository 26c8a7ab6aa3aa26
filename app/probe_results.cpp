#include "app/probe_results.hpp"

#include "sim/probe/witness_json.hpp"

#include "lib/error.hpp"
#include "lib/record/sha256.hpp"
#include "sim/probe/family_file.hpp"

#include <algorithm>

namespace kvproof::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view line_begin = R"({"cell":{"family":")";
constexpr int most_bits = 32;

[[noreturn]] void refuse(const std::string& what) {
    throw Error(ErrorCode::bad_file_format, what);
}

template <class Result>
const Result* find_in(const std::vector<std::pair<ProbeCell, Result>>& results, const ProbeCell& cell) {
    const auto at = std::ranges::find(results, cell, &std::pair<ProbeCell, Result>::first);
    return at == results.end() ? nullptr : &at->second;
}

} // namespace

ProbeResults::ProbeResults(const std::string& path, const Family& family)
    : family_(family), family_hash_(sha256(table_text(family))), file_(path) {
    file_.read({line_begin}, [this](std::string_view line) { read_line(line); });
}

void ProbeResults::read_line(std::string_view line) {
    try {
        const Json json = Json::parse(line);
        const Json& stored = json.at("cell");
        if (json.at("sha256").get<std::string>() != sha256(stored.dump()))
            refuse("the cell does not have the hash beside it");
        if (stored.at("family").get<std::string>() != family_hash_)
            refuse("found a cell of another family, expected one of \"" + family_.name + "\"");
        const ProbeCell cell{parse_access_class(stored.at("class").get<std::string>()),
                             stored.at("bits").get<int>(), stored.at("probes").get<int>()};
        if (cell.bits < 0 || cell.bits > most_bits) refuse("found a record of too many bits");
        if (stored.contains("randomised"))
            read_bracket(cell, stored.at("randomised"));
        else
            read_risk(cell, stored);
    } catch (const nlohmann::json::exception&) {
        refuse("found no cell of a probe, expected a file that `kvproof probe --resume` wrote");
    }
}

void ProbeResults::read_risk(const ProbeCell& cell, const Json& stored) {
    const Rational risk = parse_rational(stored.at("risk").get<std::string>());
    DeterministicCell result{risk, risk, protocol_from(stored.at("protocol"), cell.bits),
                             stored.at("lower").get<std::string>()};
    require_within(result.protocol, family_, cell.access, cell.bits, cell.probes);
    if (worst_loss(result.protocol, family_) != risk) refuse("the protocol does not have this risk");
    const DeterministicCell* known = find(cell);
    if (known != nullptr && known->upper != risk) refuse("found another risk than in an earlier line");
    if (known == nullptr) cells_.emplace_back(cell, std::move(result));
}

void ProbeResults::read_bracket(const ProbeCell& cell, const Json& stored) {
    Bracket result = bracket_from(stored, family_, cell);
    if (std::ranges::max(expected_losses(family_, result.mixture)) != result.upper)
        refuse("the mixture does not have this loss");
    if (result.lower > result.upper) refuse("the bracket is empty");
    const Bracket* known = find_bracket(cell);
    if (known != nullptr && (known->lower != result.lower || known->upper != result.upper))
        refuse("found another bracket than in an earlier line");
    if (known == nullptr) brackets_.emplace_back(cell, std::move(result));
}

const DeterministicCell* ProbeResults::find(const ProbeCell& cell) const {
    return find_in(cells_, cell);
}

const Bracket* ProbeResults::find_bracket(const ProbeCell& cell) const {
    return find_in(brackets_, cell);
}

void ProbeResults::add(const ProbeCell& cell, const DeterministicCell& result) {
    append(cell, {{"risk", to_string(result.upper)},
                  {"lower", result.by},
                  {"protocol", protocol_json(result.protocol)}});
}

void ProbeResults::add(const ProbeCell& cell, const Bracket& bracket) {
    append(cell, {{"randomised", bracket_json(bracket, family_)}});
}

void ProbeResults::append(const ProbeCell& cell, const Json& result) {
    Json stored = {{"family", family_hash_},
                   {"class", to_string(cell.access)},
                   {"bits", cell.bits},
                   {"probes", cell.probes}};
    stored.update(result);
    file_.append(Json{{"cell", stored}, {"sha256", sha256(stored.dump())}}.dump() + "\n");
}

} // namespace kvproof::app
