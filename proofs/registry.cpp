#include "proofs/registry.hpp"

#include "lib/error.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

namespace kvproof {
namespace {

constexpr std::array columns = {"id",      "paper",    "place",  "scope", "statement", "rule",
                                "formula", "recorded", "effort", "note",  "proof"};

[[noreturn]] void refuse(std::size_t line, const std::string& what) {
    throw Error(ErrorCode::bad_registry, "claims.tsv, line " + std::to_string(line) + ": " + what);
}

std::vector<std::string> split(std::string_view line, char separator) {
    std::vector<std::string> out;
    for (std::size_t from = 0; from <= line.size();) {
        const std::size_t to = std::min(line.find(separator, from), line.size());
        out.emplace_back(line.substr(from, to - from));
        from = to + 1;
    }
    return out;
}

Verdict verdict_from(const std::string& cell, std::size_t line) {
    try {
        return parse_verdict(cell);
    } catch (const Error& error) {
        refuse(line, error.what());
    }
}

Claim claim_from(std::vector<std::string> cells, std::size_t line) {
    if (cells.size() != columns.size())
        refuse(line, "found " + std::to_string(cells.size()) + " columns, expected " +
                         std::to_string(columns.size()));
    for (const std::size_t required : {0, 1, 2, 3, 4, 5, 6, 7, 8})
        if (cells[required].empty())
            refuse(line, std::string("the column ") + columns[required] + " is empty");
    if (cells[8] != "default" && cells[8] != "full") refuse(line, "effort is neither default nor full");
    return {std::move(cells[0]), std::move(cells[1]), std::move(cells[2]),    std::move(cells[3]),
            std::move(cells[4]), std::move(cells[5]), std::move(cells[6]),    verdict_from(cells[7], line),
            cells[8] == "full",  std::move(cells[9]), std::move(cells.back())};
}

} // namespace

std::vector<Claim> parse_registry(std::string_view text) {
    std::vector<Claim> claims;
    std::set<std::string> seen;
    std::size_t number = 0;
    for (const std::string& line : split(text, '\n')) {
        ++number;
        if (line.empty()) continue;
        std::vector<std::string> cells = split(line, '\t');
        if (number == 1) {
            if (!std::ranges::equal(cells, columns)) refuse(number, "the header does not name the columns");
            continue;
        }
        claims.push_back(claim_from(std::move(cells), number));
        if (!seen.insert(claims.back().id).second)
            refuse(number, "the id " + claims.back().id + " stands twice");
    }
    return claims;
}

const std::vector<Claim>& registry() {
    static const std::vector<Claim> claims = [] {
        std::vector<Claim> all = parse_registry(registry_text());
        std::vector<Claim> audit = parse_registry(audit_text());
        std::ranges::move(audit, std::back_inserter(all));
        return all;
    }();
    return claims;
}

bool matches(std::string_view pattern, std::string_view id) {
    // After a star only the last one ever needs to be tried again, so this takes at most pattern x id steps.
    std::size_t p = 0;
    std::size_t i = 0;
    std::size_t star = std::string_view::npos;
    std::size_t retry = 0;
    while (i < id.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            retry = i;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == id[i])) {
            ++p;
            ++i;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            i = ++retry;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::vector<Claim> select_claims(const std::vector<std::string>& patterns) {
    const auto any_matches = [](const std::string& pattern) {
        return std::ranges::any_of(registry(),
                                   [&](const Claim& claim) { return matches(pattern, claim.id); });
    };
    for (const std::string& pattern : patterns)
        if (!any_matches(pattern))
            throw Error(ErrorCode::unknown_claim,
                        "no claim matches \"" + pattern + "\"; `kvproof claims` lists them all");
    if (patterns.empty()) return registry();
    std::vector<Claim> out;
    for (const Claim& claim : registry())
        if (std::ranges::any_of(patterns, [&](const std::string& p) { return matches(p, claim.id); }))
            out.push_back(claim);
    return out;
}

} // namespace kvproof
