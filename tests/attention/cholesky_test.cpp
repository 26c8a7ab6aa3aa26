// The factorisation against a plain loop (the same bits), and what its success proves against exact
// elimination.
#include "lib/attention/cholesky.hpp"

#include "lib/attention/gram.hpp"
#include "lib/attention/upper_proof.hpp"
#include "lib/portable/error_bound.hpp"
#include "tests/attention/matrices.hpp"

#include <gtest/gtest.h>

using namespace kvproof;
using namespace kvproof::test;

namespace {

std::vector<double> random_gram(Numbers& numbers, std::size_t rows, std::size_t n) {
    const std::vector<double> e = numbers.normals(rows * n);
    return column_gram({e, rows, n}).entries;
}

/// Row by row, one entry at a time; the row that fails, or n.
std::size_t plain_factor(const std::vector<double>& a, std::size_t n, std::vector<double>& l) {
    l.assign(n * n, 0);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k <= i; ++k) {
            double sum = a[i * n + k];
            for (std::size_t j = 0; j < k; ++j) sum = std::fma(-l[i * n + j], l[k * n + j], sum);
            if (k < i) {
                l[i * n + k] = sum / l[k * n + k];
            } else {
                if (!(sum > 0)) return i;
                l[i * n + i] = std::sqrt(sum);
            }
        }
    return n;
}

/// Doubles m = fl(mu I - C).
std::vector<double> shifted_doubles(const std::vector<double>& c, std::size_t n, double mu) {
    std::vector<double> m(n * n);
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b) m[a * n + b] = (a == b ? mu : 0) - c[a * n + b];
    return m;
}

RationalMatrix plus_identity(RationalMatrix m, const Rational& shift) {
    for (std::size_t a = 0; a < m.size(); ++a) m[a][a] += shift;
    return m;
}

double trace_up(const std::vector<double>& m, std::size_t n) {
    double trace = 0;
    for (std::size_t a = 0; a < n; ++a) trace = add_up(trace, m[a * n + a]);
    return trace;
}

} // namespace

TEST(Cholesky, bits_are_those_of_the_plain_loop_whatever_the_instructions) {
    Numbers numbers(1);
    for (const std::size_t n : {1U, 2U, 7U, 8U, 9U, 16U, 23U, 40U, 65U}) {
        for (const std::size_t rows :
             {n + 3, n / 2 + 1}) { // definite; of rank below n, so that it fails somewhere
            const std::vector<double> a = random_gram(numbers, rows, n);
            std::vector<double> l;
            const std::size_t failed = plain_factor(a, n, l);
            for (const Instructions instructions : available_instructions()) {
                const Cholesky cholesky(a, n, instructions);
                ASSERT_EQ(cholesky.failed_at(), failed);
                ASSERT_EQ(cholesky.succeeded(), failed == n);
                for (std::size_t i = 0; i < failed; ++i)
                    for (std::size_t k = 0; k <= i; ++k) ASSERT_EQ(cholesky.factor(i, k), l[i * n + k]);
            }
        }
    }
}

TEST(Cholesky, success_proves_what_it_says_and_not_without_the_shift) {
    // Matrices on the edge: mu within rounding of the largest eigenvalue. Where the factorisation succeeds, A
    // + r I is positive semidefinite; A itself often is not, so an upper bound without the shift would be
    // wrong.
    Numbers numbers(2);
    std::size_t succeeded = 0;
    std::size_t indefinite = 0;
    for (int trial = 0; trial < 300; ++trial) {
        const std::size_t n = 2 + numbers.below(5);
        const std::vector<double> c = random_gram(numbers, n + 2, n);
        const EigenvalueBounds bounds = largest_eigenvalue({n, c, 0, 0});
        for (int step = -8; step <= 24; ++step) { // the Rayleigh quotient's own bound is a little below
            const double mu = bounds.lower * (1 + step * 0x1p-52);
            const std::vector<double> a = shifted_doubles(c, n, mu);
            if (!Cholesky(a, n).succeeded()) continue;
            ++succeeded;
            const Rational shift = rational_from(cholesky_backward_error(n, trace_up(a, n)));
            ASSERT_TRUE(is_positive_semidefinite(plus_identity(exact(a, n), shift)));
            indefinite += !is_positive_semidefinite(exact(a, n));
        }
    }
    EXPECT_GT(succeeded, 100U);
    EXPECT_GT(indefinite, 0U);
}

TEST(UpperProof, holds_on_the_edge_and_mu_alone_does_not) {
    Numbers numbers(4);
    std::size_t proved = 0;
    std::size_t wrong_without_shift = 0;
    for (int trial = 0; trial < 60; ++trial) {
        const std::size_t n = 6 + numbers.below(6);
        const std::vector<double> c = random_gram(numbers, n, n);
        PaddedMatrix matrix{n, std::vector<double>(padded(n) * padded(n))};
        for (std::size_t a = 0; a < n; ++a)
            for (std::size_t b = 0; b < n; ++b) matrix.entries[a * padded(n) + b] = c[a * n + b];
        const double middle = largest_eigenvalue({n, c, 0, 0}).lower;
        for (int step = -8; step <= 100; step += 2) {
            const UpperProof proof = prove_upper(matrix, middle * (1 + step * 0x1p-53));
            if (!proof.succeeded) continue;
            ++proved;
            ASSERT_TRUE(encloses({0, proof.upper}, exact(c, n)));
            wrong_without_shift += !encloses({0, middle * (1 + step * 0x1p-53)}, exact(c, n));
        }
    }
    EXPECT_GT(proved, 60U);
    EXPECT_GT(wrong_without_shift, 0U);
}

TEST(Cholesky, failure_shows_a_direction_of_negative_curvature) {
    Numbers numbers(3);
    for (int trial = 0; trial < 100; ++trial) {
        const std::size_t n = 1 + numbers.below(30);
        const std::vector<double> c = random_gram(numbers, n + 2, n);
        double trace = trace_up(c, n);
        const std::vector<double> a = shifted_doubles(c, n, 0.9 * trace / static_cast<double>(n));
        const Cholesky cholesky(a, n);
        ASSERT_FALSE(cholesky.succeeded()); // the mean of the eigenvalues is not above all of them
        const std::vector<double> x = cholesky.failed_direction();
        double form = 0;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) form += x[i] * a[i * n + j] * x[j];
        EXPECT_LE(form, 1e-9 * trace);
    }
}

TEST(Cholesky, refuses_what_is_not_a_number) {
    const std::vector<double> a = {1, 0, std::nan(""), 1};
    EXPECT_EQ(Cholesky(a, 2).failed_at(), 1U);
    EXPECT_FALSE(Cholesky({0.0}, 1).succeeded());
    EXPECT_TRUE(Cholesky({}, 0).succeeded());
    EXPECT_FALSE(Cholesky({1, 0, 1e300, 1}, 2).succeeded());
}
