// AATC's transform (V-A, Proposition 1) in exact arithmetic: three input channels, three key channels and
// four tokens, every matrix rational. The registry writes the algebra out for two channels.
#include "lib/exact/rational.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

using namespace kvproof;

namespace {

using Vector = std::vector<Rational>;
using Matrix = std::vector<Vector>;

Matrix identity(std::size_t n) {
    Matrix out(n, Vector(n));
    for (std::size_t i = 0; i < n; ++i) out[i][i] = 1;
    return out;
}

Matrix times(const Matrix& a, const Matrix& b) {
    Matrix out(a.size(), Vector(b[0].size()));
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t k = 0; k < b.size(); ++k)
            for (std::size_t j = 0; j < b[0].size(); ++j) out[i][j] += a[i][k] * b[k][j];
    return out;
}

Matrix transposed(const Matrix& a) {
    Matrix out(a[0].size(), Vector(a.size()));
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < a[0].size(); ++j) out[j][i] = a[i][j];
    return out;
}

Matrix scaled(const Rational& c, Matrix a) {
    for (Vector& row : a)
        for (Rational& entry : row) entry *= c;
    return a;
}

/// By Gauss and Jordan; the matrix is invertible.
Matrix inverse(Matrix a) {
    const std::size_t n = a.size();
    Matrix out = identity(n);
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        while (a[pivot][k] == 0) ++pivot;
        std::swap(a[k], a[pivot]);
        std::swap(out[k], out[pivot]);
        const Rational scale = 1 / a[k][k];
        for (std::size_t j = 0; j < n; ++j) {
            a[k][j] *= scale;
            out[k][j] *= scale;
        }
        for (std::size_t i = 0; i < n; ++i) {
            if (i == k) continue;
            const Rational factor = a[i][k];
            for (std::size_t j = 0; j < n; ++j) {
                a[i][j] -= factor * a[k][j];
                out[i][j] -= factor * out[k][j];
            }
        }
    }
    return out;
}

Rational small_fraction() {
    return {*rc::gen::inRange(-6, 7), *rc::gen::inRange(1, 5)};
}

/// Cayley's transform of a random skew matrix: (I - K)(I + K)^-1.
Matrix rotation(std::size_t n) {
    Matrix minus = identity(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j) {
            minus[i][j] = small_fraction();
            minus[j][i] = -minus[i][j];
        }
    return times(minus, inverse(transposed(minus)));
}

Matrix diagonal(const Vector& entries) {
    Matrix out(entries.size(), Vector(entries.size()));
    for (std::size_t i = 0; i < entries.size(); ++i) out[i][i] = entries[i];
    return out;
}

constexpr std::size_t d = 3;
constexpr std::size_t tokens = 4; // a square, so that X'X/T = LL' has rational solutions

/// L'W = U S P' and X'X/T = LL', drawn from the right: U, P, the root of S, L and X's directions.
struct Case {
    Matrix u = rotation(d);
    Matrix p = rotation(d);
    Matrix root = diagonal({*rc::gen::inRange(3, 9), 2, *rc::gen::inRange(0, 2)}); // sqrt(S)
    Matrix l = {{*rc::gen::inRange(1, 5), 0, 0},
                {small_fraction(), *rc::gen::inRange(1, 5), 0},
                {small_fraction(), small_fraction(), *rc::gen::inRange(1, 5)}};
    Matrix s = times(root, root);
    Matrix w = times(inverse(transposed(l)), times(times(u, s), transposed(p)));
    Matrix x;
    Matrix covariance;

    Case() {
        Matrix directions = rotation(tokens);
        for (Vector& row : directions) row.resize(d);
        x = scaled(2, times(directions, transposed(l)));
        covariance = scaled(Rational(1, tokens), times(transposed(x), x));
        RC_ASSERT(covariance == times(l, transposed(l)));
    }
};

RC_GTEST_PROP(AatcTransform, step_1, ()) {
    const Case c;
    const Matrix a = times(times(inverse(transposed(c.l)), c.u), c.root);
    const Matrix b = times(c.root, transposed(c.p));
    const Matrix keys = times(c.x, c.w);
    const Matrix h = times(c.x, a);
    RC_ASSERT(times(a, b) == c.w);                   // eq. (6)
    RC_ASSERT(times(h, b) == keys);                  // after eq. (7)
    RC_ASSERT(times(h, c.root) == times(keys, c.p)); // H sqrt(S) = KP
    RC_ASSERT(times(times(transposed(a), c.covariance), a) == c.s);
    RC_ASSERT(times(transposed(h), h) == scaled(tokens, c.s));
    RC_ASSERT(times(transposed(h), h) != c.s); // as printed
}

RC_GTEST_PROP(AatcTransform, proposition_1, ()) {
    const Case c;
    const Matrix keys = times(c.x, c.w);
    const Matrix gram = times(transposed(keys), keys);
    // any factor F of the covariance, FF' = Sigma, whitens alike: F = L O; the symmetric root is one of them
    const Matrix factor = times(c.l, rotation(d));
    RC_ASSERT(times(factor, transposed(factor)) == c.covariance);
    const Matrix whitened = times(transposed(factor), c.w);
    RC_ASSERT(gram == scaled(tokens, times(transposed(whitened), whitened)));
    RC_ASSERT(times(gram, c.p) == scaled(tokens, times(c.p, times(c.s, c.s)))); // P: eigenvectors of K'K
    const Matrix u = times(transposed(factor), times(inverse(transposed(c.l)), c.u)); // of that factor
    RC_ASSERT(times(times(u, c.s), transposed(c.p)) == whitened);
    RC_ASSERT(times(keys, c.p) == times(times(c.x, inverse(transposed(factor))), times(u, c.s)));
    // a mutant: the printed Sigma^(-1/2) in the place of its own factor's inverse
    const Matrix wrong = times(c.x, times(inverse(transposed(c.l)), times(u, c.s)));
    RC_ASSERT(u == c.u || wrong != times(keys, c.p));
}

} // namespace
