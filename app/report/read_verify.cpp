#include "app/report/read_results.hpp"
#include "lib/error.hpp"
#include "lib/record/quote.hpp"

#include <algorithm>
#include <set>

namespace kvproof::report {
namespace {

const std::vector<std::string> verdicts = {"proved", "refuted", "supported", "undecided"};

/// A path below the folder of the results: it becomes a link.
std::string certificate_path(const Fields& fields) {
    std::string path = fields.text_or_null("certificate");
    if (path.starts_with('/') || path.find("..") != std::string::npos || path.find(':') != std::string::npos)
        fields.refuse("certificate", in_quotes(path), "a path below the folder of the results");
    return path;
}

ClaimResult read_claim(const Fields& fields) {
    ClaimResult out;
    out.id = fields.identifier("id");
    out.reference = fields.text("reference");
    out.statement = fields.text("statement");
    out.scope = fields.text("scope");
    out.verdict = fields.one_of("verdict", verdicts);
    out.why = fields.text_or_null("why");
    out.recorded = fields.one_of("recorded", verdicts);
    out.rule = fields.identifier("rule");
    if (fields.at("enclosure").kind != JsonValue::Kind::null) {
        const Fields ends = fields.object("enclosure");
        out.lower = ends.number("lower");
        out.upper = ends.number("upper");
    }
    out.slack = fields.number_or_null("slack");
    const Fields witness = fields.object("witness");
    for (const std::string& name : witness.value->keys) {
        const bool single = witness.at(name.c_str()).kind == JsonValue::Kind::string;
        out.witness.emplace_back(name, single ? std::vector{witness.text(name.c_str())}
                                              : witness.strings(name.c_str()));
    }
    out.cases = fields.number("cases");
    out.bits = fields.number("bits");
    out.certificate = certificate_path(fields);
    out.sha256 = fields.digest("sha256");
    out.note = fields.text("note");
    out.seconds = fields.number_or_null("seconds");
    return out;
}

} // namespace

const std::string* ClaimResult::evidence(const std::string& name) const {
    const auto at =
        std::ranges::find(witness, name, &std::pair<std::string, std::vector<std::string>>::first);
    return at == witness.end() || at->second.empty() ? nullptr : &at->second.front();
}

VerifyResults read_verify(const Fields& fields) {
    VerifyResults out;
    out.version = fields.text("kvproof");
    std::set<std::string> seen;
    for (const Fields& claim : fields.objects("claims")) {
        out.claims.push_back(read_claim(claim));
        if (!seen.insert(out.claims.back().id).second)
            claim.refuse("id", in_quotes(out.claims.back().id) + " a second time", "every claim once");
    }
    const Fields summary = fields.object("summary");
    constexpr long most = 1'000'000;
    for (const std::string& verdict : verdicts) {
        const long counted = std::ranges::count(out.claims, verdict, &ClaimResult::verdict);
        if (summary.integer(verdict.c_str(), most) != counted)
            summary.refuse(verdict.c_str(), summary.number(verdict.c_str()),
                           std::to_string(counted) + ", the number of such claims");
    }
    return out;
}

std::vector<std::pair<std::string, std::string>> read_answers(const Fields& fields) {
    std::vector<std::pair<std::string, std::string>> out;
    for (const Fields& answer : fields.objects("answers"))
        out.emplace_back(file_name(answer.text("file")), answer.text("answer"));
    return out;
}

} // namespace kvproof::report
