// Gram matrices: the a-priori bound against exact rationals, the bits against a plain triple loop.
#include "lib/attention/gram.hpp"

#include "lib/error.hpp"
#include "tests/attention/matrices.hpp"

#include <gtest/gtest.h>

#include <limits>

using namespace kvproof;
using namespace kvproof::test;

namespace {

struct Problem {
    std::size_t rows;
    std::size_t columns;
    std::vector<double> entries;
    std::vector<double> weights;
    [[nodiscard]] MatrixView view() const { return {entries, rows, columns}; }
};

/// Plain, cancelling (large entries of alternating sign), sparse, and of magnitudes from 1e-300 to 1e300.
Problem problem(std::uint64_t seed) {
    Numbers numbers(seed);
    Problem p{1 + numbers.below(seed % 5 == 0 ? 400 : 40), 1 + numbers.below(10), {}, {}};
    p.entries = numbers.normals(p.rows * p.columns);
    const std::size_t kind = seed % 4;
    for (std::size_t i = 0; i < p.entries.size(); ++i) {
        if (kind == 1) p.entries[i] += i / p.columns % 2 == 0 ? 1e8 : -1e8;
        if (kind == 2 && numbers.below(3) != 0) p.entries[i] = 0;
        if (kind == 3) p.entries[i] = std::ldexp(p.entries[i], static_cast<int>(numbers.below(1900)) - 950);
    }
    if (seed % 3 == 0)
        for (std::size_t j = 0; j < p.rows; ++j)
            p.weights.push_back(numbers.below(4) == 0 ? std::ldexp(1.0, -1060) : numbers.uniform());
    return p;
}

/// |entries_ab - 2^-exponent g_ab| <= relative sqrt(g_aa g_bb) + absolute for all a, b.
bool within_bound(const Gram& gram, RationalMatrix g, const Rational& relative) {
    for (auto& row : g)
        for (Rational& x : row) x *= power(Rational(2), -gram.exponent);
    const Rational absolute = rational_from(gram.absolute);
    for (std::size_t a = 0; a < gram.size; ++a)
        for (std::size_t b = 0; b < gram.size; ++b) {
            const Rational error = abs(rational_from(gram.entries[a * gram.size + b]) - g[a][b]) - absolute;
            if (error > 0 && error * error > relative * relative * g[a][a] * g[b][b]) return false;
        }
    return true;
}

/// The same order of operations without tiles: blocks of 128 rows, each term with one rounding.
double plain_entry(const Problem& p, std::size_t a, std::size_t b) {
    double total = 0;
    for (std::size_t first = 0; first < p.rows; first += 128) {
        double sum = 0;
        for (std::size_t j = first; j < std::min(p.rows, first + 128); ++j) {
            const double left = p.entries[j * p.columns + a] * (p.weights.empty() ? 1 : p.weights[j]);
            sum = std::fma(left, p.entries[j * p.columns + b], sum);
        }
        total += sum;
    }
    return total;
}

} // namespace

TEST(Gram, the_bound_holds) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const Problem p = problem(seed);
        const Gram gram = column_gram(p.view(), {p.weights});
        EXPECT_TRUE(
            within_bound(gram, exact_gram(p.entries, p.columns, p.weights), rational_from(gram.relative)))
            << seed;
        EXPECT_LE(gram.relative, 1.2e-16 * static_cast<double>(std::min<std::size_t>(p.rows, 128) + 8));
    }
}

TEST(Gram, a_bound_of_two_roundings_is_too_small) {
    std::size_t caught = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const Problem p = problem(seed);
        const Gram gram = column_gram(p.view(), {p.weights});
        caught += !within_bound(gram, exact_gram(p.entries, p.columns, p.weights), Rational(1, 1L << 53));
    }
    EXPECT_GT(caught, 0U);
}

