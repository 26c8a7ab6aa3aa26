#include "simplex_cddlib.hpp"

#include <cstdlib>

#define GMPRATIONAL
#include <cddlib/setoper.h>
// needs setoper.h
#include <cddlib/cdd.h>

namespace kvproof {

Rational value_by_cddlib(const std::vector<std::vector<Rational>>& columns) {
    static const bool started = (dd_set_global_constants(), true);
    if (!started) std::abort();
    const auto rows = static_cast<long>(columns.front().size());
    const auto n = static_cast<long>(columns.size());
    // unknowns t and the prior; rows of constraints: columns, signs, sum
    dd_MatrixPtr matrix = dd_CreateMatrix(n + rows + 1, rows + 2);
    const auto set = [&](long row, long column, const Rational& value) {
        dd_set(matrix->matrix[row][column], value.backend().data());
    };
    for (long j = 0; j < n; ++j) {
        set(j, 1, -1);
        for (long i = 0; i < rows; ++i)
            set(j, 2 + i, columns[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)]);
    }
    for (long i = 0; i < rows; ++i) {
        set(n + i, 2 + i, 1);
        set(n + rows, 2 + i, 1);
    }
    set(n + rows, 0, -1);
    set_addelem(matrix->linset, n + rows + 1);
    matrix->representation = dd_Inequality;
    matrix->objective = dd_LPmax;
    dd_set_si(matrix->rowvec[1], 1);
    dd_ErrorType error = dd_NoError;
    dd_LPPtr lp = dd_Matrix2LP(matrix, &error);
    dd_LPSolve(lp, dd_DualSimplex, &error);
    Rational value;
    mpq_set(value.backend().data(), lp->optvalue);
    dd_FreeLPData(lp);
    dd_FreeMatrix(matrix);
    return value;
}

} // namespace kvproof
