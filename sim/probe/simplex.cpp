#include "sim/probe/simplex.hpp"

#include "lib/error.hpp"

namespace kvproof {
namespace {

Integer product(const std::vector<Integer>& a, const std::vector<Integer>& b) {
    Integer sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!a[i].is_zero()) sum += a[i] * b[i];
    return sum;
}

/// value * by - less, over the old determinant: always an integer.
void step(Integer& value, const Integer& by, const Integer& less, const Integer& determinant) {
    value = (value * by - less) / determinant;
}

} // namespace

MatrixGame::MatrixGame(std::size_t rows) : basis_(rows), duals_(rows) {
    for (std::size_t i = 0; i < rows; ++i) {
        basis_[i] = {std::vector<Integer>(rows), 1, -1 - static_cast<std::ptrdiff_t>(i)};
        basis_[i].inverse[i] = 1;
    }
}

void MatrixGame::add_column(std::span<const Rational> losses) {
    if (losses.size() != basis_.size())
        throw Error(ErrorCode::internal, "a column of a game with a wrong number of rows");
    Column column{{}, 1};
    for (const Rational& loss : losses) column.unit = lcm(column.unit, denominator(loss));
    for (const Rational& loss : losses) {
        if (loss < 0) throw Error(ErrorCode::internal, "a column of a game with a negative loss");
        column.entries.push_back(numerator((loss + 1) * Rational(column.unit)));
    }
    columns_.push_back(std::move(column));
}

bool MatrixGame::price(Entering& best) const {
    bool found = false;
    Integer best_unit = 1;
    const auto offer = [&](std::ptrdiff_t column, const Integer& gain, const Integer& unit) {
        if (gain >= 0 || (found && gain * best_unit >= best.gain * unit)) return;
        found = true;
        best = {column, gain};
        best_unit = unit;
    };
    for (std::size_t j = 0; j < columns_.size(); ++j)
        offer(static_cast<std::ptrdiff_t>(j),
              product(duals_, columns_[j].entries) - determinant_ * columns_[j].unit, columns_[j].unit);
    for (std::size_t i = 0; i < duals_.size(); ++i) offer(-1 - static_cast<std::ptrdiff_t>(i), duals_[i], 1);
    return found;
}

Integer MatrixGame::entry(const Row& row, std::ptrdiff_t column) const {
    return column < 0 ? row.inverse[static_cast<std::size_t>(-1 - column)]
                      : product(row.inverse, columns_[static_cast<std::size_t>(column)].entries);
}

void MatrixGame::pivot(const Entering& entering) {
    std::vector<Integer> entries;
    for (const Row& row : basis_) entries.push_back(entry(row, entering.column));
    std::size_t leaving = basis_.size();
    // whether row i has the lexicographically smaller ratio
    const auto less = [&](std::size_t i, std::size_t other) {
        const Row& a = basis_[i];
        const Row& b = basis_[other];
        Integer difference = a.bound * entries[other] - b.bound * entries[i];
        for (std::size_t k = 0; difference.is_zero() && k < a.inverse.size(); ++k)
            difference = a.inverse[k] * entries[other] - b.inverse[k] * entries[i];
        return difference < 0;
    };
    for (std::size_t i = 0; i < basis_.size(); ++i)
        if (entries[i] > 0 && (leaving == basis_.size() || less(i, leaving))) leaving = i;
    if (leaving == basis_.size()) throw Error(ErrorCode::internal, "a game without a value");

    Row& fixed = basis_[leaving];
    const Integer by = entries[leaving];
    for (std::size_t i = 0; i < basis_.size(); ++i) {
        if (i == leaving) continue;
        Row& row = basis_[i];
        for (std::size_t k = 0; k < row.inverse.size(); ++k)
            step(row.inverse[k], by, entries[i] * fixed.inverse[k], determinant_);
        step(row.bound, by, entries[i] * fixed.bound, determinant_);
    }
    for (std::size_t k = 0; k < duals_.size(); ++k)
        step(duals_[k], by, entering.gain * fixed.inverse[k], determinant_);
    step(objective_, by, entering.gain * fixed.bound, determinant_);
    determinant_ = by;
    fixed.basic = entering.column;
}

bool MatrixGame::solve(const StopRequest& stop) {
    if (columns_.empty()) throw Error(ErrorCode::internal, "a game without columns");
    Entering entering{};
    while (price(entering)) {
        if (stop && stop()) return false;
        pivot(entering);
    }
    return true;
}

Rational MatrixGame::value() const {
    return Rational(determinant_, objective_) - 1;
}

std::vector<Rational> MatrixGame::mixture() const {
    std::vector<Rational> out(columns_.size());
    for (const Row& row : basis_)
        if (row.basic >= 0) {
            const auto column = static_cast<std::size_t>(row.basic);
            out[column] = Rational(row.bound * columns_[column].unit, objective_);
        }
    return out;
}

std::vector<Rational> MatrixGame::prior() const {
    std::vector<Rational> out;
    for (const Integer& dual : duals_) out.emplace_back(dual, objective_);
    return out;
}

} // namespace kvproof
