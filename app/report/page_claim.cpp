#include "app/report/fields.hpp"
#include "app/report/page_data.hpp"

#include "lib/exact/decimal.hpp"
#include "lib/exact/mathml.hpp"
#include "proofs/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace kvproof::report {
namespace {

constexpr int shown_digits = 12;

/// Wider lines, or more of them, do not fit a page: they stand as text that wraps.
constexpr std::size_t widest = 120;
constexpr std::size_t most_lines = 48;
/// A formula, or a piece of evidence, that is longer is cut.
constexpr std::size_t longest = 1200;

std::string cut(const std::string& text, const std::string& where, std::size_t limit) {
    if (text.size() <= limit) return text;
    std::size_t end = limit;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end; // not within a letter
    return text.substr(0, end) + " … (" + where + " has more)";
}

/// The registry's row of this very claim, null where this program has another one or none.
const Claim* row_of(const ClaimResult& result) {
    const auto& rows = registry();
    const auto at = std::ranges::find(rows, result.id, &Claim::id);
    return at == rows.end() || at->statement != result.statement ? nullptr : &*at;
}

void set_formula(Data& data, const ClaimResult& result) {
    const Claim* const row = row_of(result);
    std::string typeset;
    std::string plain;
    if (row != nullptr) {
        const Formula formula = parse_formula(row->formula);
        const TypesetFormula whole = typeset_formula(formula);
        if (whole.widest <= widest && whole.lines <= most_lines) typeset = whole.mathml;
        plain = cut(to_infix(formula), "kvproof claims " + result.id, longest);
    }
    set_text(data, "mathml", typeset);
    set_text(data, "formula", plain);
    data.set("formula_as_text", typeset.empty() && !plain.empty());
    data.set("formula_unknown", row == nullptr);
}

/// From the page's folder to the certificate, where it lies below; else nothing: a page travels alone.
std::string link_to(const ClaimResult& claim, const Results& results, const PageOptions& options) {
    if (claim.certificate.empty()) return "";
    namespace fs = std::filesystem;
    std::error_code failed;
    const fs::path file =
        fs::absolute(results.verify_folder.empty() ? "." : results.verify_folder, failed) / claim.certificate;
    const fs::path page = fs::absolute(options.html_folder.empty() ? "." : options.html_folder, failed);
    const std::string out =
        file.lexically_normal().lexically_relative(page.lexically_normal()).generic_string();
    return out.empty() || out.starts_with("..") || !fs::exists(file, failed) ? "" : out;
}

/// The names that the prover gives to parts of a refutation, as people say them.
std::string witness_name(const std::string& name) {
    constexpr std::array<std::pair<const char*, const char*>, 3> known = {
        {{"fails", "the relation that fails"}, {"left", "its left side"}, {"right", "its right side"}}};
    for (const auto& [key, text] : known)
        if (name == key) return text;
    return name;
}

/// A fraction with its decimals beside it.
std::string readable(const std::string& value) {
    if (value.find('/') == std::string::npos || !is_number(value)) return value;
    return fmt::format("{} ≈ {:.10g}", value, to_double(value));
}

/// In short for the findings: not what a proof rests on, and no more than some lines of a relation.
Data witness_data(const ClaimResult& claim, bool in_short) {
    constexpr std::size_t short_length = 360;
    Data out(Data::type::list);
    for (const auto& [name, values] : claim.witness) {
        if (in_short && name.starts_with("proof ")) continue;
        std::string all;
        for (const std::string& value : values) all += (all.empty() ? "" : "; ") + readable(value);
        Data part(Data::type::object);
        part.set("name", witness_name(name));
        part.set("value", in_short ? cut(all, "the list of all claims", short_length)
                                   : cut(all, "the file of results", longest));
        out.push_back(part);
    }
    return out;
}

std::string cost_text(const ClaimResult& claim) {
    std::string out = claim.cases + (claim.cases == "1" ? " case" : " cases");
    out += claim.bits == "0" ? ", exact" : ", enclosures of up to " + claim.bits + " bits";
    if (!claim.seconds.empty()) out += ", " + claim.seconds + " s";
    return out;
}

std::string answer_of(const ClaimResult& claim, const Results& results) {
    if (claim.certificate.empty()) return "";
    const std::string name = std::filesystem::path(claim.certificate).filename().string();
    const auto at = std::ranges::find(results.answers, name, &std::pair<std::string, std::string>::first);
    return at == results.answers.end() ? "" : at->second;
}

} // namespace

