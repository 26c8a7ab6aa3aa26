// Every split exists within its enclosure: by split_exists, and by the signs that Arb finds at its ends. A
// boundary that is a little off is not certified.
#include "lib/codec/lloyd_tree.hpp"

#include "tests/codec/enclosures.hpp"
#include "tests/codec/gaussian_oracle.hpp"

using namespace kvproof;
using namespace kvproof::testing_support;
using test::pick;

namespace {

/// c(a, b) by Arb; b may be +infinity.
Interval centroid_by_arb(mpfr_srcptr a, mpfr_srcptr b, Bits bits) {
    const Interval low = point_at(a);
    if (mpfr_inf_p(b) != 0) return div(density_by_arb(low, bits), tail_by_arb(low, bits), bits);
    const Interval high = point_at(b);
    return div(sub(density_by_arb(low, bits), density_by_arb(high, bits), bits),
               sub(tail_by_arb(low, bits), tail_by_arb(high, bits), bits), bits);
}

/// 2 m - c(l, m) - c(m, u).
Interval gap_by_arb(mpfr_srcptr l, mpfr_srcptr m, mpfr_srcptr u, Bits bits) {
    return sub(scale_by_power_of_two(point_at(m), 1),
               add(centroid_by_arb(l, m, bits), centroid_by_arb(m, u, bits), bits), bits);
}

/// For a cell above zero: the gap is negative at the lower ends, positive at the upper ends.
bool split_exists_by_arb(const Codebook<Interval>& tree, int t, std::size_t cell, Bits bits) {
    Interval infinity = Interval::whole();
    mpfr_set_inf(infinity.mutable_lower(), 1);
    const auto& above = tree.boundaries[t];
    const Interval& l = above[cell - 1];
    const Interval& u = cell == above.size() ? infinity : above[cell];
    const Interval& m = tree.boundaries[t + 1][2 * cell];
    const Interval below = gap_by_arb(l.lower(), m.lower(), u.lower(), bits);
    const Interval beyond = gap_by_arb(l.upper(), m.upper(), u.upper(), bits);
    return mpfr_sgn(below.upper()) < 0 && mpfr_sgn(beyond.lower()) > 0;
}

TEST(LloydTreeSplit, every_split_of_depth_8_exists) {
    const LloydTree tree = lloyd_tree(8, 100);
    const Bits bits = 2 * tree.working_bits;
    for (int t = 0; t < 8; ++t)
        for (std::size_t cell = 0; cell < (std::size_t{1} << t); ++cell)
            EXPECT_EQ(split_exists(tree.codebook, t, cell, bits), Truth::yes) << t << " " << cell;
}

/// Walking the tree with cuts remembered decides as asking for each split by itself does.
TEST(LloydTreeSplit, all_splits_at_once) {
    const LloydTree tree = lloyd_tree(6, 100);
    const auto one_by_one = [](const Codebook<Interval>& codebook, Bits bits) {
        std::uint64_t count = 0;
        for (int t = 0; t < codebook.depth(); ++t)
            for (std::size_t cell = 0; cell < (std::size_t{1} << t); ++cell)
                count += split_exists(codebook, t, cell, bits) == Truth::yes ? 1 : 0;
        return count;
    };
    const Bits bits = 2 * tree.working_bits;
    EXPECT_EQ(existing_splits(tree.codebook, bits), 63U);
    EXPECT_EQ(existing_splits(tree.codebook, 20), one_by_one(tree.codebook, 20));
    EXPECT_LT(existing_splits(tree.codebook, 20), 63U);
    for (const std::size_t boundary : {0U, 9U, 16U, 22U, 30U}) { // on both sides of 0
        Codebook<Interval> mutant = tree.codebook;
        mutant.boundaries[5][boundary & ~1U] = moved(mutant.boundaries[5][boundary & ~1U], 3);
        EXPECT_EQ(existing_splits(mutant, bits), one_by_one(mutant, bits)) << boundary;
        EXPECT_LT(existing_splits(mutant, bits), 63U) << boundary;
        mutant = tree.codebook; // an enclosure that loses its upper end no longer has both signs
        Interval& cut_off = mutant.boundaries[5][boundary & ~1U];
        cut_off = join_ends(cut_off, point_at(cut_off.lower()));
        EXPECT_LT(existing_splits(mutant, bits), 63U) << boundary;
    }
}

TEST(LloydTreeSplit, arb_finds_the_same_signs) {
    const LloydTree tree = lloyd_tree(8, 100);
    const Bits bits = 2 * tree.working_bits;
    for (int t = 1; t < 8; ++t)
        for (std::size_t cell = (std::size_t{1} << t) / 2; cell < (std::size_t{1} << t); ++cell)
            EXPECT_TRUE(split_exists_by_arb(tree.codebook, t, cell, bits)) << t << " " << cell;
}

TEST(LloydTreeSplit, a_boundary_that_is_off_is_not_certified) {
    const LloydTree tree = lloyd_tree(6, 100);
    const Bits bits = 2 * tree.working_bits;
    for (int t = 1; t < 6; ++t)
        for (std::size_t cell = (std::size_t{1} << t) / 2; cell < (std::size_t{1} << t); ++cell)
            for (const long widths : {-3, 3}) {
                Codebook<Interval> mutant = tree.codebook;
                Interval& boundary = mutant.boundaries[t + 1][2 * cell];
                boundary = moved(boundary, widths);
                EXPECT_NE(split_exists(mutant, t, cell, bits), Truth::yes) << t << " " << cell;
                EXPECT_FALSE(split_exists_by_arb(mutant, t, cell, bits)) << t << " " << cell;
            }
    Codebook<Interval> mutant = tree.codebook;
    mutant.boundaries[1][0] = exact_point(test::power_of_two(-100)); // the root splits at 0, by symmetry
    EXPECT_EQ(split_exists(mutant, 0, 0, bits), Truth::no);
}

TEST(LloydTreeSplit, a_parent_that_is_off_is_noticed_by_its_children) {
    const LloydTree tree = lloyd_tree(5, 100);
    const Bits bits = 2 * tree.working_bits;
    Codebook<Interval> mutant = tree.codebook;
    mutant.boundaries[3][4] =
        moved(mutant.boundaries[3][4], 50); // the upper end of cell 4, lower end of cell 5
    EXPECT_NE(split_exists(mutant, 3, 4, bits), Truth::yes);
    EXPECT_NE(split_exists(mutant, 3, 5, bits), Truth::yes);
    EXPECT_EQ(split_exists(mutant, 3, 6, bits), Truth::yes);
}

/// A wider enclosure of a boundary still holds the split, an empty precision cannot tell.
TEST(LloydTreeSplit, what_is_wider_is_true_and_what_is_too_coarse_is_unknown) {
    const LloydTree tree = lloyd_tree(5, 100);
    Codebook<Interval> wider = tree.codebook;
    Interval& boundary = wider.boundaries[5][20];
    boundary = hull(moved(boundary, -5), moved(boundary, 5));
    EXPECT_EQ(split_exists(wider, 4, 10, 2 * tree.working_bits), Truth::yes);
    EXPECT_EQ(split_exists(tree.codebook, 4, 10, 24), Truth::unknown);
}

/// f(m) = 2 m - c(l, m) - c(m, u) rises at least as fast as the variances of the two children: uniqueness.
RC_GTEST_PROP(LloydTreeSplitProperty, the_gap_rises_by_the_variances_of_the_children, ()) {
    constexpr Bits bits = 400;
    const Interval l = exact_point(Rational(pick(-5000, 4000), 1000));
    const Interval m = add(l, exact_point(Rational(pick(10, 2000), 1000)), 4096);
    const Interval u = add(m, exact_point(Rational(pick(10, 2000), 1000)), 4096);
    const Interval h = exact_point(test::power_of_two(-40));
    const Cut left = gaussian_cut(l, bits);
    const Cut right = gaussian_cut(u, bits);
    const auto gap = [&](const Cut& at) {
        return sub(scale_by_power_of_two(at.x, 1),
                   add(cell_centroid(left, at, bits), cell_centroid(at, right, bits), bits), bits);
    };
    const Cut at = gaussian_cut(m, bits);
    const Cut next = gaussian_cut(add(m, h, 4096), bits);
    const Interval slope = div(sub(gap(next), gap(at), bits), h, bits);
    const Interval variances = add(cell_variance(left, at, bits), cell_variance(at, right, bits), bits);
    const Interval slack = exact_point(test::power_of_two(-30));
    RC_ASSERT(less(sub(variances, slack, bits), slope) == Truth::yes);
    RC_ASSERT(less(slope, Interval(Rational(2), 2)) == Truth::yes); // both centroids rise too
}

} // namespace
