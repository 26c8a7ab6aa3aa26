#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace kvproof {

/// A matrix of doubles that someone else owns: entry (i, j) is data[i * row_step + j * column_step].
struct MatrixView {
    const double* data = nullptr;
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::size_t row_step = 0;
    std::size_t column_step = 1;

    /// A row-major matrix; entries.size() == rows * columns.
    MatrixView(std::span<const double> entries, std::size_t row_count, std::size_t column_count)
        : data(entries.data()), rows(row_count), columns(column_count), row_step(column_count) {}

    [[nodiscard]] double operator()(std::size_t i, std::size_t j) const {
        return data[i * row_step + j * column_step];
    }

    [[nodiscard]] MatrixView transposed() const {
        MatrixView result = *this;
        std::swap(result.rows, result.columns);
        std::swap(result.row_step, result.column_step);
        return result;
    }
};

/// A symmetric positive semidefinite matrix known up to a radius: it is 2^exponent (C + D), where C holds the
/// entries (size * size, row-major, symmetric) and D is symmetric with ||D||_2 <= radius.
struct SymmetricMatrix {
    std::size_t size = 0;
    std::vector<double> entries;
    int exponent = 0;
    double radius = 0;
};

} // namespace kvproof