std::string method_text(const std::string& rule) {
    constexpr std::array<std::pair<const char*, const char*>, 12> known = {{
        {"const", "enclosures of constants, precision rising until they separate"},
        {"lloyd", "sign changes that enclose every split of the Lloyd tree"},
        {"codebook", "enclosures of the stored table"},
        {"identity", "one normal form of both sides"},
        {"cover", "boxes halved until each decides"},
        {"enumerate", "every instance"},
        {"waterfill", "optimality conditions of water-filling"},
        {"game", "a mixture and a prior that meet"},
        {"unsat", "a refutation of clauses"},
        {"counterexample", "an instance that breaks it"},
        {"coq", "a machine-checked proof"},
        {"sampling", "seeded cases of the running reader"},
    }};
    for (const auto& [name, text] : known)
        if (rule == name) return std::string(text);
    return "";
}

std::string value_text(const ClaimResult& claim) {
    if (claim.lower.empty()) return "";
    if (claim.lower == "inf" || claim.upper == "inf") return "[" + claim.lower + ", " + claim.upper + "]";
    constexpr Bits accuracy = 256;
    constexpr int enough = 4;
    const Rational lower = parse_rational(claim.lower);
    const Rational upper = parse_rational(claim.upper);
    if (lower == upper && claim.lower.size() <= shown_digits) return claim.lower;
    const Interval ends =
        lower == upper ? Interval(lower, accuracy) : Interval::between(lower, upper, accuracy);
    if (shared_digits(ends, shown_digits) >= enough) return shared_decimal(ends, shown_digits) + "…";
    return "[" + lower_decimal(ends, enough) + ", " + upper_decimal(ends, enough) + "]";
}

Data claim_data(const ClaimResult& claim, const Results& results, const PageOptions& options) {
    Data out(Data::type::object);
    out.set("id", claim.id);
    out.set("is_audit", claim.is_audit());
    out.set("reference", claim.reference);
    out.set("statement", claim.statement);
    out.set("scope", claim.scope);
    out.set("verdict", claim.is_left_out() ? "not run" : claim.verdict);
    out.set("verdict_class", claim.is_left_out() ? "not-run" : claim.verdict);
    set_text(out, "why", claim.why);
    set_text(out, "differs", claim.verdict == claim.recorded || claim.is_left_out() ? "" : claim.recorded);
    set_formula(out, claim);
    set_text(out, "value", value_text(claim));
    set_text(out, "lower", claim.lower);
    out.set("upper", claim.upper);
    out.set("is_exact", !claim.lower.empty() && claim.lower == claim.upper);
    out.set("is_enclosed", !claim.lower.empty() && claim.lower != claim.upper);
    set_text(out, "slack", claim.slack);
    out.set("has_witness", !claim.witness.empty());
    out.set("witness", witness_data(claim, false));
    out.set("evidence", witness_data(claim, true));
    out.set("rule", claim.rule);
    set_text(out, "method", method_text(claim.rule));
    out.set("cost", cost_text(claim));
    set_text(out, "sha256", claim.sha256);
    const std::string link = link_to(claim, results, options);
    set_text(out, "link", link);
    out.set("hash_alone", !claim.sha256.empty() && link.empty());
    set_text(out, "answer", answer_of(claim, results));
    set_text(out, "note", claim.note);
    return out;
}

} // namespace kvproof::report
