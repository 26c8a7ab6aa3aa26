#pragma once

#include "sim/probe/unsat_proof.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>

namespace kvproof {

/// Derives clauses by unit propagation (two watched literals) and writes each derivation down. What follows
/// from no assumption at all becomes a line of its own, a single literal, so that later lines hint at it
/// alone. Clauses are numbered as in RupLine.
class RupDeriver {
public:
    explicit RupDeriver(const Cnf& cnf);

    /// Adds a line for the clause, or for a part of it that follows as well; none where it follows from a
    /// single literal that is known. Throws Error(internal) where it does not follow.
    void derive(std::span<const int> literals);
    /// The clause will not be used again. Nothing happens where there is no such clause.
    void forget(std::span<const int> literals);

    /// Whether the empty clause is the last line.
    [[nodiscard]] bool refuted() const { return refuted_; }
    [[nodiscard]] const std::vector<RupLine>& lines() const { return lines_; }

private:
    struct Clause {
        std::uint32_t begin; ///< in literals_
        std::uint32_t size;  ///< 0 where it was forgotten
    };
    struct Watch {
        int clause;
        int blocker; ///< a literal of the clause: where it is true there is nothing to do
    };
    static constexpr int none = -1;

    [[nodiscard]] static std::size_t index(int literal) {
        return 2 * static_cast<std::size_t>(literal < 0 ? -literal : literal) + (literal < 0 ? 1 : 0);
    }
    [[nodiscard]] static std::size_t variable(int literal) {
        return static_cast<std::size_t>(literal < 0 ? -literal : literal);
    }
    [[nodiscard]] std::span<int> literals_of(int clause) {
        const Clause& c = clauses_[static_cast<std::size_t>(clause)];
        return std::span(literals_).subspan(c.begin, c.size);
    }

    void store(std::span<const int> literals, std::uint64_t key);
    void watch(int clause);
    void assign(int literal, int reason);
    int propagate();
    void extend_root();
    RupLine explain(int conflict);
    void undo();
    void add_line(RupLine line, std::uint64_t key);

    std::vector<int> literals_;
    std::vector<Clause> clauses_; ///< clause k is numbered k + 1
    std::vector<std::vector<Watch>> watches_;
    std::vector<signed char> value_; ///< [literal]: 1 true, -1 false, 0 neither
    std::vector<int> reason_;        ///< [variable]: clause, or none for an assumption
    std::vector<int> unit_;          ///< [variable]: the clause that is this literal alone, or none
    std::vector<bool> seen_;
    std::vector<int> trail_;
    std::size_t root_ = 0; ///< so much of the trail holds without assumptions
    std::size_t next_ = 0; ///< so much of the trail is propagated
    std::unordered_multimap<std::uint64_t, int> by_key_;
    std::vector<RupLine> lines_;
    bool refuted_ = false;
};

} // namespace kvproof
