#pragma once

#include "evaluate.hpp"
#include "quantities.hpp"
#include "records.hpp"

#include <functional>

namespace kvcheck {

/// What the check of one certificate's records works with, and what it leaves.
struct Check {
    const Statement& statement;
    Records& records;
    const Quantities& quantities;
    unsigned precision;
    std::size_t precision_line;
    Evaluator evaluator{statement, precision, quantities};

    mpz_class cases = 0;
    std::shared_ptr<LloydTree> tree{};
    std::shared_ptr<LloydOptimum> optimum{};
    std::shared_ptr<Table> table{};
    std::shared_ptr<ProbeRisks> risks{};

    [[noreturn]] void not_decided() const { throw Invalid{precision_line, "not_decided"}; }
};

// Each rule reads the records of its part of a formula and throws Invalid where they do not prove it.

/// A relation outside quantifiers: no records.
void check_relation(Check& check, const Formula& relation);
/// A certificate that refutes: `at K` and the values.
void check_counterexample(Check& check);
/// The values of these variables, by the records `value NAME RATIONAL`.
void read_point(Check& check, const std::vector<const Bound*>& bounds);
/// Reads the splits of one cover of the variables' ranges; `leaf` reads and checks each of its leaves, with
/// the variables set to the box at hand.
void check_leaves(Check& check, const std::vector<const Bound*>& bounds, const std::function<void()>& leaf);
/// A statement about printed numbers, for each of the three verdicts.
void check_printed(Check& check, const Formula& printed, std::string_view verdict);
/// What stands under a real quantifier: covers, or no records for equalities.
void check_cover(Check& check, const Formula& forall);
/// An integer quantifier: `cases N`.
void check_enumeration(Check& check, const Formula& forall);
/// The tree's splits, their symmetry in a used tree, and the optimal quantisers.
void check_tree(Check& check, const Formula& part);
void check_symmetry(Check& check, const Formula& part);
void check_optimum(Check& check, const Formula& part);
/// A user's table: nested splits, centroids within their cells.
void check_codebook(Check& check);
/// The probe model: a deterministic risk, a table of them (kept in `risks`), a bracket of a randomised one.
void check_probe_risk(Check& check, const ProbePart& part);
void check_probe_table(Check& check, const ProbePart& part);
void check_probe_game(Check& check, const ProbePart& part);

} // namespace kvcheck
