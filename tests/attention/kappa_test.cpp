// kappa against exact rationals: kappa <= u if and only if u diag(G) - G is positive semidefinite, so no root
// is needed.
#include "lib/attention/kappa.hpp"

#include "lib/error.hpp"
#include "tests/attention/matrices.hpp"

#include <gtest/gtest.h>

using namespace kvproof;
using namespace kvproof::test;

namespace {

struct Residuals {
    std::size_t rows;
    std::size_t columns;
    std::vector<double> entries;
    [[nodiscard]] MatrixView view() const { return {entries, rows, columns}; }
};

Residuals residuals(std::uint64_t seed) {
    Numbers numbers(seed);
    Residuals r{1 + numbers.below(9), 1 + numbers.below(5), {}};
    r.entries = numbers.normals(r.rows * r.columns);
    if (seed % 4 == 1) // a column, a row of zeros
        for (std::size_t i = 0; i < r.entries.size(); ++i)
            if (i % r.columns == 0 || i / r.columns == 0) r.entries[i] = 0;
    if (seed % 4 == 2) // columns and rows of any magnitude
        for (std::size_t i = 0; i < r.entries.size(); ++i)
            r.entries[i] = std::ldexp(r.entries[i], static_cast<int>(i % r.columns) * 400 - 800 +
                                                        static_cast<int>(i / r.columns) * 20);
    if (seed % 4 == 3) // nearly parallel columns
        for (std::size_t i = 0; i < r.entries.size(); ++i) r.entries[i] = 1 + 1e-8 * r.entries[i];
    return r;
}

/// lower <= kappa <= upper for items with the exact Gram matrix g; zero items left out.
bool encloses_kappa(const EigenvalueBounds& bounds, const RationalMatrix& g) {
    const auto scaled_diagonal_minus = [&g](const Rational& u) {
        RationalMatrix m;
        for (std::size_t a = 0; a < g.size(); ++a) {
            if (g[a][a] == 0) continue;
            m.emplace_back();
            for (std::size_t b = 0; b < g.size(); ++b)
                if (g[b][b] != 0) m.back().push_back((a == b ? u * g[a][a] : Rational(0)) - g[a][b]);
        }
        return m;
    };
    const RationalMatrix top = scaled_diagonal_minus(rational_from(bounds.upper));
    if (top.empty()) return bounds.lower == 0;
    const Rational below = rational_from(bounds.lower) * (1 - power(Rational(2), -200));
    return is_positive_semidefinite(top) && !is_positive_semidefinite(scaled_diagonal_minus(below));
}

std::vector<double> transposed(const Residuals& r) {
    std::vector<double> t(r.entries.size());
    for (std::size_t j = 0; j < r.rows; ++j)
        for (std::size_t a = 0; a < r.columns; ++a) t[a * r.rows + j] = r.entries[j * r.columns + a];
    return t;
}

bool tight(const EigenvalueBounds& bounds) {
    return bounds.upper <= bounds.lower * (1 + 1e-9);
}

} // namespace

TEST(Kappa, encloses_exactly) {
    for (std::uint64_t seed = 0; seed < 240; ++seed) {
        const Residuals r = residuals(seed);
        const EigenvalueBounds columns = kappa_of_columns(r.view());
        ASSERT_TRUE(encloses_kappa(columns, exact_gram(r.entries, r.columns))) << seed;
        ASSERT_TRUE(tight(columns)) << seed;
        const EigenvalueBounds rows = kappa_of_rows(r.view());
        ASSERT_TRUE(encloses_kappa(rows, exact_gram(transposed(r), r.rows))) << seed;
        ASSERT_TRUE(tight(rows)) << seed;
    }
}

TEST(Kappa, encloses_where_the_factorisation_is_tried_on_the_edge) {
    EigenvalueOptions options;
    options.slack = 1e-17; // hides nothing of what normalisation and rounding do
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const Residuals r = residuals(seed);
        ASSERT_TRUE(encloses_kappa(kappa_of_columns(r.view(), {}, options), exact_gram(r.entries, r.columns)))
            << seed;
        ASSERT_TRUE(encloses_kappa(kappa_of_rows(r.view(), {}, options), exact_gram(transposed(r), r.rows)))
            << seed;
    }
}

TEST(Kappa, the_checker_tells_wrong_bounds) {
    const RationalMatrix g = exact_gram({1, 1, 1, -1, 3, 0}, 2); // columns (1, 1, 3), (1, -1, 0): orthogonal
    EXPECT_TRUE(encloses_kappa({1, 1}, g));
    EXPECT_FALSE(encloses_kappa({1, 1 - 0x1p-53}, g));
    EXPECT_FALSE(encloses_kappa({1 + 0x1p-52, 2}, g));
}

TEST(Kappa, without_normalisation_the_answer_differs) {
    const std::vector<double> e = {10, 0, 0, 1};
    EXPECT_LT(kappa_of_columns({e, 2, 2}).upper, 1.001);
    EXPECT_GT(largest_eigenvalue(column_gram({e, 2, 2}).matrix()).lower, 99);
}

