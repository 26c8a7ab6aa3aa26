// The tree's numbers that are known from elsewhere: closed forms, printed tables, and its own binary32
// rounding.
#include "lib/codec/lloyd_tree.hpp"

#include "tests/codec/codebook_generator.hpp"
#include "tests/codec/enclosures.hpp"
#include "tests/codec/gaussian_oracle.hpp"

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

TEST(LloydTreeValues, closed_forms_of_depth_1) {
    const LloydTree tree = lloyd_tree(2, 300);
    const auto root_of_two_over_pi = [](arb_ptr out, slong bits) {
        arb_const_pi(out, bits);
        arb_ui_div(out, 2, out, bits);
        arb_sqrt(out, out, bits);
    };
    const auto two_over_pi = [](arb_ptr out, slong bits) {
        arb_const_pi(out, bits);
        arb_ui_div(out, 2, out, bits);
    };
    const Interval centroid = test::enclosure_by(root_of_two_over_pi, 600);
    EXPECT_TRUE(tree.codebook.centroids[1][1].contains(centroid));
    EXPECT_TRUE(tree.codebook.centroids[1][0].contains(neg(centroid)));
    EXPECT_TRUE(tree.levels[1].gain->contains(test::enclosure_by(two_over_pi, 600)));
    EXPECT_FALSE(tree.levels[2].gain->contains(test::enclosure_by(two_over_pi, 600)));
    EXPECT_TRUE(tree.codebook.boundaries[1][0].is_point());
    EXPECT_TRUE(tree.levels[1].probabilities[0].contains(Rational(1, 2)));
}

TEST(LloydTreeValues, the_printed_row_of_distortions) {
    const LloydTree tree = lloyd_tree(8, 64);
    const std::vector<std::string> printed = {".3634",   ".1175",   ".03484",  ".009796",
                                              ".002663", ".000708", ".000185", ".00004795"};
    for (std::size_t t = 1; t <= 8; ++t) {
        EXPECT_TRUE(rounds_to(tree.levels[t].distortion, printed[t - 1])) << t;
        EXPECT_FALSE(rounds_to(tree.levels[t].distortion, printed[t - 1], 1)) << t; // a unit more
        EXPECT_FALSE(rounds_to(tree.levels[t].distortion, printed[t - 1], -1)) << t;
    }
}

/// Max's table for 2 and 4 levels: there the tree is the optimal quantiser.
TEST(LloydTreeValues, the_classical_quantisers_of_2_and_4_levels) {
    const LloydTree tree = lloyd_tree(2, 64);
    EXPECT_TRUE(rounds_to(tree.levels[1].distortion, ".36338023"));
    EXPECT_TRUE(rounds_to(tree.levels[2].distortion, ".11748185"));
    EXPECT_TRUE(rounds_to(tree.codebook.centroids[2][2], ".452780"));
    EXPECT_TRUE(rounds_to(tree.codebook.centroids[2][3], "1.510418"));
    EXPECT_FALSE(rounds_to(tree.codebook.centroids[2][3], "1.510417"));
    EXPECT_TRUE(rounds_to(tree.codebook.boundaries[2][2], ".9816"));
}

Interval distance(const Interval& x, float value) {
    return abs(sub(x, Interval::from_double(value), 512));
}

/// Nearest: both neighbouring binary32 numbers are certainly farther.
bool is_nearest(const Interval& x, float value) {
    const Interval own = distance(x, value);
    return less(own, distance(x, of_rank(rank_of(value) + 1))) == Truth::yes &&
           less(own, distance(x, of_rank(rank_of(value) - 1))) == Truth::yes;
}

TEST(LloydTreeValues, every_entry_of_the_binary32_table_is_the_nearest) {
    const LloydTree tree = lloyd_tree(8, 200);
    const Codebook<float> table = float32_codebook(8);
    ASSERT_EQ(table.depth(), 8);
    for (int t = 0; t <= 8; ++t) {
        ASSERT_EQ(table.boundaries[t].size(), tree.codebook.boundaries[t].size());
        ASSERT_EQ(table.centroids[t].size(), tree.codebook.centroids[t].size());
        for (std::size_t i = 0; i < table.boundaries[t].size(); ++i)
            EXPECT_TRUE(is_nearest(tree.codebook.boundaries[t][i], table.boundaries[t][i])) << t << " " << i;
        for (std::size_t i = 0; i < table.centroids[t].size(); ++i) {
            const float entry = table.centroids[t][i];
            EXPECT_TRUE(is_nearest(tree.codebook.centroids[t][i], entry)) << t << " " << i;
            EXPECT_FALSE(is_nearest(tree.codebook.centroids[t][i], of_rank(rank_of(entry) + 1)));
            EXPECT_FALSE(is_nearest(tree.codebook.centroids[t][i], of_rank(rank_of(entry) - 1)));
        }
    }
}

TEST(LloydTreeValues, a_shallow_table_is_the_beginning_of_a_deep_one) {
    const Codebook<float> deep = float32_codebook(8);
    const Codebook<float> shallow = float32_codebook(3);
    for (int t = 0; t <= 3; ++t) {
        EXPECT_EQ(shallow.boundaries[t], deep.boundaries[t]);
        EXPECT_EQ(shallow.centroids[t], deep.centroids[t]);
    }
    EXPECT_NE(shallow.centroids[3], std::vector<float>(8, 0.0F));
}

} // namespace
