// The named quantities: each is the number that the library computes under that name, unknown names are
// refused, and a user's table takes the stored table's place.
#include "proofs/quantities.hpp"

#include "lib/codec/lloyd_max.hpp"
#include "lib/codec/pointwise_error.hpp"
#include "lib/codec/true_distortion.hpp"
#include "tests/codec/enclosures.hpp"
#include "tests/proofs/decided.hpp"
#include "tests/record/refusal.hpp"

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

constexpr Bits bits = 128;

Interval value(const std::string& name) {
    return quantities().enclose(name, bits);
}

TEST(Quantities, of_the_exact_tree) {
    const LloydTree tree = lloyd_tree(8, 200);
    for (int t = 1; t <= 8; ++t) {
        const std::string depth = std::to_string(t);
        EXPECT_TRUE(overlap(value("lloyd.distortion." + depth), tree.levels[t].distortion));
        EXPECT_TRUE(overlap(value("lloyd.gain." + depth), *tree.levels[t].gain));
        EXPECT_FALSE(overlap(value("lloyd.gain." + depth), tree.levels[t].distortion));
        EXPECT_GE(value("lloyd.gain." + depth).accuracy(), bits);
        EXPECT_TRUE(overlap(value("lloyd.epsilon." + depth), pointwise_error(tree.codebook, t).value));
        EXPECT_TRUE(overlap(value("lloydmax.distortion." + depth), lloyd_max(t, 200).distortion));
    }
    EXPECT_TRUE(value("lloyd.distortion.0").contains(Rational(1)));
    for (std::size_t j = 0; j < 7; ++j)
        EXPECT_TRUE(overlap(value("lloyd.boundary.3." + std::to_string(j)), tree.codebook.boundaries[3][j]));
    for (std::size_t j = 0; j < 8; ++j)
        EXPECT_TRUE(overlap(value("lloyd.centroid.3." + std::to_string(j)), tree.codebook.centroids[3][j]));
    EXPECT_TRUE(overlap(value("lloyd.value.2.1"), tree.codebook.centroids[2][3]));
    EXPECT_TRUE(overlap(value("lloyd.value.2.-1"), tree.codebook.centroids[2][0]));
    EXPECT_TRUE(overlap(value("lloyd.value.1.0"), tree.codebook.centroids[1][1])); // a boundary goes up
    EXPECT_TRUE(overlap(value("lloyd.distortion.12"), lloyd_tree(12, 40).levels[12].distortion));
}

TEST(Quantities, of_the_stored_table) {
    const Codebook<float> table = float32_codebook(8);
    const Codebook<Rational> exact = exact_codebook(table);
    EXPECT_EQ(quantities().table().centroids, table.centroids);
    EXPECT_EQ(quantities().exact("float32.centroid.3.5"), exact.centroids[3][5]);
    EXPECT_EQ(quantities().exact("float32.boundary.3.5"), exact.boundaries[3][5]);
    EXPECT_EQ(quantities().exact("float32.epsilon.8"), pointwise_error(exact, 8).value);
    EXPECT_EQ(quantities().exact("float32.value.2.-1"), exact.centroids[2][0]);
    EXPECT_NE(quantities().exact("float32.value.2.-1"), exact.centroids[2][1]);
    const std::vector<Interval> distortions = true_distortion(table, 200);
    for (int t = 1; t <= 8; ++t) {
        const std::string depth = std::to_string(t);
        EXPECT_TRUE(overlap(value("codebook.distortion." + depth), distortions[t]));
        EXPECT_TRUE(overlap(value("codebook.gain." + depth), sub(distortions[t - 1], distortions[t], 256)));
        EXPECT_GE(value("codebook.gain." + depth).accuracy(), bits - 24);
        EXPECT_FALSE(quantities().exact("codebook.gain." + depth).has_value());
        EXPECT_FALSE(quantities().exact("lloyd.gain." + depth).has_value());
    }
    EXPECT_TRUE(value("float32.gain.3").contains(*quantities().exact("float32.gain.3")));
}

/// One rounding of the exact gain, to nearest: not the difference of two rounded distortions.
TEST(Quantities, a_stored_gain_is_the_exact_gain_rounded_once) {
    const LloydTree tree = lloyd_tree(8, 200);
    bool a_difference_would_differ = false;
    for (int t = 1; t <= 8; ++t) {
        const Rational stored = *quantities().exact("float32.gain." + std::to_string(t));
        const Rational gain = tree.levels[t].gain->lower_rational();
        const float rounded = nearest_float32(gain);
        EXPECT_EQ(stored, rational_from(rounded));
        const auto distance = [&](float x) { return abs(rational_from(x) - gain); };
        EXPECT_LT(distance(rounded), distance(std::nextafter(rounded, 1.0F)));
        EXPECT_LT(distance(rounded), distance(std::nextafter(rounded, 0.0F)));
        const auto rounded_distortion = [&](int depth) {
            return rational_from(nearest_float32(tree.levels[depth].distortion.lower_rational()));
        };
        a_difference_would_differ =
            a_difference_would_differ || rounded_distortion(t - 1) - rounded_distortion(t) != stored;
    }
    EXPECT_TRUE(a_difference_would_differ);
}

