// The enclosure: exactly for small matrices, against Eigen for large ones, and where it is hard.
#include "tests/attention/matrices.hpp"

#include "lib/attention/lanczos.hpp"
#include "lib/attention/norm_up.hpp"
#include "lib/error.hpp"

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

using namespace kvproof;
using namespace kvproof::test;

namespace {

double largest_by_eigen(const std::vector<double>& entries, std::size_t n) {
    const auto size = static_cast<Eigen::Index>(n);
    const Eigen::MatrixXd matrix = Eigen::Map<const Eigen::MatrixXd>(entries.data(), size, size);
    return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix, Eigen::EigenvaluesOnly)
        .eigenvalues()[size - 1];
}

double width(const EigenvalueBounds& bounds) {
    return bounds.upper / bounds.lower - 1;
}

std::vector<double> identity(std::size_t n, double value = 1) {
    std::vector<double> m(n * n);
    for (std::size_t a = 0; a < n; ++a) m[a * n + a] = value;
    return m;
}

/// Q diag(values) Q' with Q a product of random reflections: rounded, so psd up to rounding.
std::vector<double> with_spectrum(Numbers& numbers, const std::vector<double>& values) {
    const auto n = static_cast<Eigen::Index>(values.size());
    Eigen::MatrixXd m = Eigen::Map<const Eigen::VectorXd>(values.data(), n).asDiagonal();
    for (int k = 0; k < 3; ++k) {
        const std::vector<double> direction = numbers.normals(values.size());
        Eigen::VectorXd v = Eigen::Map<const Eigen::VectorXd>(direction.data(), n).normalized();
        const Eigen::MatrixXd h = Eigen::MatrixXd::Identity(n, n) - 2 * v * v.transpose();
        m = (h * m * h).eval();
    }
    std::vector<double> entries(values.size() * values.size());
    Eigen::Map<Eigen::MatrixXd>(entries.data(), n, n) = (m + m.transpose()) / 2;
    return entries;
}

} // namespace

TEST(LargestEigenvalue, encloses_exactly_for_small_matrices) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Numbers numbers(seed);
        const std::size_t n = 1 + numbers.below(6);
        const std::size_t rows = 1 + numbers.below(9);
        std::vector<double> e = numbers.normals(rows * n);
        if (seed % 3 == 1)
            for (double& x : e) x = std::round(x); // ties, zeros, zero rows
        if (seed % 3 == 2)
            for (std::size_t i = n; i < e.size(); ++i) e[i] = e[i % n] + 1e-9 * e[i]; // nearly rank one
        const EigenvalueBounds bounds = largest_eigenvalue(column_gram({e, rows, n}).matrix());
        ASSERT_TRUE(encloses(bounds, exact_gram(e, n))) << seed;
        ASSERT_LE(bounds.upper, bounds.lower * (1 + 1e-9)) << seed;
    }
}

TEST(LargestEigenvalue, encloses_where_the_factorisation_is_tried_on_the_edge) {
    // The usual slack hides what the shift, the radius and the bound of the Rayleigh quotient are for:
    // without it each of them is needed.
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        Numbers numbers(seed);
        const std::size_t n = 2 + numbers.below(5);
        const std::vector<double> e = numbers.normals((n + 2) * n);
        EigenvalueOptions options;
        options.slack = 1e-17;
        const Gram gram = column_gram({e, n + 2, n});
        const EigenvalueBounds known = largest_eigenvalue({n, gram.entries, gram.exponent, 0}, options);
        RationalMatrix doubles = exact(gram.entries, n);
        for (auto& row : doubles)
            for (Rational& x : row) x *= power(Rational(2), gram.exponent);
        ASSERT_TRUE(encloses(known, doubles)) << seed;
        ASSERT_LE(width(known), 1e-13) << seed;
        ASSERT_TRUE(encloses(largest_eigenvalue(Gram(gram).matrix(), options), exact_gram(e, n))) << seed;
    }
}

TEST(LargestEigenvalue, the_checker_tells_wrong_bounds) {
    const RationalMatrix c = exact({2, 1, 1, 2}, 2); // eigenvalues 1 and 3
    EXPECT_TRUE(encloses({3, 3}, c));
    EXPECT_FALSE(encloses({3, 3 - 0x1p-51}, c));
    EXPECT_FALSE(encloses({3 + 0x1p-51, 4}, c));
}

