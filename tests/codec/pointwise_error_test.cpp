// eps_t = sup |u - Q_t(u)| over |u| <= 1, against brute force: on a fine grid of rationals no error is
// larger, and next to the place that is named the error is as large as is said.
#include "lib/codec/pointwise_error.hpp"

#include "lib/codec/lloyd_tree.hpp"
#include "tests/codec/codebook_generator.hpp"
#include "tests/codec/enclosures.hpp"
#include "tests/exact/generators.hpp"
#include "tests/record/refusal.hpp"

using namespace kvproof;
using namespace kvproof::testing_support;
using test::pick;

namespace {

/// Boundaries and centroids are eighths between -2 and 2, so that boundaries at -1 and 1 are frequent.
Codebook<Rational> any_codebook(int depth) {
    std::set<Rational> distinct;
    while (distinct.size() < (std::size_t{1} << depth) - 1) distinct.insert(Rational(pick(-16, 16), 8));
    Codebook<Rational> out = nested(depth, distinct);
    for (int t = 0; t <= depth; ++t) {
        const auto& boundaries = out.boundaries[t];
        for (std::size_t i = 0; i < (std::size_t{1} << t); ++i) {
            const Rational lower = i == 0 ? Rational(-3) : boundaries[i - 1];
            const Rational upper = i == boundaries.size() ? Rational(3) : boundaries[i];
            out.centroids[t].push_back(lower + (upper - lower) * Rational(pick(0, 4), 4));
        }
    }
    return out;
}

/// The cell of u by definition: how many boundaries are not above it.
std::size_t cell_by_count(const std::vector<Rational>& boundaries, const Rational& u) {
    std::size_t cell = 0;
    while (cell < boundaries.size() && boundaries[cell] <= u) ++cell;
    return cell;
}

Rational error_at(const Codebook<Rational>& codebook, int t, const Rational& u) {
    return abs(u - codebook.centroids[t][cell_by_count(codebook.boundaries[t], u)]);
}

/// The largest error on the grid of 1/n over [-1, 1].
Rational error_on_grid(const Codebook<Rational>& codebook, int t, long n) {
    Rational worst;
    for (long i = -n; i <= n; ++i) worst = std::max(worst, error_at(codebook, t, Rational(i, n)));
    return worst;
}

/// Whether it is the supremum: no grid point exceeds it, and its place is what it is said to be.
bool is_supremum(const PointwiseError<Rational>& error, const Codebook<Rational>& codebook, int t) {
    if (error_on_grid(codebook, t, 1000) > error.value) return false;
    if (abs(error.at) > 1 || abs(error.at - codebook.centroids[t][error.cell]) != error.value) return false;
    if (error.attained)
        return cell_by_count(codebook.boundaries[t], error.at) == error.cell &&
               error_at(codebook, t, error.at) == error.value;
    const Rational near = error.at - Rational(1, 1000000); // approached from below
    return cell_by_count(codebook.boundaries[t], near) == error.cell && near >= -1 &&
           cell_by_count(codebook.boundaries[t], error.at) != error.cell &&
           error_at(codebook, t, near) >= error.value - Rational(1, 1000000);
}

RC_GTEST_PROP(PointwiseErrorProperty, it_is_the_supremum, ()) {
    const int depth = static_cast<int>(pick(0, 3));
    const Codebook<Rational> codebook = any_codebook(depth);
    for (int t = 0; t <= depth; ++t) {
        PointwiseError<Rational> error = pointwise_error(codebook, t);
        RC_ASSERT(is_supremum(error, codebook, t));
        RC_ASSERT(error.value - error_on_grid(codebook, t, 1000) <= Rational(1, 1000));
        // mutants: a little less, a little more, the other kind of end
        error.value -= Rational(1, 500);
        RC_ASSERT(!is_supremum(error, codebook, t));
        error.value += Rational(1, 250);
        RC_ASSERT(!is_supremum(error, codebook, t));
        error.value -= Rational(1, 500);
        error.attained = !error.attained;
        RC_ASSERT(!is_supremum(error, codebook, t));
    }
}

Codebook<Interval> enclosed(const Codebook<Rational>& codebook) {
    Codebook<Interval> out;
    for (const auto& level : codebook.boundaries) {
        out.boundaries.emplace_back();
        for (const Rational& value : level) out.boundaries.back().emplace_back(value, 64);
    }
    for (const auto& level : codebook.centroids) {
        out.centroids.emplace_back();
        for (const Rational& value : level) out.centroids.back().emplace_back(value, 64);
    }
    return out;
}

RC_GTEST_PROP(PointwiseErrorProperty, enclosures_say_the_same_as_rationals, ()) {
    const int depth = static_cast<int>(pick(0, 3));
    const Codebook<Rational> codebook = any_codebook(depth);
    const Codebook<Interval> enclosure = enclosed(codebook);
    for (int t = 0; t <= depth; ++t) {
        const auto exact = pointwise_error(codebook, t);
        const auto error = pointwise_error(enclosure, t);
        RC_ASSERT((error.value.contains(exact.value) && error.at.contains(exact.at)));
        RC_ASSERT((error.cell == exact.cell && error.attained == exact.attained));
    }
}

RC_GTEST_PROP(PointwiseErrorProperty, cells_are_found_by_a_walk_down_the_tree, ()) {
    const int depth = static_cast<int>(pick(0, 3));
    const Codebook<Rational> codebook = any_codebook(depth);
    const Rational u(pick(-200, 200), 64);
    for (int t = 0; t <= depth; ++t) {
        RC_ASSERT(cell_of(codebook, t, u) == cell_by_count(codebook.boundaries[t], u));
        RC_ASSERT(cell_of(enclosed(codebook), t, u) == cell_by_count(codebook.boundaries[t], u));
    }
}

TEST(PointwiseError, a_boundary_at_an_end_of_the_range) {
    // boundary 1: below it the error is approached, at 1 the upper cell counts with its single point
    Codebook<Rational> codebook{{{}, {Rational(1)}}, {{Rational(0)}, {Rational(1, 2), Rational(5, 4)}}};
    auto error = pointwise_error(codebook, 1);
    EXPECT_EQ(error.value, Rational(3, 2)); // at -1, in the lower cell
    EXPECT_EQ(error.at, Rational(-1));
    EXPECT_TRUE(error.attained);
    codebook.centroids[1] = {Rational(-1, 8), Rational(9)};
    error = pointwise_error(codebook, 1);
    EXPECT_EQ(error.value, Rational(8));
    EXPECT_TRUE(error.attained && error.cell == 1 && error.at == 1);
    codebook.centroids[1] = {Rational(-1, 8), Rational(1)};
    error = pointwise_error(codebook, 1);
    EXPECT_EQ(error.value, Rational(9, 8)); // approached from below 1
    EXPECT_TRUE(!error.attained && error.cell == 0 && error.at == 1);
    // boundary -1: the cell below it holds no point of the range, however far its centroid is
    codebook = {{{}, {Rational(-1)}}, {{Rational(0)}, {Rational(-100), Rational(0)}}};
    error = pointwise_error(codebook, 1);
    EXPECT_EQ(error.value, Rational(1));
    EXPECT_TRUE(error.attained && error.cell == 1 && error.at == 1); // of -1 and 1 the larger is named
}

TEST(PointwiseError, an_enclosure_that_holds_1_is_not_decided) {
    Codebook<Interval> codebook =
        enclosed({{{}, {Rational(1)}}, {{Rational(0)}, {Rational(0), Rational(2)}}});
    EXPECT_NO_THROW((void)pointwise_error(codebook, 1));
    codebook.boundaries[1][0] = Interval::between(Rational(99, 100), Rational(101, 100), 64);
    EXPECT_TRUE(
        refuses([&] { (void)pointwise_error(codebook, 1); }, ErrorCode::precision_exhausted, {"boundary"}));
    codebook.boundaries[1][0] = Interval::between(Rational(-101, 100), Rational(-99, 100), 64);
    EXPECT_TRUE(
        refuses([&] { (void)pointwise_error(codebook, 1); }, ErrorCode::precision_exhausted, {"boundary"}));
    EXPECT_TRUE(
        refuses([&] { (void)cell_of(codebook, 1, Rational(-1)); }, ErrorCode::precision_exhausted, {}));
    EXPECT_EQ(cell_of(codebook, 1, Rational(-2)), 0U);
}

TEST(PointwiseError, the_binary32_table_and_the_tree) {
    const Codebook<Rational> table = exact_codebook(float32_codebook(8));
    const LloydTree tree = lloyd_tree(8, 100);
    for (int t = 0; t <= 8; ++t) {
        const auto error = pointwise_error(table, t);
        EXPECT_TRUE(is_supremum(error, table, t)) << t;
        const auto of_tree = pointwise_error(tree.codebook, t);
        if (t != 2) { // where the split is the midpoint of its neighbours: both sides of it are equally far
            EXPECT_EQ(of_tree.cell, error.cell) << t;
            EXPECT_EQ(of_tree.attained, error.attained) << t;
        }
        const Interval apart = sub(of_tree.value, exact_point(error.value), 4096);
        EXPECT_EQ(less(abs(apart), exact_point(test::power_of_two(-22))), Truth::yes) << t;
    }
    EXPECT_LT(pointwise_error(table, 8).value, Rational(97, 10000)); // ReadKV, Lemma 7
    EXPECT_GT(pointwise_error(table, 8).value, Rational(96, 10000));
}

} // namespace
