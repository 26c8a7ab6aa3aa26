#include "sim/probe/witness_json.hpp"

#include "lib/error.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace kvproof {
namespace {

using Json = nlohmann::ordered_json;

std::uint32_t record_from(const std::string& text) {
    std::uint32_t record = 0;
    const char* end = text.data() + text.size();
    if (!text.starts_with("0x") || std::from_chars(text.data() + 2, end, record, 16).ptr != end)
        throw Error(ErrorCode::bad_file_format, "a record that is no hexadecimal word");
    return record;
}

LowerRule rule_from(const std::string& text) {
    for (const LowerRule rule :
         {LowerRule::own_class, LowerRule::one_query, LowerRule::full_read, LowerRule::nothing})
        if (to_string(rule) == text) return rule;
    throw Error(ErrorCode::bad_file_format, "an unknown rule for the lower end");
}

/// A positive integer.
Integer weight_from(const Json& json) {
    const Rational value = parse_rational(json.get<std::string>());
    if (denominator(value) != 1 || value <= 0)
        throw Error(ErrorCode::bad_file_format, "a weight that is no positive integer");
    return numerator(value);
}

WeightedProtocol outcome_from(const Json& json, const Family& family, const ProbeCell& cell) {
    WeightedProtocol out{weight_from(json.at("weight")), protocol_from(json.at("protocol"), cell.bits), {}};
    require_within(out.protocol, family, cell.access, cell.bits, cell.probes);
    const int depth = std::min(cell.bits, cell.probes);
    for (const ProbeTree& tree : out.protocol.trees)
        if (tree.depth != depth) throw Error(ErrorCode::bad_file_format, "a tree of another depth");
    for (const Json& answer : json.at("answers"))
        out.answers.push_back(parse_rational(answer.get<std::string>()));
    const std::size_t expected = (static_cast<std::size_t>(family.queries) << static_cast<unsigned>(depth)) *
                                 static_cast<std::size_t>(family.dim);
    if (out.answers.size() != expected) throw Error(ErrorCode::bad_file_format, "a wrong number of answers");
    return out;
}

} // namespace

Protocol protocol_from(const Json& json, int bits) {
    Protocol out{.bits = bits, .records = {}};
    for (const Json& record : json.at("records"))
        out.records.push_back(record_from(record.get<std::string>()));
    for (const Json& addresses : json.at("trees")) {
        ProbeTree tree;
        for (const Json& address : addresses)
            tree.addresses.push_back(address.is_null() ? ProbeTree::stop : address.get<int>());
        while (std::size_t{1} << static_cast<unsigned>(tree.depth) <= tree.addresses.size()) ++tree.depth;
        out.trees.push_back(std::move(tree));
    }
    return out;
}

Json protocol_json(const Protocol& protocol) {
    Json records = Json::array();
    for (const std::uint32_t record : protocol.records) records.push_back(fmt::format("{:#x}", record));
    Json trees = Json::array();
    for (const ProbeTree& tree : protocol.trees) {
        Json addresses = Json::array();
        for (const int address : tree.addresses)
            addresses.push_back(address == ProbeTree::stop ? Json(nullptr) : Json(address));
        trees.push_back(std::move(addresses));
    }
    return {{"records", std::move(records)}, {"trees", std::move(trees)}};
}

Json bracket_json(const Bracket& bracket, const Family& family) {
    const auto queries = static_cast<std::size_t>(family.queries);
    Json prior = Json::array();
    for (std::size_t pair = 0; pair < bracket.prior.weights.size(); ++pair)
        if (bracket.prior.weights[pair] != 0)
            prior.push_back({pair / queries, pair % queries, bracket.prior.weights[pair].str()});
    Json mixture = Json::array();
    for (const WeightedProtocol& outcome : bracket.mixture) {
        Json answers = Json::array();
        for (const Rational& answer : outcome.answers) answers.push_back(to_string(answer));
        mixture.push_back({{"weight", outcome.weight.str()},
                           {"protocol", protocol_json(outcome.protocol)},
                           {"answers", std::move(answers)}});
    }
    return {{"lower", to_string(bracket.lower)},
            {"upper", to_string(bracket.upper)},
            {"rule", to_string(bracket.lower_rule)},
            {"prior", std::move(prior)},
            {"mixture", std::move(mixture)}};
}

Bracket bracket_from(const Json& json, const Family& family, const ProbeCell& cell) {
    Bracket out;
    out.lower = parse_rational(json.at("lower").get<std::string>());
    out.upper = parse_rational(json.at("upper").get<std::string>());
    out.lower_rule = rule_from(json.at("rule").get<std::string>());
    const Json& prior = json.at("prior");
    if (!prior.empty())
        out.prior.weights.resize(static_cast<std::size_t>(family.sources) *
                                 static_cast<std::size_t>(family.queries));
    for (const Json& entry : prior) {
        const auto x = entry.at(0).get<std::size_t>();
        const auto y = entry.at(1).get<std::size_t>();
        if (x >= static_cast<std::size_t>(family.sources) || y >= static_cast<std::size_t>(family.queries))
            throw Error(ErrorCode::bad_file_format, "a prior on a pair that the family lacks");
        out.prior.weights[x * static_cast<std::size_t>(family.queries) + y] = weight_from(entry.at(2));
    }
    for (const Json& outcome : json.at("mixture")) out.mixture.push_back(outcome_from(outcome, family, cell));
    if (out.mixture.empty()) throw Error(ErrorCode::bad_file_format, "a bracket without a mixture");
    if (out.prior.weights.empty() != (out.lower_rule == LowerRule::nothing))
        throw Error(ErrorCode::bad_file_format, "a lower end without its prior");
    return out;
}

} // namespace kvproof