TEST(LargestEigenvalue, agrees_with_eigen) {
    for (const std::size_t n : {1U, 2U, 5U, 8U, 17U, 32U, 64U, 100U, 128U}) {
        for (const std::size_t rows : {n / 2 + 1, 4 * n + 1}) {
            Numbers numbers(n);
            const std::vector<double> e = numbers.normals(rows * n);
            const Gram gram = column_gram({e, rows, n});
            const double expected = std::ldexp(largest_by_eigen(gram.entries, n), gram.exponent);
            const EigenvalueBounds bounds = largest_eigenvalue(Gram(gram).matrix());
            EXPECT_LE(bounds.lower, expected * (1 + 1e-13)) << n;
            EXPECT_GE(bounds.upper, expected * (1 - 1e-13)) << n;
            EXPECT_LE(width(bounds), 1e-9) << n;
            EXPECT_GT(width(bounds), 0) << n;
        }
    }
}

TEST(LargestEigenvalue, equal_and_nearly_equal_eigenvalues) {
    Numbers numbers(5);
    for (const std::size_t n : {1U, 8U, 30U, 128U, 200U}) {
        const EigenvalueBounds bounds = largest_eigenvalue({n, identity(n, 3), 0, 0});
        EXPECT_LE(bounds.lower, 3);
        EXPECT_GE(bounds.upper, 3);
        EXPECT_LE(width(bounds), 1e-12);
    }
    // the top pair apart by 1e-3 to 1e-14; an evenly spread spectrum, where Lanczos is slow; two clusters
    for (const double gap : {1e-3, 1e-6, 1e-9, 1e-12, 1e-14}) {
        std::vector<double> values(40);
        for (double& v : values) v = numbers.uniform();
        values[3] = 1;
        values[17] = 1 - gap;
        const std::vector<double> c = with_spectrum(numbers, values);
        const EigenvalueBounds bounds = largest_eigenvalue({40, c, 0, 1e-14});
        EXPECT_LE(bounds.lower, 1 + 1e-13);
        EXPECT_GE(bounds.upper, 1 - 1e-13);
        EXPECT_LE(width(bounds), 1e-9) << gap;
    }
    std::vector<double> even(128);
    for (std::size_t i = 0; i < even.size(); ++i) even[i] = 1 - 1e-4 * static_cast<double>(i);
    EXPECT_LE(width(largest_eigenvalue({128, with_spectrum(numbers, even), 0, 1e-14})), 1e-9);
}

TEST(LargestEigenvalue, rank_one_and_zero) {
    const EigenvalueBounds ones = largest_eigenvalue({50, std::vector<double>(2500, 1.0), 0, 0});
    EXPECT_LE(ones.lower, 50);
    EXPECT_GE(ones.upper, 50);
    EXPECT_LE(width(ones), 1e-12);
    EXPECT_NE(ones.method, EigenvalueMethod::cholesky);
    const EigenvalueBounds zero = largest_eigenvalue({3, std::vector<double>(9), 0, 0});
    EXPECT_EQ(zero.lower, 0);
    EXPECT_EQ(zero.upper, 0);
    EXPECT_EQ(largest_eigenvalue({3, std::vector<double>(9), 4, 0.5}).upper, 8);
    EXPECT_EQ(largest_eigenvalue({}).upper, 0);
    EXPECT_LE(width(largest_eigenvalue({1, {7}, 0, 0})), 1e-15);
    EXPECT_TRUE(encloses(largest_eigenvalue({1, {7}, 0, 0}), exact({7}, 1)));
}

TEST(LargestEigenvalue, a_start_without_the_top_direction_is_recovered_from) {
    // The top eigenvector is orthogonal to the start, which spans an invariant space by itself: Lanczos sees
    // 1/2 and nothing else. The failed factorisation shows the rest.
    constexpr std::size_t n = 12;
    const std::vector<double> start = start_vector(n);
    const double norm = std::hypot(start[2], start[9]);
    std::vector<double> v(n);
    v[2] = start[9] / norm;
    v[9] = -start[2] / norm;
    PaddedMatrix padded_matrix{n, std::vector<double>(16 * 16)};
    std::vector<double> c = identity(n, 0.5);
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b) {
            c[a * n + b] += v[a] * v[b];
            padded_matrix.entries[a * 16 + b] = c[a * n + b];
        }
    EXPECT_NEAR(lanczos(padded_matrix, start).value, 0.5, 1e-12);
    const EigenvalueBounds bounds = largest_eigenvalue({n, c, 0, 0});
    EXPECT_TRUE(encloses(bounds, exact(c, n)));
    EXPECT_NEAR(bounds.lower, 1.5, 1e-9);
    EXPECT_LE(width(bounds), 1e-9);
}

