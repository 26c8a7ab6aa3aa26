#pragma once

#include "sim/probe/unsat_proof.hpp"

#include <set>

namespace kvproof::testing_support {

using Clause = std::set<int>;

inline std::vector<Clause> as_sets(const Cnf& cnf) {
    std::vector<Clause> out;
    for (const auto& clause : cnf.clauses) out.emplace_back(clause.begin(), clause.end());
    return out;
}

/// What is left of a clause when these literals are true; nothing where it is satisfied.
inline bool reduce(const Clause& clause, const Clause& facts, Clause& left) {
    left.clear();
    for (const int literal : clause) {
        if (facts.contains(literal)) return false;
        if (!facts.contains(-literal)) left.insert(literal);
    }
    return true;
}

/// The rule of docs/probe.md, word for word: each hinted clause has one literal left, the last none.
inline bool follows_by_hints(const Cnf& cnf, const std::vector<RupLine>& lines) {
    std::vector<Clause> clauses = as_sets(cnf);
    for (const RupLine& line : lines) {
        Clause facts;
        for (const int literal : line.literals) facts.insert(-literal);
        if (line.hints.empty()) return false;
        for (std::size_t k = 0; k < line.hints.size(); ++k) {
            const auto hint = static_cast<std::size_t>(line.hints[k]);
            if (line.hints[k] < 1 || hint > clauses.size()) return false;
            Clause left;
            if (!reduce(clauses[hint - 1], facts, left)) return false;
            if (left.size() != (k + 1 < line.hints.size() ? 1U : 0U)) return false;
            facts.insert(left.begin(), left.end());
        }
        clauses.emplace_back(line.literals.begin(), line.literals.end());
    }
    return !lines.empty() && lines.back().literals.empty();
}

/// Without hints: propagates over all clauses until nothing changes.
inline bool follows_by_propagation(const Cnf& cnf, const std::vector<RupLine>& lines) {
    std::vector<Clause> clauses = as_sets(cnf);
    for (const RupLine& line : lines) {
        Clause facts;
        for (const int literal : line.literals) facts.insert(-literal);
        bool is_refuted = false;
        for (bool changed = true; changed && !is_refuted;) {
            changed = false;
            for (const Clause& clause : clauses) {
                Clause left;
                if (!reduce(clause, facts, left) || left.size() > 1) continue;
                is_refuted = left.empty();
                if (is_refuted) break;
                changed = true;
                facts.insert(*left.begin());
            }
        }
        if (!is_refuted) return false;
        clauses.emplace_back(line.literals.begin(), line.literals.end());
    }
    return !lines.empty() && lines.back().literals.empty();
}

} // namespace kvproof::testing_support
