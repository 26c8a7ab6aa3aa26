#include "lib/attention/column_scale.hpp"

#include "lib/attention/vector_kernels.hpp"
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

} // namespace

std::vector<double> column_maxima(const MatrixView& e, Instructions instructions) {
    std::vector<double> maxima(e.columns);
    bool finite = true;
    if (e.row_step == 1) { // the transpose of a row-major matrix
        for (std::size_t a = 0; a < e.columns; ++a) {
            const Magnitude found = magnitude_of(e.data + a * e.column_step, e.rows);
            maxima[a] = found.largest;
            finite = finite && found.finite;
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
