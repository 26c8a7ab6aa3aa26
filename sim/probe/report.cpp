#include "sim/probe/report.hpp"
#include "lib/exact/decimal.hpp"
#include "sim/probe/witness_json.hpp"

namespace kvproof {
namespace {

using Json = nlohmann::ordered_json;

constexpr int digits = 20;

Json deterministic_json(const DeterministicCell& cell) {
    if (cell.decided())
        return {
            {"risk", to_string(cell.upper)}, {"lower", cell.by}, {"protocol", protocol_json(cell.protocol)}};
    return {{"risk", {{"lower", to_string(cell.lower)}, {"upper", to_string(cell.upper)}}},
            {"interrupted", true},
            {"protocol", protocol_json(cell.protocol)}};
}

Json line_json(const ProbeLine& line) {
    Json out = {
        {"class", to_string(line.cell.access)}, {"bits", line.cell.bits}, {"probes", line.cell.probes}};
    if (line.deterministic) out["deterministic"] = deterministic_json(*line.deterministic);
    if (line.randomised)
        out["randomised"] = {{"lower", to_string(line.randomised->lower)},
                             {"upper", to_string(line.randomised->upper)}};
    return out;
}

Json readkv_json(const ProbeBeside& beside) {
    if (!beside.readkv) return {{"risk", nullptr}, {"why", "ReadKV's layout does not fit"}};
    const ReadKvReach& readkv = *beside.readkv;
    return {{"risk", to_string(readkv.risk)},
            {"stored_depth", readkv.stored_depth},
            {"bits_read", readkv.bits_read}};
}

/// Rounded down, so that they stay lower bounds.
Json converse_json(const ProbeBeside& beside) {
    if (!beside.converse) return {{"lower", nullptr}, {"why", "no family of ReadKV's"}};
    Json out = {{"lower", lower_decimal(beside.converse->solid, digits)},
                {"of", "query-independent readers of the enclosing solid family, not of this one"}};
    if (beside.converse->finite)
        out["finite_lower"] = lower_decimal(*beside.converse->finite, digits); // of this family
    return out;
}

/// A number where programs can read it as one.
Json scale_json(const Integer& scale) {
    constexpr std::int64_t largest = std::int64_t{1} << 53U;
    return scale <= largest ? Json(scale.convert_to<std::int64_t>()) : Json(scale.str());
}

template <class Each>
Json one_or_all(const ProbeReport& report, const Each& each) {
    if (report.beside.size() == 1) return each(report.beside.front());
    Json out = Json::array();
    for (const ProbeBeside& beside : report.beside) {
        Json item = {{"bits", beside.bits}, {"probes", beside.probes}};
        item.update(each(beside));
        out.push_back(std::move(item));
    }
    return out;
}

} // namespace

std::string probe_json(const ProbeReport& report) {
    Json results = Json::array();
    for (const ProbeLine& line : report.lines) results.push_back(line_json(line));
    const Json out = {{"format", 1},
                      {"family", report.family.name},
                      {"scale", scale_json(report.family.scale)},
                      {"sources", report.family.sources},
                      {"queries", report.family.queries},
                      {"results", std::move(results)},
                      {"readkv", one_or_all(report, readkv_json)},
                      {"converse", one_or_all(report, converse_json)}};
    return out.dump(2) + "\n";
}

} // namespace kvproof