TEST(Quantities, unknown_names_are_refused) {
    for (const char* name : {"",
                             "lloyd",
                             "lloyd.gain",
                             "lloyd.gain.",
                             "lloyd.gain.0",
                             "lloyd.gain.13",
                             "lloyd.gain.-1",
                             "lloyd.gain.1.1",
                             "lloyd.gain.1x",
                             "lloyd.gain. 1",
                             "lloyd.gain.+1",
                             "lloyd.gain.99999999999999999999",
                             "lloyd.loss.1",
                             "Lloyd.gain.1",
                             "lloyd.boundary.3",
                             "lloyd.boundary.3.7",
                             "lloyd.boundary.3.-1",
                             "lloyd.centroid.3.8",
                             "lloyd.centroid.3.4.1",
                             "lloydmax.distortion.0",
                             "lloydmax.distortion.11",
                             "lloydmax.gain.1",
                             "lloydmax.epsilon.1",

                             "float32.gain.0",
                             "float32.distortion.1",
                             "float32.centroid.9.0",
                             "codebook.gain.9",
                             "codebook.gain.0",
                             "codebook.epsilon.8",
                             "codebook.distortion.9",
                             "a.b.c",
                             "lloyd..1"}) {
        EXPECT_TRUE(
            refuses([&] { (void)quantities().enclose(name, 64); }, ErrorCode::unknown_quantity, {name}))
            << name;
    }
}

Codebook<float> shallow_table() {
    Codebook<float> table = float32_codebook(3);
    table.centroids[2][3] += 0.125F;
    return table;
}

TEST(Quantities, a_users_table_takes_the_stored_tables_place) {
    const CertifiedQuantities user(shallow_table());
    EXPECT_TRUE(user.has_user_table());
    EXPECT_FALSE(quantities().has_user_table());
    EXPECT_EQ(user.exact("float32.value.2.1"), *quantities().exact("float32.value.2.1") + Rational(1, 8));
    // its gains are its own true gains, rounded once, not those of the tree
    for (int t = 1; t <= 3; ++t) {
        const std::string depth = std::to_string(t);
        const Interval gain = user.enclose("codebook.gain." + depth, bits);
        EXPECT_EQ(user.exact("float32.gain." + depth), rational_from(*shared_float32(gain)));
        EXPECT_EQ(overlap(gain, value("codebook.gain." + depth)), t == 1) << t;
    }
    EXPECT_NE(user.exact("float32.gain.2"), quantities().exact("float32.gain.2"));
    // the exact tree is what it was
    EXPECT_TRUE(overlap(user.enclose("lloyd.gain.8", bits), value("lloyd.gain.8")));
    for (const char* deeper : {"float32.gain.4", "float32.epsilon.8", "codebook.gain.4",
                               "codebook.distortion.4", "float32.value.4.0"})
        EXPECT_TRUE(refuses([&] { (void)user.enclose(deeper, 64); }, ErrorCode::unknown_quantity, {}));
}

TEST(Quantities, an_epsilon_says_where_it_is_taken) {
    const std::string exact = quantities().where_attained("float32.epsilon.8", bits);
    EXPECT_EQ(exact, "u = 16468495/16777216, an end of cell 192, attained there");
    const std::string enclosed = quantities().where_attained("lloyd.epsilon.8", bits);
    EXPECT_TRUE(enclosed.starts_with("u = 0.981598821567793")) << enclosed;
    EXPECT_TRUE(enclosed.ends_with("an end of cell 192, attained there")) << enclosed;
    EXPECT_EQ(quantities().where_attained("lloyd.gain.8", bits), "");
    EXPECT_EQ(quantities().where_attained("codebook.gain.8", bits), "");
}

TEST(Quantities, tell_which_belong_to_the_table) {
    EXPECT_TRUE(CertifiedQuantities::is_of_table("float32.gain.1"));
    EXPECT_TRUE(CertifiedQuantities::is_of_table("codebook.distortion.3"));
    EXPECT_FALSE(CertifiedQuantities::is_of_table("lloyd.gain.1"));
    EXPECT_FALSE(CertifiedQuantities::is_of_table("lloydmax.distortion.1"));
}

} // namespace