TEST(LargestEigenvalue, every_scale) {
    Numbers numbers(6);
    const std::vector<double> e = numbers.normals(4 * 3);
    for (const int exponent : {-1060, -1020, -600, 0, 600, 1019}) {
        std::vector<double> scaled = e;
        for (double& x : scaled) x = std::ldexp(x, exponent);
        const SymmetricMatrix matrix = column_gram({scaled, 4, 3}).matrix();
        SymmetricMatrix unscaled = matrix;
        unscaled.exponent = 0;
        RationalMatrix g = exact_gram(scaled, 3);
        for (auto& row : g)
            for (Rational& x : row) x *= power(Rational(2), -matrix.exponent);
        EXPECT_TRUE(encloses(largest_eigenvalue(unscaled), g)) << exponent;
        const EigenvalueBounds bounds = largest_eigenvalue(matrix);
        EXPECT_TRUE(encloses(bounds, exact_gram(scaled, 3))) << exponent;
        EXPECT_TRUE(std::abs(exponent) > 500 || width(bounds) <= 1e-9);
    }
    // entries of the matrix itself
    for (const double size : {1e-310, 1e-300, 1e300}) {
        const std::vector<double> c = {2 * size, size, size, 2 * size};
        EXPECT_TRUE(encloses(largest_eigenvalue({2, c, 0, 0}), exact(c, 2))) << size;
    }
    EXPECT_THROW(static_cast<void>(largest_eigenvalue({1, {HUGE_VAL}, 0, 0})), Error);
    EXPECT_THROW(static_cast<void>(largest_eigenvalue({1, {std::nan("")}, 0, 0})), Error);
}

TEST(LargestEigenvalue, lost_orthogonality_does_not_lose_the_enclosure) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        Numbers numbers(seed);
        const std::vector<double> e = numbers.normals(8 * 5);
        EigenvalueOptions options;
        options.reorthogonalise = false;
        ASSERT_TRUE(encloses(largest_eigenvalue(column_gram({e, 8, 5}).matrix(), options), exact_gram(e, 5)));
        options.rounds = 0; // no vector and no factorisation: trace and row sums
        const EigenvalueBounds simple = largest_eigenvalue(column_gram({e, 8, 5}).matrix(), options);
        ASSERT_TRUE(encloses(simple, exact_gram(e, 5)));
        ASSERT_NE(simple.method, EigenvalueMethod::cholesky);
    }
}

TEST(LargestEigenvalue, bits_do_not_depend_on_the_instructions) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Numbers numbers(seed);
        const std::size_t n = 1 + numbers.below(70);
        const std::vector<double> e = numbers.normals(80 * n);
        const SymmetricMatrix matrix = column_gram({e, 80, n}).matrix();
        const EigenvalueBounds expected = largest_eigenvalue(matrix);
        for (const Instructions instructions : available_instructions()) {
            EigenvalueOptions options;
            options.instructions = instructions;
            const EigenvalueBounds bounds = largest_eigenvalue(matrix, options);
            EXPECT_EQ(bounds.lower, expected.lower);
            EXPECT_EQ(bounds.upper, expected.upper);
        }
    }
}

TEST(LargestEigenvalue, widening_covers_every_matrix_within_the_radius) {
    std::size_t needed = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Numbers numbers(seed);
        const std::vector<double> e = numbers.normals(6 * 4);
        std::vector<double> moved = e;
        std::vector<double> radii(6);
        for (std::size_t j = 0; j < 6; ++j) {
            double square = 0;
            for (std::size_t a = 0; a < 4; ++a) {
                moved[j * 4 + a] += 0.01 * numbers.normal();
                const double d = moved[j * 4 + a] - e[j * 4 + a];
                square += d * d;
            }
            radii[j] = std::sqrt(square) * (1 + 1e-12);
        }
        const EigenvalueBounds known = largest_eigenvalue(column_gram({e, 6, 4}).matrix());
        const EigenvalueBounds bounds = widened(known, norm_up(radii.data(), radii.size()));
        EXPECT_TRUE(encloses(bounds, exact_gram(moved, 4)));
        needed += !encloses(known, exact_gram(moved, 4));
    }
    EXPECT_GT(needed, 90U);
    EXPECT_EQ(widened({1, 2}, 0).upper, 2);
    EXPECT_EQ(widened({1, 2}, 5).lower, 0);
}
