// Gram matrices in binary32: the a-priori bound against exact rationals, and the spread that stands on it.
#include "lib/attention/single_gram.hpp"

#include "lib/attention/exact_layer.hpp"
#include "lib/attention/spread.hpp"
#include "tests/attention/matrices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace kvproof;
using namespace kvproof::test;

namespace {

struct Problem {
    std::size_t rows;
    std::size_t columns;
    std::vector<double> entries;
    std::vector<double> centre;
    std::vector<double> weights; ///< in [0, 1]
    std::vector<std::uint32_t> chosen;
    [[nodiscard]] double largest_norm() const {
        const RowNorms norms = row_norms_up(entries.data(), centre.data(), rows, columns);
        return *std::ranges::max_element(norms.norms);
    }
    [[nodiscard]] WeightedRows input() const {
        return {entries.data(), columns, centre, weights, chosen, largest_norm()};
    }
    /// Over the chosen rows, with the exact differences.
    [[nodiscard]] RationalMatrix gram() const {
        RationalMatrix g(columns, std::vector<Rational>(columns));
        for (const std::uint32_t j : chosen)
            for (std::size_t a = 0; a < columns; ++a)
                for (std::size_t b = 0; b < columns; ++b) {
                    const Rational left = rational_from(entries[j * columns + a]) - rational_from(centre[a]);
                    const Rational right = rational_from(entries[j * columns + b]) - rational_from(centre[b]);
                    g[a][b] += rational_from(weights[j]) * left * right;
                }
        return g;
    }
};

/// Plain, far from the origin, of small and of widely different magnitudes; weights down to underflow.
Problem problem(std::uint64_t seed, std::uint64_t most_columns = 10) {
    Numbers numbers(seed);
    Problem p{1 + numbers.below(seed % 5 == 0 ? 300 : 40), 1 + numbers.below(most_columns), {}, {}, {}, {}};
    p.entries = numbers.normals(p.rows * p.columns);
    p.centre = numbers.normals(p.columns);
    for (double& x : p.entries) {
        if (seed % 4 == 1) x += 1000;
        if (seed % 4 == 2) x = std::ldexp(x, -500);
        if (seed % 4 == 3) x = std::ldexp(x, static_cast<int>(numbers.below(400)) - 200);
    }
    if (seed % 4 >= 2) std::ranges::fill(p.centre, 0.0);
    for (std::size_t j = 0; j < p.rows; ++j) {
        p.weights.push_back(std::ldexp(numbers.uniform(), -static_cast<int>(numbers.below(4) * 60)));
        if (numbers.below(5) != 0) p.chosen.push_back(static_cast<std::uint32_t>(j));
    }
    return p;
}

/// |entries_ab - 2^-exponent g_ab| <= relative sqrt(g_aa g_bb) + absolute for all a, b.
bool within_bound(const Gram& gram, RationalMatrix g, const Rational& relative) {
    for (auto& row : g)
        for (Rational& x : row) x *= power(Rational(2), -gram.exponent);
    for (std::size_t a = 0; a < gram.size; ++a)
        for (std::size_t b = 0; b < gram.size; ++b) {
            const Rational off = abs(rational_from(gram.entries[a * gram.size + b]) - g[a][b]);
            const Rational error = off - rational_from(gram.absolute);
            if (error > 0 && error * error > relative * relative * g[a][a] * g[b][b]) return false;
        }
    return true;
}

/// The same order of operations without tiles: blocks of 128 rows, each term with one rounding.
double plain_entry(const Problem& p, double factor, std::size_t a, std::size_t b) {
    const auto entry = [&](std::uint32_t j, std::size_t c) {
        return static_cast<float>((p.entries[j * p.columns + c] - p.centre[c]) *
                                  (factor * std::sqrt(p.weights[j])));
    };
    double total = 0;
    for (std::size_t first = 0; first < p.chosen.size(); first += 128) {
        float sum = 0;
        for (std::size_t k = first; k < std::min(p.chosen.size(), first + 128); ++k)
            sum = std::fma(entry(p.chosen[k], a), entry(p.chosen[k], b), sum);
        total += static_cast<double>(sum);
    }
    return total;
}

} // namespace

TEST(SingleGram, keeps_its_bound) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const Problem p = problem(seed);
        const Gram gram = single_gram(p.input());
        EXPECT_TRUE(within_bound(gram, p.gram(), rational_from(gram.relative))) << "seed " << seed;
        EXPECT_LT(gram.relative, 1e-5) << "seed " << seed;
    }
}

TEST(SingleGram, half_a_rounding_would_be_too_small_a_bound) {
    int broken = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const Problem p = problem(seed);
        broken += within_bound(single_gram(p.input()), p.gram(), power(Rational(2), -25)) ? 0 : 1;
    }
    EXPECT_GT(broken, 20);
}

TEST(SingleGram, bits_are_those_of_the_plain_loop_whatever_the_instructions) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const Problem p = problem(seed, 40); // one to five strips
        for (const Instructions instructions : available_instructions()) {
            const Gram gram = single_gram(p.input(), instructions);
            const double factor = std::ldexp(1.0, -gram.exponent / 2);
            for (std::size_t a = 0; a < p.columns; ++a)
                for (std::size_t b = 0; b <= a; ++b) {
                    ASSERT_EQ(gram.entries[a * gram.size + b], plain_entry(p, factor, a, b)) << seed;
                    ASSERT_EQ(gram.entries[a * gram.size + b], gram.entries[b * gram.size + a]);
                }
        }
    }
}

/// The bound holds of the whole sum, dropped rows included, and costs less than a part in 500.
TEST(SpreadUp, is_above_the_exact_eigenvalue_and_not_far) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Problem p = problem(4 * (seed / 2) + seed % 2); // of the magnitudes that values have
        Numbers numbers(seed);
        std::vector<double> logits = numbers.normals(p.rows);
        for (double& z : logits) z *= static_cast<double>(1 + seed % 7);
        const Softmax weights = softmax(logits);
        const RowNorms norms = row_norms_up(p.entries.data(), p.centre.data(), p.rows, p.columns);
        const double above = spread_up(p.entries, p.columns, weights, norms.squares, p.centre);
        p.weights = weights.probabilities;
        p.chosen.clear();
        for (std::uint32_t j = 0; j < p.rows; ++j) p.chosen.push_back(j);
        const RationalMatrix g = p.gram();
        EXPECT_TRUE(is_positive_semidefinite(shifted(g, rational_from(above)))) << "seed " << seed;
        EXPECT_FALSE(is_positive_semidefinite(shifted(g, rational_from(above * (1 - 2e-3)))))
            << "seed " << seed;
    }
}

TEST(SpreadUp, of_equal_rows_is_nearly_nothing) {
    const std::vector<double> rows(8 * 5, 1.5);
    const std::vector<double> centre(8, 1.5);
    const Softmax weights = softmax(std::vector<double>(5, 0.0));
    const RowNorms norms = row_norms_up(rows.data(), centre.data(), 5, 8);
    const double above = spread_up(rows, 8, weights, norms.squares, centre);
    EXPECT_GE(above, 0);
    EXPECT_LT(above, 1e-300);
}
