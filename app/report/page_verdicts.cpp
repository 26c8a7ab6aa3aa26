#include "app/report/fields.hpp"
#include "app/report/page_data.hpp"
#include "app/report/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

namespace kvproof::report {
namespace {

std::string paper_of(const ClaimResult& claim) {
    return claim.reference.substr(0, claim.reference.find(','));
}

bool counts_as(const ClaimResult& claim, const std::string& verdict) {
    if (verdict == "not run") return claim.is_left_out();
    return !claim.is_left_out() && claim.verdict == verdict;
}

Table summary_table(const VerifyResults& verify) {
    const std::vector<std::string> verdicts = {"proved", "refuted", "supported", "undecided", "not run"};
    Table out{"Claims by paper and verdict", {"", "claims"}, {}};
    out.columns.insert(out.columns.end(), verdicts.begin(), verdicts.end());
    std::vector<std::pair<std::string, std::vector<const ClaimResult*>>> groups;
    for (const ClaimResult& claim : verify.claims) {
        const std::string name = paper_of(claim) + (claim.is_audit() ? ": printed numbers" : ": statements");
        auto at = std::ranges::find(groups, name, &decltype(groups)::value_type::first);
        if (at == groups.end()) at = groups.insert(groups.end(), {name, {}});
        at->second.push_back(&claim);
    }
    std::ranges::stable_sort(groups, {}, [](const auto& group) { return group.second.front()->is_audit(); });
    groups.emplace_back("all", std::vector<const ClaimResult*>{});
    for (const ClaimResult& claim : verify.claims) groups.back().second.push_back(&claim);
    for (const auto& [name, claims] : groups) {
        std::vector<std::string> row = {name, std::to_string(claims.size())};
        for (const std::string& verdict : verdicts)
            row.push_back(std::to_string(std::ranges::count_if(
                claims, [&](const ClaimResult* claim) { return counts_as(*claim, verdict); })));
        out.rows.push_back(std::move(row));
    }
    return out;
}

using Choice = std::function<bool(const ClaimResult&)>;

Data chosen(const Results& results, const PageOptions& options, const Choice& choice) {
    Data out(Data::type::list);
    for (const ClaimResult& claim : results.verify->claims)
        if (choice(claim)) out.push_back(claim_data(claim, results, options));
    return out;
}

/// Claims under the place of the paper where they stand; `choice` by paper.
Data by_place(const Results& results, const PageOptions& options, const Choice& choice) {
    Data out(Data::type::list);
    const auto& claims = results.verify->claims;
    for (std::size_t i = 0; i < claims.size();) {
        Data list(Data::type::list);
        std::size_t count = 0;
        const std::string place = claims[i].reference;
        for (; i < claims.size() && claims[i].reference == place; ++i)
            if (choice(claims[i])) {
                list.push_back(claim_data(claims[i], results, options));
                ++count;
            }
        if (count == 0) continue;
        Data group(Data::type::object);
        group.set("reference", place);
        group.set("claims", list);
        out.push_back(group);
    }
    return out;
}

/// Proved inequalities whose two sides are far apart.
Table room_table(const VerifyResults& verify) {
    Table out{"Proved bounds with the most room: the larger side over the smaller one",
              {"claim", "statement", "slack"},
              {}};
    constexpr double wide = 2;
    constexpr std::size_t most = 10;
    std::vector<const ClaimResult*> rows;
    for (const ClaimResult& claim : verify.claims)
        if (!claim.is_audit() && claim.verdict == "proved" && !claim.slack.empty() &&
            to_double(claim.slack) >= wide)
            rows.push_back(&claim);
    std::ranges::stable_sort(rows, std::greater<>(),
                             [](const ClaimResult* claim) { return to_double(claim->slack); });
    rows.resize(std::min(rows.size(), most));
    for (const ClaimResult* const claim : rows)
        out.rows.push_back({claim->id, claim->statement, shortened(claim->slack, 6)});
    return out;
}

std::string checked_line(const Results& results) {
    if (results.answers.empty()) return "";
    const auto invalid = std::ranges::count_if(results.answers, [](const auto& answer) {
        return answer.second.starts_with("s INVALID") || !answer.second.starts_with("s ");
    });
    return fmt::format(
        "{} certificates were re-checked by kvproof-check, which shares no code with the prover: {}.",
        results.answers.size(), invalid == 0 ? "all valid" : fmt::format("{} INVALID", invalid));
}

} // namespace

void set_verdicts(Data& page, const Results& results, const PageOptions& options) {
    const VerifyResults& verify = *results.verify;
    page.set("summary", table_data(summary_table(verify)));
    const auto differs = [](const ClaimResult& claim) {
        return claim.verdict != claim.recorded && !claim.is_left_out();
    };
    const auto is_finding = [](const ClaimResult& claim) {
        return claim.verdict == "refuted" && !claim.is_audit();
    };
    page.set("has_differing", std::ranges::any_of(verify.claims, differs));
    page.set("as_recorded", std::ranges::none_of(verify.claims, differs));
    page.set("differing", chosen(results, options, differs));
    const auto refuted = std::ranges::count_if(verify.claims, is_finding);
    page.set("has_findings", refuted > 0);
    page.set("findings_count", std::to_string(refuted));
    page.set("findings", by_place(results, options, is_finding));
    const Table room = room_table(verify);
    page.set("has_room", !room.rows.empty());
    page.set("room", table_data(room));
    const auto open = [](const ClaimResult& claim) {
        return !claim.is_audit() && !claim.is_left_out() &&
               (claim.verdict == "supported" || claim.verdict == "undecided");
    };
    Table unproved{
        "Neither proved nor refuted: what was checked is a part of the statement, or the effort ran out",
        {"claim", "where", "verdict", "statement", "note"},
        {}};
    for (const ClaimResult& claim : verify.claims)
        if (open(claim))
            unproved.rows.push_back({claim.id, claim.reference,
                                     claim.verdict + (claim.why.empty() ? "" : " (" + claim.why + ")"),
                                     claim.statement, claim.note});
    page.set("has_unproved", !unproved.rows.empty());
    page.set("unproved", table_data(unproved));
    set_text(page, "checked", checked_line(results));
    page.set("places", by_place(results, options, [](const ClaimResult&) { return true; }));
}

} // namespace kvproof::report
