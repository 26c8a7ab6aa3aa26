#pragma once

// Formulas as data: docs/formulas.md. Terms live in a table of nodes; two subterms that are the same share
// one node, which is also what `let` becomes. A machine form is thus a node's number.

#include "probe_part.hpp"

#include <string>
#include <vector>

namespace kvcheck {

/// A registry or a command line that cannot be used.
struct BadUsage {
    std::string message;
};

struct Node {
    Op op = Op::number;
    int left = -1, right = -1; ///< operands; n-ary operations are folded to the left
    std::vector<int> operands; ///< of a function
    mpq_class number;
    std::string name;     ///< of a quantity or a function
    int slot = -1;        ///< of a variable
    bool constant = true; ///< no variable inside
};

enum class Relation { less, less_equal, greater, greater_equal, equal };

struct Bound {
    std::string name;
    int slot;
    bool integer;
    Range range;
};

struct Formula {
    enum class Kind {
        relation,
        conjunction,
        real_forall,
        integer_forall,
        printed, ///< for all, none or some of the values that were rounded to printed numbers; outermost
        part,
        tree,
        symmetric,
        optimum,
        codebook,
        probe_risk,
        probe_table,
        probe_game,
        pending,
        reader
    };
    Kind kind = Kind::pending;
    Relation relation = Relation::equal; ///< of a chain
    std::vector<int> terms;
    std::vector<Bound> bounds;  ///< of a quantifier, of what is printed
    std::vector<Formula> parts; ///< subformulas
    unsigned depth = 0, digits = 0;
    std::optional<ProbePart> probe; ///< of a part about the probe model
};

struct Statement {
    std::vector<Node> nodes;
    int slots = 0; ///< variables are numbered from 0 below this
    Formula formula;
    bool needs_tree = false, needs_optimum = false, needs_table = false, needs_risks = false;
    bool pending = false; ///< a part waits for the program
    bool sampled = false; ///< a part is a sample of runs of the reader, for which there is no certificate
};

/// The parts of a quantity's name: FAMILY.FIELD.DEPTH or FAMILY.FIELD.DEPTH.INDEX.
struct Quantity {
    std::string family, field;
    mpz_class depth, index;
};

/// Nothing where the name is no quantity's.
[[nodiscard]] std::optional<Quantity> read_quantity(const std::string& name);

/// Throws BadUsage where the text is outside the grammar.
[[nodiscard]] Statement read_statement(std::string_view text);

} // namespace kvcheck
