#pragma once

// The clauses of docs/probe.md, which cannot all hold where no protocol has a smaller risk. None is stored:
// each is made from its number.

#include "probe_conflicts.hpp"
#include "probe_tree.hpp"

namespace kvcheck {

using Clause = std::vector<long>; ///< literals: a variable, counted from 1, or its negative

/// A permutation of the sources: what stands at place x of one table of records stands in the other at x.
using Renaming = std::vector<std::size_t>;

/// How the levels of a tree are cut into batches.
struct Shape {
    std::vector<unsigned> slot_of;  ///< of each node
    std::vector<bool> begins_batch; ///< of each slot
};

/// All shapes of so many levels in so many batches, in order. Throws TooLarge.
[[nodiscard]] std::vector<Shape> all_shapes(unsigned levels, unsigned batches);

class Encoding {
public:
    /// Throws TooLarge. min(w, r) is at least 1.
    Encoding(std::size_t sources, std::vector<std::vector<SourceSet>> lists, const Access& access, unsigned w,
             unsigned r);

    /// Whether each of its lists, renamed, is one of them again. Throws TooLarge where that is more work than
    /// `left` allows, which falls by what was done.
    [[nodiscard]] bool keeps_lists(const Renaming& renaming, std::size_t& left) const;
    /// Appends the clauses on least records; the renamings keep the lists.
    void require_least(const std::vector<Renaming>& renamings);

    [[nodiscard]] long variables() const { return variables_; }
    [[nodiscard]] long clauses() const { return clauses_; }
    /// Clause 1 to clauses().
    [[nodiscard]] Clause clause(long number) const;

private:
    struct Slot {
        long first_clause;
        unsigned number; ///< in its shape
        bool begins_batch;
    };
    struct List {
        std::vector<SourceSet> conflicts;
        long first_variable, first_clause;
    };

    /// A bit of one table, and the sum modulo 2 of one or two bits: that of the other table at this place.
    struct Place {
        long here;
        std::vector<long> there;
    };

    void compare(const std::vector<Place>& places);
    [[nodiscard]] Clause slot_clause(const List& list, long k) const;
    [[nodiscard]] Clause conflict_clause(const List& list, long k) const;
    [[nodiscard]] long bit(long i, long x) const { return i * sources_ + x + 1; }
    [[nodiscard]] long address(const List& list, long slot, long i) const {
        return list.first_variable + shape_variables_ + slot * w_ + i + 1;
    }

    long sources_, w_, nodes_ = 0, addresses_ = 0, shape_variables_ = 0;
    bool reads_all_ = false;
    std::vector<Shape> shapes_;
    std::vector<Slot> slots_;      ///< of all shapes in order
    std::vector<long> first_slot_; ///< of each shape
    std::vector<List> lists_;
    std::vector<Clause> least_; ///< the last clauses, where they were asked for
    long slot_clauses_ = 0, variables_ = 0, clauses_ = 0;
};

} // namespace kvcheck
