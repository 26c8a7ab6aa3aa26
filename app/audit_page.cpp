#include "app/audit_page.hpp"

#include "proofs/verify.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kvproof::app {
namespace {

constexpr const char* introduction = R"(# The audit of printed numbers

Made by `kvproof claims 'paper.audit.*' --format markdown` from `proofs/audit/claims.tsv`.

Both papers derive numbers from numbers that they print: averages of columns, savings in percent, largest and
smallest entries, counts of wins. Each such sentence is a claim `paper.audit.ID`. A printed number stands for
every value within half a unit of its last digit; a cell that a sentence uses twice is one value. The claim is
**proved** if the sentence holds for all these values, **refuted** if for none, and **supported**, a *rounding
edge*, if for some: then the printed digits do not decide it, and nothing is wrong with the paper. What is refuted
does not follow from the printed numbers as this list reads the sentence; it may be true for other reasons.
)";

const std::string* witness_of(const Decision& decision, const std::string& name) {
    const auto at = std::ranges::find(decision.witness, name, &Witness::name);
    return at == decision.witness.end() ? nullptr : &at->values.front();
}

/// A bar would end the cell.
std::string cell(std::string text) {
    for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
        text.insert(at, "\\");
    return text;
}

std::string number(const Decision& decision, const char* name) {
    const std::string* value = witness_of(decision, name);
    return value == nullptr ? "" : *value;
}

/// The note without its first sentence, which only says in which of the tables the row belongs.
std::string comment(const Result& result) {
    const std::string& note = result.claim.note;
    if (!note.starts_with("rounding edge: ")) return note;
    const std::size_t end = note.find(". ");
    return end == std::string::npos ? "" : note.substr(end + 2);
}

std::string table(const std::vector<Result>& results, const char* title) {
    if (results.empty()) return "";
    std::string out =
        fmt::format("\n## {} ({})\n\n| `paper.audit.` | where | the sentence | at the printed digits | "
                    "within their rounding | note |\n|---|---|---|---|---|---|\n",
                    title, results.size());
    constexpr std::size_t prefix = std::string_view("paper.audit.").size();
    for (const Result& result : results)
        out += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", result.claim.id.substr(prefix),
                           result.claim.reference(), cell(result.claim.statement),
                           number(result.decision, "at the printed digits"),
                           number(result.decision, "within the rounding"), cell(comment(result)));
    return out;
}

} // namespace

std::string audit_page(const std::vector<Claim>& claims) {
    const CertifiedQuantities none;
    const Context context{none, Effort()};
    std::vector<Result> refuted;
    std::vector<Result> failing;
    std::vector<Result> holding;
    std::size_t proved = 0;
    for (const Claim& claim : claims) {
        Result result = verify_claim(claim, context);
        if (result.decision.verdict == Verdict::proved)
            ++proved;
        else if (result.decision.verdict == Verdict::refuted)
            refuted.push_back(std::move(result));
        else if (number(result.decision, "printed digits") == "hold")
            holding.push_back(std::move(result));
        else
            failing.push_back(std::move(result));
    }
    std::string out = introduction;
    out += fmt::format(
        "\nOf {} sentences {} are proved, {} refuted and {} left open by the rounding; of these {} hold "
        "at the printed digits as they stand.\nWhere a sentence says several things, the numbers are "
        "those of the first that fails, or may.\n",
        claims.size(), proved, refuted.size(), failing.size() + holding.size(), holding.size());
    out += table(refuted, "Do not follow");
    out += table(failing, "Fail at the printed digits, within the rounding hold for some");
    out += table(holding, "Hold at the printed digits, not for all values within their rounding");
    return out;
}

} // namespace kvproof::app
