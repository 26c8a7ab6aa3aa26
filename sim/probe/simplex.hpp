#pragma once

#include "lib/exact/rational.hpp"
#include "sim/probe/encoder_search.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace kvproof {

/// A zero-sum game by an exact simplex: nature picks a row, the other side a column; what it loses is the
/// entry. Columns may be added at any time and the next `solve` goes on from where the last one ended.
///
/// With every entry raised by one, the linear program is: maximise the sum of q >= 0 where each row's loss
/// under q is at most 1. Its slacks are a first basis. The inverse of the basis is kept in integers times its
/// determinant, so a step has no fractions to reduce (Edmonds). The largest gain enters, the
/// lexicographically least ratio leaves: no basis occurs twice.
class MatrixGame {
public:
    explicit MatrixGame(std::size_t rows);

    /// `losses` [rows], at least 0; else Error(internal).
    void add_column(std::span<const Rational> losses);
    /// At least one column; else Error(internal). False where `stop` ended it: the mixture is then one, and
    /// no best one; there is none (has_mixture) where not a single step was made.
    bool solve(const StopRequest& stop = {});
    [[nodiscard]] bool has_mixture() const { return objective_ > 0; }

    [[nodiscard]] std::size_t columns() const { return columns_.size(); }

    /// Of the last `solve`. Whoever needs them to be right multiplies them with the losses again.
    [[nodiscard]] Rational value() const;
    /// The weights of the columns, sum 1; at most as many as rows are not 0.
    [[nodiscard]] std::vector<Rational> mixture() const;
    /// The weights of the rows, sum 1.
    [[nodiscard]] std::vector<Rational> prior() const;

private:
    struct Column {
        std::vector<Integer> entries; ///< (loss + 1) times `unit`
        Integer unit;                 ///< the least that makes them integers
    };
    /// A row of (determinant times) the inverse of the basis, and of the right-hand side.
    struct Row {
        std::vector<Integer> inverse;
        Integer bound;
        std::ptrdiff_t basic; ///< the column in the basis, or -1 - i for the slack of row i
    };
    struct Entering {
        std::ptrdiff_t column;
        Integer gain; ///< reduced cost, negative
    };

    [[nodiscard]] bool price(Entering& best) const;
    [[nodiscard]] Integer entry(const Row& row, std::ptrdiff_t column) const;
    void pivot(const Entering& entering);

    std::vector<Column> columns_;
    std::vector<Row> basis_;
    std::vector<Integer> duals_; ///< determinant times the weight of each row
    Integer objective_ = 0;      ///< determinant times the sum of q
    Integer determinant_ = 1;
};

} // namespace kvproof
