#include "app/report/page_data.hpp"
#include "app/report/plots.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kvproof::report {
namespace {

constexpr int digits = 6;

std::string evidence_text(const ClaimResult& claim, const char* name) {
    const std::string* const value = claim.evidence(name);
    return value == nullptr ? "" : *value;
}

/// The note without the sentence that only says in which of the tables the row belongs.
std::string comment(const ClaimResult& claim) {
    if (!claim.note.starts_with("rounding edge: ")) return claim.note;
    const std::size_t end = claim.note.find(". ");
    return end == std::string::npos ? "" : claim.note.substr(end + 2);
}

/// What the sentence's number comes out as, at the digits as they are printed. A sentence about printed
/// constants alone has no such pair: then the two sides of what fails.
std::string at_digits(const ClaimResult& claim) {
    std::string value = evidence_text(claim, "at the printed digits");
    if (!value.empty()) return value;
    const std::string left = evidence_text(claim, "left");
    const std::string right = evidence_text(claim, "right");
    return left.empty() ? "" : shortened(left, digits) + " against " + shortened(right, digits);
}

Table table_of(const VerifyResults& verify, const std::string& caption, bool (*choice)(const ClaimResult&)) {
    Table out{
        caption, {"claim", "the sentence", "at the printed digits", "within their rounding", "note"}, {}};
    for (const ClaimResult& claim : verify.claims)
        if (claim.is_audit() && choice(claim))
            out.rows.push_back({claim.id, claim.reference + ": " + claim.statement, at_digits(claim),
                                evidence_text(claim, "within the rounding"), comment(claim)});
    return out;
}

} // namespace

void set_audit(Data& page, const VerifyResults& verify) {
    const auto count = [&](const char* verdict) {
        return std::ranges::count_if(verify.claims, [&](const ClaimResult& claim) {
            return claim.is_audit() && claim.verdict == verdict;
        });
    };
    const auto all = std::ranges::count_if(verify.claims, &ClaimResult::is_audit);
    const Table failing =
        table_of(verify, "Sentences that do not follow from the printed numbers, as this list reads them",
                 [](const ClaimResult& claim) { return claim.verdict == "refuted"; });
    const Table edge = table_of(
        verify, "Sentences that fail at the printed digits and hold for some values that round to them",
        [](const ClaimResult& claim) {
            const std::string* const digits = claim.evidence("printed digits");
            return claim.verdict == "supported" && digits != nullptr && *digits == "fail";
        });
    page.set("has_audit", all > 0);
    page.set("audit_all", std::to_string(all));
    page.set("audit_proved", std::to_string(count("proved")));
    page.set("audit_refuted", std::to_string(count("refuted")));
    page.set("audit_open", std::to_string(count("supported")));
    page.set("audit_edge", std::to_string(edge.rows.size()));
    page.set("has_audit_failing", !failing.rows.empty());
    page.set("audit_failing", table_data(failing));
    page.set("has_audit_edges", !edge.rows.empty());
    page.set("audit_edges", table_data(edge));
}

} // namespace kvproof::report
