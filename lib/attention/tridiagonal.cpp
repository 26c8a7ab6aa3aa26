#include "lib/attention/tridiagonal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kvproof {

namespace {

/// The next pivot of T - x I from the one before it.
double next_pivot(std::span<const double> d, std::span<const double> e, double x, std::size_t i,
                  double before) {
    return (d[i] - x) - e[i - 1] * e[i - 1] / before;
}

/// What elimination sees at x: whether x is above every eigenvalue, that is, all pivots of T - x I are
/// negative, and then p'/p of their product, the characteristic polynomial.
struct Elimination {
    bool above;
    double slope;
};

Elimination eliminate(std::span<const double> d, std::span<const double> e, double x) {
    double pivot = d[0] - x;
    double ratio = -1 / pivot; // of the pivot's derivative to the pivot
    double slope = ratio;
    for (std::size_t i = 1; i < d.size() && pivot < 0; ++i) {
        const double change = e[i - 1] * e[i - 1] / pivot * ratio - 1;
        pivot = next_pivot(d, e, x, i, pivot);
        ratio = change / pivot;
        slope += ratio;
    }
    return {pivot < 0, slope};
}

/// Solves (T - x I) y = b in place for x above all eigenvalues: definite, so elimination needs no
/// interchanges, and the pivots are the very numbers that `eliminate` has seen to be negative.
void solve(std::span<const double> d, std::span<const double> e, double x, std::vector<double>& b) {
    const std::size_t n = d.size();
    std::vector<double> pivots(n);
    pivots[0] = d[0] - x;
    for (std::size_t i = 1; i < n; ++i) {
        pivots[i] = next_pivot(d, e, x, i, pivots[i - 1]);
        b[i] -= e[i - 1] / pivots[i - 1] * b[i - 1];
    }
    b[n - 1] /= pivots[n - 1];
    for (std::size_t i = n - 1; i-- > 0;) b[i] = (b[i] - e[i] * b[i + 1]) / pivots[i];
}

void normalise(std::vector<double>& x) {
    double largest = 0;
    for (const double v : x) largest = std::max(largest, std::fabs(v));
    double sum = 0;
    for (double& v : x) {
        v /= largest;
        sum += v * v;
    }
    const double norm = std::sqrt(sum);
    for (double& v : x) v /= norm;
}

} // namespace

TridiagonalPair largest_of_tridiagonal(std::span<const double> diagonal,
                                       std::span<const double> off_diagonal) {
    const std::size_t n = diagonal.size();
    double lower = diagonal[0];
    double upper = diagonal[0];
    for (std::size_t i = 0; i < n; ++i) { // Gershgorin
        const double radius =
            (i > 0 ? std::fabs(off_diagonal[i - 1]) : 0) + (i + 1 < n ? std::fabs(off_diagonal[i]) : 0);
        lower = std::max(lower, diagonal[i]);
        upper = std::max(upper, diagonal[i] + radius);
    }
    const double unit = std::numeric_limits<double>::epsilon() * std::max(std::fabs(upper), std::fabs(lower));
    upper +=
        2 * unit + std::numeric_limits<double>::min(); // safely above, so that the last solve is definite
    // Newton's method from above never passes the largest root of a polynomial whose roots are all real, but
    // by rounding; where it has passed, its next step ends there again, and the bracket is halved.
    Elimination at = eliminate(diagonal, off_diagonal, upper);
    while (upper - lower > 2 * unit) {
        double x = upper - std::max(1 / at.slope, unit);
        if (!(x > lower)) x = lower + (upper - lower) / 2;
        if (x <= lower || x >= upper) break;
        const Elimination tried = eliminate(diagonal, off_diagonal, x);
        if (tried.above) {
            upper = x;
            at = tried;
        } else {
            lower = x;
        }
    }
    // Inverse iteration from above: two steps, since the shift is within rounding of the eigenvalue.
    std::vector<double> x(n, 1.0);
    for (int pass = 0; pass < 2; ++pass) {
        solve(diagonal, off_diagonal, upper, x);
        normalise(x);
    }
    return {upper, x};
}

} // namespace kvproof