TEST(Kappa, tight_examples_of_the_paper_and_zero_conventions) {
    // E.3.4: m unit entries in one row (m columns), and m identical rows, have kappa = m
    for (const std::size_t m : {1U, 2U, 9U, 64U, 200U}) {
        const std::vector<double> ones(m, 1.0);
        for (const EigenvalueBounds& bounds : {kappa_of_columns({ones, 1, m}), kappa_of_rows({ones, m, 1})}) {
            EXPECT_LE(bounds.lower, static_cast<double>(m));
            EXPECT_GE(bounds.upper, static_cast<double>(m));
            EXPECT_TRUE(tight(bounds));
        }
    }
    const std::vector<double> zeros(12);
    EXPECT_EQ(kappa_of_columns({zeros, 4, 3}).upper, 0);
    EXPECT_EQ(kappa_of_rows({zeros, 4, 3}).upper, 0);
    EXPECT_EQ(kappa_of_columns({{}, 0, 3}).upper, 0);
    const std::vector<double> infinite = {1, HUGE_VAL};
    EXPECT_THROW(static_cast<void>(kappa_of_rows({infinite, 2, 1})), Error);
}

TEST(Kappa, both_sides_agree) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        Numbers numbers(seed);
        const std::size_t n = 30;
        const std::vector<double> e = numbers.normals(n * n);
        const EigenvalueBounds square = kappa_of_columns({e, n, n}); // by the items
        std::vector<double> wide(n * (n + 1)); // one more item, of zeros: by the coordinates
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t a = 0; a < n; ++a) wide[j * (n + 1) + a] = e[j * n + a];
        const EigenvalueBounds other = kappa_of_columns({wide, n, n + 1});
        EXPECT_LE(std::max(square.lower, other.lower), std::min(square.upper, other.upper));
        EXPECT_TRUE(tight(square) && tight(other));
    }
}

TEST(Kappa, radii_count_for_all_items_together) {
    // n orthonormal items, each moved by r towards the mean of the others: kappa rises by 2 r sqrt(n - 1),
    // more than any one norm changes.
    constexpr std::size_t n = 10;
    constexpr double r = 1e-3;
    std::vector<double> known(n * n);
    std::vector<double> truth(n * n, r / 3); // sqrt(n - 1) = 3
    for (std::size_t a = 0; a < n; ++a) known[a * n + a] = truth[a * n + a] = 1;
    const std::vector<double> radii(n, r * (1 + 1e-12));
    const EigenvalueBounds bounds = kappa_of_columns({known, n, n}, radii);
    EXPECT_TRUE(encloses_kappa(bounds, exact_gram(truth, n)));
    EXPECT_LE(bounds.upper, 1 + 10 * r);
}

/// Items that lie one after the other are taken in vectors, others one by one: with radii of every size, up
/// to those that leave an item uncertain.
TEST(Kappa, of_contiguous_items_is_that_of_scattered_ones) {
    std::size_t uncertain = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        Numbers numbers(seed);
        const std::size_t d = 1 + numbers.below(6);
        const std::size_t n = d + 1 + numbers.below(20);
        const std::vector<double> items = numbers.normals(n * d);
        std::vector<double> apart;
        std::vector<double> radii;
        for (std::size_t a = 0; a < n; ++a) {
            double square = 0;
            for (std::size_t i = 0; i < d; ++i) {
                apart.push_back(items[a * d + i]);
                square += items[a * d + i] * items[a * d + i];
            }
            apart.push_back(0);
            const std::vector<double> sizes = {0, 1e-12, 1e-3, .2, .4, .7, 2};
            const std::size_t size = seed % 3 == 0 ? numbers.below(3) : numbers.below(sizes.size());
            radii.push_back(sizes[size] * std::sqrt(square));
            uncertain += sizes[size] > .5 ? 1 : 0;
        }
        if (seed % 5 == 0) radii.clear();
        MatrixView scattered(apart, n, d);
        scattered.row_step = d + 1;
        const EigenvalueBounds expected = kappa_of_rows(scattered, radii);
        const EigenvalueBounds found = kappa_of_rows({items, n, d}, radii);
        ASSERT_NEAR(found.lower, expected.lower, 1e-12 * expected.lower) << seed;
        ASSERT_NEAR(found.upper, expected.upper, 1e-12 * expected.upper) << seed;
    }
    EXPECT_GT(uncertain, 100U);
}

TEST(Kappa, radii_cover_the_true_items) {
    std::size_t needed = 0;
    std::size_t left_out = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        Numbers numbers(seed);
        const std::size_t rows = 1 + numbers.below(6);
        const std::size_t n = 1 + numbers.below(5);
        const double size = seed % 2 == 0 ? 1e-3 : 1.0; // with 1 some items cannot be told from zero
        const std::vector<double> known = numbers.normals(rows * n);
        std::vector<double> truth = known;
        std::vector<double> radii(n);
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t j = 0; j < rows; ++j) {
                truth[j * n + a] += size * numbers.normal();
                const double d = truth[j * n + a] - known[j * n + a];
                radii[a] = std::hypot(radii[a], d);
            }
            radii[a] *= 1 + 1e-12;
        }
        const RationalMatrix g = exact_gram(truth, n);
        const EigenvalueBounds bounds = kappa_of_columns({known, rows, n}, radii);
        EXPECT_TRUE(encloses_kappa(bounds, g)) << seed;
        needed += !encloses_kappa(kappa_of_columns({known, rows, n}), g);
        left_out += bounds.lower == 0 || bounds.upper > static_cast<double>(n) - 0.5;
    }
    EXPECT_GT(needed, 50U);
    EXPECT_GT(left_out, 5U);
}
