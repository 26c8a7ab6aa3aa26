#include "lib/attention/column_scale.hpp"

#include "lib/error.hpp"
#include "lib/portable/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace kvproof {

namespace {

/// maxima[a] = max(maxima[a], |row[a]|). `spoiled` collects x * 0: 0 for numbers, NaN for everything else,
/// which a maximum would swallow.
struct TakeRow {
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline void run(const double* row, std::size_t count, double* maxima,
                                                  double* spoiled) {
        for (std::size_t a = 0; a < count; ++a) {
            const double size = std::fabs(row[a]);
            maxima[a] = maxima[a] < size ? size : maxima[a];
            spoiled[a] += size * 0;
        }
    }
};

[[noreturn]] void refuse(const MatrixView& e) {
    for (std::size_t j = 0; j < e.rows; ++j)
        for (std::size_t a = 0; a < e.columns; ++a)
            if (!std::isfinite(e(j, a)))
                throw Error(ErrorCode::bad_number, "matrix: entry (" + std::to_string(j) + ", " +
                                                       std::to_string(a) + ") is " + std::to_string(e(j, a)) +
                                                       ", expected a finite number");
    throw Error(ErrorCode::internal, "matrix: an entry is not finite, but none is found");
}

/// Of a contiguous column; -1 where some entry is not finite.
double maximum_of(const double* column, std::size_t rows, Instructions instructions) {
    constexpr std::size_t lane_count = 4 * strip;
    if (rows < 2 * lane_count) { // too short for lanes to pay
        double maximum = 0;
        double sum = 0;
        for (std::size_t j = 0; j < rows; ++j) {
            const double size = std::fabs(column[j]);
            maximum = std::max(maximum, size);
            sum += size * 0;
        }
        return sum == 0 ? maximum : -1;
    }
    double maxima[lane_count] = {};
    double spoiled[lane_count] = {};
    for (std::size_t j = 0; j < rows; j += lane_count)
        run_kernel<TakeRow>(instructions, column + j, std::min(lane_count, rows - j),
                            static_cast<double*>(maxima), static_cast<double*>(spoiled));
    const bool finite = std::ranges::all_of(spoiled, [](double s) { return s == 0; });
    return finite ? *std::ranges::max_element(maxima) : -1;
}

} // namespace

std::vector<double> column_maxima(const MatrixView& e, Instructions instructions) {
    std::vector<double> maxima(e.columns);
    bool finite = true;
    if (e.row_step == 1) { // the transpose of a row-major matrix
        for (std::size_t a = 0; a < e.columns; ++a) {
            maxima[a] = maximum_of(e.data + a * e.column_step, e.rows, instructions);
            finite = finite && maxima[a] >= 0;
        }
    } else if (e.column_step == 1) {
        std::vector<double> spoiled(e.columns);
        for (std::size_t j = 0; j < e.rows; ++j)
            run_kernel<TakeRow>(instructions, e.data + j * e.row_step, e.columns, maxima.data(),
                                spoiled.data());
        finite = std::ranges::all_of(spoiled, [](double s) { return s == 0; });
    } else {
        for (std::size_t j = 0; j < e.rows; ++j)
            for (std::size_t a = 0; a < e.columns; ++a) {
                finite = finite && std::isfinite(e(j, a));
                maxima[a] = std::max(maxima[a], std::fabs(e(j, a)));
            }
    }
    if (!finite) refuse(e);
    return maxima;
}

int scaling_exponent(double maximum) {
    constexpr int most = 1000;
    return maximum == 0 ? 0 : std::clamp(std::ilogb(maximum), -most, most);
}

std::vector<int> column_exponents(const MatrixView& e, Instructions instructions) {
    const std::vector<double> maxima = column_maxima(e, instructions);
    std::vector<int> exponents(e.columns);
    std::ranges::transform(maxima, exponents.begin(), scaling_exponent);
    return exponents;
}

} // namespace kvproof
