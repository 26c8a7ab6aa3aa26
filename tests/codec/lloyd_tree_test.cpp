// The Lloyd tree's numbers, computed a second way: gains without cancellation, the law of total probability
// and expectation over every split, another precision.
#include "lib/codec/lloyd_tree.hpp"

#include "tests/codec/enclosures.hpp"
#include "tests/codec/gaussian_oracle.hpp"
#include "tests/record/refusal.hpp"

using namespace kvproof;
using namespace kvproof::testing_support;
using test::pick;

namespace {

constexpr Bits bits = 512;

/// The split of one cell: the probabilities and centroids of its two children.
struct Split {
    const Interval& p_left;
    const Interval& p_right;
    const Interval& c_left;
    const Interval& c_right;
};

Split split_of(const LloydTree& tree, int t, std::size_t cell) {
    const auto& p = tree.levels[t + 1].probabilities;
    const auto& c = tree.codebook.centroids[t + 1];
    return {p[2 * cell], p[2 * cell + 1], c[2 * cell], c[2 * cell + 1]};
}

/// Delta_{t+1} as a sum of positive terms: P_l P_r / (P_l + P_r) (c_r - c_l)^2 over the splits of depth t.
Interval gain_by_splits(const LloydTree& tree, int t) {
    Interval sum(bits);
    for (std::size_t cell = 0; cell < (std::size_t{1} << t); ++cell) {
        const Split s = split_of(tree, t, cell);
        const Interval weight = div(mul(s.p_left, s.p_right, bits), add(s.p_left, s.p_right, bits), bits);
        sum = add(sum, mul(weight, sqr(sub(s.c_right, s.c_left, bits), bits), bits), bits);
    }
    return sum;
}

/// E[Q_t(Z)].
Interval mean_of(const LloydTree& tree, int t) {
    Interval sum(bits);
    for (std::size_t i = 0; i < tree.codebook.centroids[t].size(); ++i)
        sum = add(sum, mul(tree.levels[t].probabilities[i], tree.codebook.centroids[t][i], bits), bits);
    return sum;
}

Interval total_probability(const LloydTree& tree, int t) {
    Interval sum(bits);
    for (const Interval& p : tree.levels[t].probabilities) sum = add(sum, p, bits);
    return sum;
}

TEST(LloydTree, a_gain_is_what_its_splits_gain) {
    const LloydTree tree = lloyd_tree(8, 160);
    for (int t = 0; t < 8; ++t) {
        const Interval by_splits = gain_by_splits(tree, t);
        const Interval difference = sub(tree.levels[t].distortion, tree.levels[t + 1].distortion, bits);
        EXPECT_TRUE(overlap(by_splits, difference)) << t;
        EXPECT_TRUE(overlap(by_splits, *tree.levels[t + 1].gain)) << t;
        EXPECT_GE(by_splits.accuracy(), 150) << t;
        EXPECT_FALSE(overlap(by_splits, moved(difference, 2))) << t; // the mutant
    }
}

TEST(LloydTree, a_cell_is_its_two_children) {
    LloydTree tree = lloyd_tree(8, 160);
    const auto conserved = [&](int t, std::size_t cell) {
        const Split s = split_of(tree, t, cell);
        const Interval& p = tree.levels[t].probabilities[cell];
        const Interval moment = add(mul(s.p_left, s.c_left, bits), mul(s.p_right, s.c_right, bits), bits);
        return overlap(p, add(s.p_left, s.p_right, bits)) &&
               overlap(mul(p, tree.codebook.centroids[t][cell], bits), moment);
    };
    for (int t = 0; t < 8; ++t)
        for (std::size_t cell = 0; cell < (std::size_t{1} << t); ++cell) EXPECT_TRUE(conserved(t, cell));
    for (const std::size_t cell : {0, 5, 31, 90, 127}) { // mutants: one number of one child is off
        LloydTree intact = tree;
        tree.codebook.centroids[8][2 * cell] = moved(tree.codebook.centroids[8][2 * cell], 300);
        EXPECT_FALSE(conserved(7, cell)) << cell;
        tree = intact;
        tree.levels[8].probabilities[2 * cell] = moved(tree.levels[8].probabilities[2 * cell], 20);
        EXPECT_FALSE(conserved(7, cell)) << cell;
        tree = intact;
    }
}

TEST(LloydTree, probabilities_sum_to_one_and_the_mean_is_zero) {
    LloydTree tree = lloyd_tree(8, 100);
    const Rational tiny = test::power_of_two(-90);
    for (int t = 0; t <= 8; ++t) {
        EXPECT_TRUE(total_probability(tree, t).contains(Rational(1))) << t;
        EXPECT_TRUE(mean_of(tree, t).contains(Rational(0))) << t;
        EXPECT_EQ(less(width(total_probability(tree, t)), exact_point(tiny)), Truth::yes) << t;
    }
    tree.codebook.centroids[6][20] = neg(tree.codebook.centroids[6][20]);
    EXPECT_FALSE(mean_of(tree, 6).contains(Rational(0)));
    tree.levels[6].probabilities[20] = tree.levels[6].probabilities[21];
    EXPECT_FALSE(total_probability(tree, 6).contains(Rational(1)));
}

/// D(t) as the sum of the cells' integrals E[(Z - c)^2; cell], with boundaries and centroids anywhere in
/// their enclosures.
TEST(LloydTree, distortion_is_the_mean_square_error) {
    const LloydTree tree = lloyd_tree(5, 100);
    for (int t = 1; t <= 5; ++t) {
        const auto& boundaries = tree.codebook.boundaries[t];
        Interval sum(bits);
        for (std::size_t i = boundaries.size() / 2; i < boundaries.size(); ++i) {
            const Cut low = gaussian_cut(point_at(boundaries[i].lower()), bits);
            const Cut high = i + 1 < boundaries.size()
                                 ? gaussian_cut(point_at(boundaries[i + 1].lower()), bits)
                                 : cut_at_infinity();
            sum = add(sum,
                      cell_distortion(low, high, point_at(tree.codebook.centroids[t][i + 1].lower()), bits),
                      bits);
        }
        const Interval error = abs(sub(scale_by_power_of_two(sum, 1), tree.levels[t].distortion, bits));
        EXPECT_EQ(less(error, exact_point(test::power_of_two(-95))), Truth::yes) << t;
        EXPECT_EQ(less(abs(sub(sum, tree.levels[t].distortion, bits)), exact_point(test::power_of_two(-95))),
                  Truth::no); // half the line is not the whole
    }
}

RC_GTEST_PROP(LloydTreeProperty, another_precision_gives_the_same_tree_more_narrowly, ()) {
    const int depth = static_cast<int>(pick(1, 6));
    const Bits rough = pick(32, 120);
    const LloydTree wide = lloyd_tree(depth, rough);
    const LloydTree narrow = lloyd_tree(depth, rough + 60);
    const auto refined = [](const Interval& w, const Interval& n) {
        return w.is_point() ? same_ends(w, n) : overlap(w, n) && less(width(n), width(w)) == Truth::yes;
    };
    for (int t = 1; t <= depth; ++t) {
        for (std::size_t i = 0; i < wide.codebook.boundaries[t].size(); ++i)
            RC_ASSERT(refined(wide.codebook.boundaries[t][i], narrow.codebook.boundaries[t][i]));
        for (std::size_t i = 0; i < wide.codebook.centroids[t].size(); ++i) {
            RC_ASSERT(refined(wide.codebook.centroids[t][i], narrow.codebook.centroids[t][i]));
            RC_ASSERT(
                !overlap(wide.codebook.centroids[t][i], moved(narrow.codebook.centroids[t][i], 1L << 62)));
        }
        RC_ASSERT(refined(wide.levels[t].distortion, narrow.levels[t].distortion));
        RC_ASSERT(refined(*wide.levels[t].gain, *narrow.levels[t].gain));
    }
}

RC_GTEST_PROP(LloydTreeProperty, the_accuracy_asked_for_is_kept, ()) {
    const int depth = static_cast<int>(pick(0, 8));
    const Bits accuracy = pick(32, 400);
    const LloydTree tree = lloyd_tree(depth, accuracy);
    RC_ASSERT(tree.depth() == depth);
    const auto kept = [accuracy](const Interval& x) { return x.is_point() || x.accuracy() >= accuracy; };
    for (int t = 0; t <= depth; ++t) {
        RC_ASSERT(tree.codebook.boundaries[t].size() == (std::size_t{1} << t) - 1);
        RC_ASSERT(tree.codebook.centroids[t].size() == std::size_t{1} << t);
        RC_ASSERT(std::ranges::all_of(tree.codebook.boundaries[t], kept));
        RC_ASSERT(std::ranges::all_of(tree.codebook.centroids[t], kept));
        RC_ASSERT(std::ranges::all_of(tree.levels[t].probabilities, kept));
        RC_ASSERT(kept(tree.levels[t].distortion));
        RC_ASSERT(tree.levels[t].gain.has_value() == (t > 0));
        if (t > 0) RC_ASSERT(kept(*tree.levels[t].gain));
    }
    RC_ASSERT(least_accuracy(tree) >= accuracy);
    RC_ASSERT(least_accuracy(tree) < accuracy + 80); // no work that nobody asked for
}

TEST(LloydTree, a_repeated_run_gives_the_same_bytes) {
    const LloydTree first = lloyd_tree(7, 90);
    const LloydTree second = lloyd_tree(7, 90);
    EXPECT_EQ(first.working_bits, second.working_bits);
    for (int t = 0; t <= 7; ++t) {
        EXPECT_TRUE(same_ends(first.codebook.boundaries[t], second.codebook.boundaries[t]));
        EXPECT_TRUE(same_ends(first.codebook.centroids[t], second.codebook.centroids[t]));
        EXPECT_TRUE(same_ends(first.levels[t].probabilities, second.levels[t].probabilities));
        EXPECT_TRUE(same_ends(first.levels[t].distortion, second.levels[t].distortion));
    }
    EXPECT_FALSE(same_ends(first.levels[7].distortion, lloyd_tree(7, 91).levels[7].distortion));
}

TEST(LloydTree, depths_beyond_0_to_12_are_refused) {
    for (const int depth : {-1, 13, 1000})
        EXPECT_TRUE(refuses([&] { (void)lloyd_tree(depth, 64); }, ErrorCode::depth_out_of_range,
                            {"depth " + std::to_string(depth), "0 to 12"}));
    EXPECT_EQ(lloyd_tree(12, 32).codebook.centroids[12].size(), 4096U);
    EXPECT_TRUE(lloyd_tree(0, 64).levels[0].distortion.contains(Rational(1)));
}

} // namespace
