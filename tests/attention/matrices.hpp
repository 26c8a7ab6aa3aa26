#pragma once
// Matrices for the tests of this folder, and exact answers about them.

#include "lib/attention/largest_eigenvalue.hpp"
#include "lib/exact/rational.hpp"

#include <cmath>
#include <random>
#include <vector>

namespace kvproof::test {

using RationalMatrix = std::vector<std::vector<Rational>>;

/// Whether a symmetric rational matrix is positive semidefinite, by elimination without rounding: a zero
/// pivot needs a zero row.
inline bool is_positive_semidefinite(RationalMatrix m) {
    for (std::size_t k = 0; k < m.size(); ++k) {
        if (m[k][k] < 0) return false;
        for (std::size_t i = k + 1; i < m.size(); ++i) {
            if (m[i][k] == 0) continue;
            if (m[k][k] == 0) return false;
            const Rational factor = m[i][k] / m[k][k];
            for (std::size_t j = k + 1; j < m.size(); ++j) m[i][j] -= factor * m[k][j];
        }
    }
    return true;
}

/// mu I - C.
inline RationalMatrix shifted(RationalMatrix c, const Rational& mu) {
    for (std::size_t a = 0; a < c.size(); ++a)
        for (std::size_t b = 0; b < c.size(); ++b) c[a][b] = (a == b ? mu : Rational(0)) - c[a][b];
    return c;
}

/// lower <= lambda_max(C) <= upper, decided exactly: upper I - C is positive semidefinite, and (less than
/// lower) I - C never is.
inline bool encloses(const EigenvalueBounds& bounds, const RationalMatrix& c) {
    if (bounds.upper < HUGE_VAL && !is_positive_semidefinite(shifted(c, rational_from(bounds.upper))))
        return false;
    if (bounds.lower == 0) return true;
    const Rational below = rational_from(bounds.lower) * (1 - power(Rational(2), -200));
    return !is_positive_semidefinite(shifted(c, below));
}

inline RationalMatrix exact(const std::vector<double>& entries, std::size_t n) {
    RationalMatrix m(n, std::vector<Rational>(n));
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b) m[a][b] = rational_from(entries[a * n + b]);
    return m;
}

/// sum_j w_j e_j e_j' of a T x n row-major matrix, exactly.
inline RationalMatrix exact_gram(const std::vector<double>& e, std::size_t n,
                                 const std::vector<double>& weights = {}) {
    RationalMatrix g(n, std::vector<Rational>(n));
    for (std::size_t j = 0; j * n < e.size(); ++j) {
        const Rational weight = weights.empty() ? Rational(1) : rational_from(weights[j]);
        for (std::size_t a = 0; a < n; ++a)
            for (std::size_t b = 0; b <= a; ++b)
                g[a][b] += weight * rational_from(e[j * n + a]) * rational_from(e[j * n + b]);
    }
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = a + 1; b < n; ++b) g[a][b] = g[b][a];
    return g;
}

/// A stream of numbers from a seed: roughly normal, times 2^0.
class Numbers {
public:
    explicit Numbers(std::uint64_t seed) : generator_(seed) {}
    double uniform() { return static_cast<double>(generator_() >> 11U) * 0x1p-53; }
    double normal() {
        double sum = -6;
        for (int i = 0; i < 12; ++i) sum += uniform();
        return sum;
    }
    std::size_t below(std::size_t n) { return generator_() % n; }
    std::vector<double> normals(std::size_t count) {
        std::vector<double> x(count);
        for (double& v : x) v = normal();
        return x;
    }

private:
    std::mt19937_64 generator_;
};

} // namespace kvproof::test
