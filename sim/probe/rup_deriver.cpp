#include "sim/probe/rup_deriver.hpp"

#include "lib/error.hpp"

#include <algorithm>

namespace kvproof {
namespace {

/// The same for clauses with the same literals in any order. Where others share it the wrong one may be
/// forgotten, which makes no derivation wrong.
std::uint64_t key_of(std::span<const int> literals) {
    std::uint64_t sum = literals.size();
    for (const int literal : literals) {
        std::uint64_t x = static_cast<std::uint32_t>(literal) * std::uint64_t{0x9E3779B97F4A7C15};
        x ^= x >> 29U;
        sum += x * std::uint64_t{0xBF58476D1CE4E5B9};
    }
    return sum;
}

} // namespace

RupDeriver::RupDeriver(const Cnf& cnf) {
    const auto variables = static_cast<std::size_t>(cnf.variables) + 1;
    watches_.resize(2 * variables);
    value_.resize(2 * variables);
    reason_.assign(variables, none);
    unit_.assign(variables, none);
    seen_.resize(variables);
    for (const auto& clause : cnf.clauses) store(clause, key_of(clause));
    for (std::size_t k = 0; k < cnf.clauses.size() && !refuted_; ++k) watch(static_cast<int>(k));
}

void RupDeriver::store(std::span<const int> literals, std::uint64_t key) {
    by_key_.emplace(key, static_cast<int>(clauses_.size()));
    clauses_.push_back(
        {static_cast<std::uint32_t>(literals_.size()), static_cast<std::uint32_t>(literals.size())});
    literals_.insert(literals_.end(), literals.begin(), literals.end());
}

/// Two literals that are not false come first and are watched. Where there are not two, the clause is a
/// consequence at the root.
void RupDeriver::watch(int clause) {
    const std::span<int> literals = literals_of(clause);
    std::size_t open = 0;
    for (std::size_t i = 0; i < literals.size() && open < 2; ++i)
        if (value_[index(literals[i])] >= 0) std::swap(literals[open++], literals[i]);
    if (literals.size() == 1 && unit_[variable(literals[0])] == none) unit_[variable(literals[0])] = clause;
    if (literals.size() >= 2)
        for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
            watches_[index(literals[i])].push_back({clause, literals[1 - i]});
    if (open == 0) {
        lines_.push_back(explain(clause));
        refuted_ = true;
    } else if (open == 1 && value_[index(literals[0])] == 0) {
        assign(literals[0], clause);
        extend_root();
    }
}

void RupDeriver::assign(int literal, int reason) {
    value_[index(literal)] = 1;
    value_[index(-literal)] = -1;
    reason_[variable(literal)] = reason;
    trail_.push_back(literal);
}

/// The clause that has no literal left, or none.
int RupDeriver::propagate() {
    while (next_ < trail_.size()) {
        const int now_false = -trail_[next_++];
        std::vector<Watch>& watches = watches_[index(now_false)];
        std::size_t kept = 0;
        for (std::size_t k = 0; k < watches.size(); ++k) {
            const Watch w = watches[k];
            if (value_[index(w.blocker)] > 0) {
                watches[kept++] = w;
                continue;
            }
            const std::span<int> literals = literals_of(w.clause);
            if (literals.empty()) continue; // forgotten
            if (literals[0] == now_false) std::swap(literals[0], literals[1]);
            const int other = literals[0];
            std::size_t i = 1;
            if (value_[index(other)] <= 0)
                for (i = 2; i < literals.size() && value_[index(literals[i])] < 0;) ++i;
            if (i >= 2 && i < literals.size()) {
                std::swap(literals[1], literals[i]);
                watches_[index(literals[1])].push_back({w.clause, other});
                continue;
            }
            watches[kept++] = {w.clause, other};
            if (value_[index(other)] > 0) continue;
            if (value_[index(other)] < 0) {
                while (++k < watches.size()) watches[kept++] = watches[k];
                watches.resize(kept);
                return w.clause;
            }
            assign(other, w.clause);
        }
        watches.resize(kept);
    }
    return none;
}

/// What the last assignments at the root bring; each gets a line of its own.
void RupDeriver::extend_root() {
    const int conflict = propagate();
    for (; root_ < trail_.size(); ++root_) {
        const int literal = trail_[root_];
        const int reason = reason_[variable(literal)];
        if (unit_[variable(literal)] != none) continue;
        RupLine line{{literal}, {}};
        for (const int other : literals_of(reason))
            if (other != literal) line.hints.push_back(unit_[variable(other)] + 1);
        line.hints.push_back(reason + 1);
        unit_[variable(literal)] = static_cast<int>(clauses_.size());
        lines_.push_back(std::move(line));
        // neither watched nor found by its key: it is never needed but as a hint, and never forgotten
        clauses_.push_back({0, 0});
    }
    if (conflict == none) return;
    lines_.push_back(explain(conflict));
    refuted_ = true;
}

/// The line for the assumptions that the conflict comes from.
RupLine RupDeriver::explain(int conflict) {
    RupLine out;
    std::vector<int> reasons = {conflict + 1};
    std::vector<std::size_t> marked;
    const auto mark = [&](int clause, int but) {
        for (const int literal : literals_of(clause))
            if (literal != but && !seen_[variable(literal)]) {
                seen_[variable(literal)] = true;
                marked.push_back(variable(literal));
            }
    };
    mark(conflict, 0);
    for (std::size_t k = trail_.size(); k-- > root_;) {
        const int literal = trail_[k];
        if (!seen_[variable(literal)]) continue;
        const int reason = reason_[variable(literal)];
        if (reason == none) {
            out.literals.push_back(-literal);
        } else {
            reasons.push_back(reason + 1);
            mark(reason, literal);
        }
    }
    for (std::size_t k = 0; k < root_; ++k)
        if (seen_[variable(trail_[k])]) out.hints.push_back(unit_[variable(trail_[k])] + 1);
    out.hints.insert(out.hints.end(), reasons.rbegin(), reasons.rend());
    for (const std::size_t v : marked) seen_[v] = false;
    std::ranges::reverse(out.literals);
    return out;
}

void RupDeriver::undo() {
    for (; trail_.size() > root_; trail_.pop_back()) {
        value_[index(trail_.back())] = 0;
        value_[index(-trail_.back())] = 0;
    }
    next_ = root_;
}

void RupDeriver::add_line(RupLine line, std::uint64_t key) {
    store(line.literals, key);
    lines_.push_back(std::move(line));
    watch(static_cast<int>(clauses_.size()) - 1);
}

void RupDeriver::derive(std::span<const int> literals) {
    if (refuted_) return;
    for (const int literal : literals)
        if (value_[index(literal)] > 0) return; // a known literal says more
    for (const int literal : literals)
        if (value_[index(literal)] == 0) assign(-literal, none);
    const int conflict = propagate();
    if (conflict == none)
        throw Error(ErrorCode::internal,
                    "the solver's trace has a clause that does not follow by unit propagation");
    RupLine line = explain(conflict);
    undo();
    add_line(std::move(line), key_of(literals));
}

void RupDeriver::forget(std::span<const int> literals) {
    const auto [first, last] = by_key_.equal_range(key_of(literals));
    if (first == last) return;
    // Reasons at the root may go: their literals have lines of their own. A clause of one literal stays.
    if (literals.size() > 1) clauses_[static_cast<std::size_t>(first->second)].size = 0;
    by_key_.erase(first);
}

} // namespace kvproof