TEST(Gram, rounded_entries_are_allowed_for) {
    // E is exact at 53 bits; what is passed has been rounded to 52 and so has relative errors up to 2 u
    std::size_t needed = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Numbers numbers(seed);
        const std::vector<double> exact_entries = numbers.normals(12);
        std::vector<double> rounded = exact_entries;
        for (double& x : rounded) x = (x * (0x1p1 + 1)) - (x * (0x1p1 + 1) - x);
        const RationalMatrix g = exact_gram(exact_entries, 3);
        const Gram gram = column_gram({rounded, 4, 3}, {{}, 2});
        EXPECT_TRUE(within_bound(gram, g, rational_from(gram.relative)));
        needed += !within_bound(gram, g, Rational(1, 1L << 53));
    }
    EXPECT_GT(needed, 0U);
}

TEST(Gram, bits_are_those_of_the_plain_loop_whatever_the_instructions) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Problem p = problem(4 * seed); // magnitudes near 1: the common power of two changes nothing
        if (!p.weights.empty()) p.weights = Numbers(seed).normals(p.rows);
        for (double& w : p.weights) w = std::fabs(w);
        for (const Instructions instructions : available_instructions()) {
            const Gram gram = column_gram(p.view(), {p.weights, 0, instructions});
            for (std::size_t a = 0; a < p.columns; ++a)
                for (std::size_t b = 0; b <= a; ++b) {
                    const double entry = std::ldexp(gram.entries[a * gram.size + b], gram.exponent);
                    ASSERT_EQ(entry, plain_entry(p, a, b)) << seed;
                    ASSERT_EQ(gram.entries[a * gram.size + b], gram.entries[b * gram.size + a]);
                }
        }
    }
}

TEST(Gram, the_other_side) {
    Numbers numbers(7);
    const std::vector<double> e = numbers.normals(5 * 40);
    std::vector<double> transposed(e.size());
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 40; ++j) transposed[j * 5 + i] = e[i * 40 + j];
    const Gram rows = column_gram(MatrixView(e, 5, 40).transposed());
    const Gram columns = column_gram({transposed, 40, 5});
    EXPECT_EQ(rows.entries, columns.entries);
    EXPECT_EQ(rows.exponent, columns.exponent);
}

TEST(Gram, radius_covers_the_error_of_every_quadratic_form) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const Problem p = problem(seed);
        RationalMatrix g = exact_gram(p.entries, p.columns, p.weights);
        const SymmetricMatrix matrix = column_gram(p.view(), {p.weights}).matrix();
        RationalMatrix high(p.columns, std::vector<Rational>(p.columns));
        RationalMatrix low = high;
        for (std::size_t a = 0; a < p.columns; ++a)
            for (std::size_t b = 0; b < p.columns; ++b) {
                const Rational d = g[a][b] * power(Rational(2), -matrix.exponent) -
                                   rational_from(matrix.entries[a * p.columns + b]);
                high[a][b] = (a == b ? rational_from(matrix.radius) : Rational(0)) - d;
                low[a][b] = (a == b ? rational_from(matrix.radius) : Rational(0)) + d;
            }
        EXPECT_TRUE(is_positive_semidefinite(high)) << seed;
        EXPECT_TRUE(is_positive_semidefinite(low)) << seed;
    }
}

TEST(Gram, empty_and_refused_input) {
    EXPECT_EQ(column_gram({{}, 0, 3}).entries, std::vector<double>(9));
    EXPECT_TRUE(column_gram({{}, 4, 0}).entries.empty());
    const std::vector<double> zeros(8);
    EXPECT_EQ(column_gram({zeros, 4, 2}).matrix().radius, 0);
    std::vector<double> e(6, 1.0);
    for (const double none :
         {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
        e[4] = none;
        EXPECT_THROW(static_cast<void>(column_gram({e, 2, 3})), Error);
        EXPECT_THROW(static_cast<void>(column_gram(MatrixView(e, 3, 2).transposed())), Error);
    }
    e[4] = 1;
    const std::vector<double> negative = {1, -1};
    EXPECT_THROW(static_cast<void>(column_gram({e, 2, 3}, {negative})), Error);
}
