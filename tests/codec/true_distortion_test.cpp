// The distortion of a codebook as a quantiser: against closed forms and quadrature by Arb, and to first and
// second order around the Lloyd tree.
#include "lib/codec/true_distortion.hpp"

#include "lib/codec/gaussian.hpp"
#include "lib/codec/lloyd_tree.hpp"
#include "tests/codec/enclosures.hpp"
#include "tests/codec/gaussian_oracle.hpp"

using namespace kvproof;
using namespace kvproof::testing_support;
using test::pick;

namespace {

constexpr Bits bits = 300;

Interval number(float value) {
    return Interval::from_double(value);
}

Interval rational(const Rational& value) {
    return Interval(value, bits);
}

/// A float of 12 binary places between -reach and reach.
float any_float(long reach) {
    return static_cast<float>(pick(-reach << 12, reach << 12)) * 0x1p-12F;
}

RC_GTEST_PROP(TrueDistortionProperty, depth_1_has_a_closed_form, ()) {
    const float b = any_float(3);
    const float c0 = any_float(4);
    const float c1 = any_float(4);
    const float c = any_float(2);
    const Bits accuracy = pick(40, 200);
    const std::vector<Interval> distortions = true_distortion({{{}, {b}}, {{c}, {c0, c1}}}, accuracy);
    RC_ASSERT(distortions.size() == 2U);
    RC_ASSERT(distortions[0].contains(1 + rational_from(c) * rational_from(c))); // E(Z - c)^2
    // 1 + c0^2 Phi(b) + c1^2 (1 - Phi(b)) + 2 (c0 - c1) phi(b)
    const Interval tail = tail_by_arb(number(b), bits);
    const Interval square0 = rational(rational_from(c0) * rational_from(c0));
    const Interval square1 = rational(rational_from(c1) * rational_from(c1));
    const Interval lean =
        mul(rational(2 * (rational_from(c0) - rational_from(c1))), density_by_arb(number(b), bits), bits);
    const Interval one = rational(1);
    const Interval squares = add(mul(square0, sub(one, tail, bits), bits), mul(square1, tail, bits), bits);
    const Interval truth = add(add(one, squares, bits), lean, bits);
    RC_ASSERT(distortions[1].contains(truth));
    RC_ASSERT(distortions[1].accuracy() >= accuracy);
    RC_ASSERT(!moved(distortions[1], 2).contains(truth));
}

/// Quadrature over [-12, 12]; beyond lies less than 10^-28.
Interval by_quadrature(const Codebook<float>& codebook, int t) {
    std::vector<Interval> ends = {rational(-12)};
    for (const float b : codebook.boundaries[t]) ends.push_back(number(b));
    ends.push_back(rational(12));
    Interval sum(bits);
    for (std::size_t i = 0; i + 1 < ends.size(); ++i)
        sum = add(sum, moment_by_quadrature(ends[i], ends[i + 1], number(codebook.centroids[t][i]), 2, 160),
                  bits);
    return sum;
}

TEST(TrueDistortion, of_the_binary32_table_by_quadrature) {
    const Codebook<float> table = float32_codebook(5);
    const std::vector<Interval> distortions = true_distortion(table, 100);
    const auto agree = [](const Interval& x, const Interval& y) {
        return less(abs(sub(x, y, bits)), rational(power(Rational(10), -26))) == Truth::yes;
    };
    for (int t = 0; t <= 5; ++t) {
        const Interval integral = by_quadrature(table, t);
        EXPECT_TRUE(agree(distortions[t], integral)) << t;
        Codebook<float> mutant = table;
        mutant.centroids[t][0] += 0x1p-20F;
        EXPECT_FALSE(agree(true_distortion(mutant, 100)[t], integral)) << t;
    }
}

/// Moving a boundary by s changes D by s phi(b) ((b - c_left)^2 - (b - c_right)^2) and terms of second order:
/// nothing at depths 1 and 2, where boundaries are midpoints, but not so at an inherited boundary.
Interval first_order(const LloydTree& tree, const Codebook<float>& table, int t) {
    Interval sum(bits);
    const auto& centroids = tree.codebook.centroids[t];
    for (std::size_t i = 0; i < table.boundaries[t].size(); ++i) {
        const Interval& b = tree.codebook.boundaries[t][i];
        const Interval shift = sub(number(table.boundaries[t][i]), b, bits);
        const Interval left = sqr(sub(b, centroids[i], bits), bits);
        const Interval right = sqr(sub(b, centroids[i + 1], bits), bits);
        const Interval density = gaussian_cut(point_at(b.lower()), bits).density;
        sum = add(sum, mul(mul(shift, density, bits), sub(left, right, bits), bits), bits);
    }
    return sum;
}

TEST(TrueDistortion, of_the_rounded_tree_is_the_trees_up_to_second_order) {
    const LloydTree tree = lloyd_tree(8, 128);
    const Codebook<float> table = float32_codebook(8);
    const std::vector<Interval> distortions = true_distortion(table, 128);
    const Interval second_order = rational(test::power_of_two(-46));
    bool boundaries_matter = false;
    for (int t = 1; t <= 8; ++t) {
        const Interval excess = sub(distortions[t], tree.levels[t].distortion, bits);
        const Interval first = first_order(tree, table, t);
        EXPECT_EQ(less(abs(sub(excess, first, bits)), second_order), Truth::yes) << t;
        boundaries_matter = boundaries_matter || less(abs(excess), second_order) == Truth::no;
        if (t > 2) continue;
        EXPECT_EQ(less(Interval(), excess), Truth::yes) << t; // the tree is optimal there
        EXPECT_EQ(less(excess, second_order), Truth::yes) << t;
    }
    EXPECT_TRUE(boundaries_matter); // or the first order would not have been tested
}

/// With the boundaries kept, D(c) - D(c') = P ((c - mu)^2 - (c' - mu)^2): the conditional mean is the best.
TEST(TrueDistortion, a_centroid_that_is_off_raises_it_by_its_square) {
    const LloydTree tree = lloyd_tree(3, 128);
    const Codebook<float> table = float32_codebook(3);
    const Interval own = true_distortion(table, 128)[3];
    for (std::size_t cell = 0; cell < 8; ++cell)
        for (const float shift : {-0.125F, -0x1p-10F, 0x1p-10F, 0.125F}) {
            Codebook<float> worse = table;
            worse.centroids[3][cell] += shift;
            const Interval rise = sub(true_distortion(worse, 128)[3], own, bits);
            const Interval offset =
                sub(number(worse.centroids[3][cell]), tree.codebook.centroids[3][cell], bits);
            const Interval square = mul(tree.levels[3].probabilities[cell], sqr(offset, bits), bits);
            EXPECT_EQ(less(Interval(), rise), Truth::yes);
            // the table's own centroid and boundaries are off by 2^-24 at most
            EXPECT_EQ(less(abs(sub(rise, square, bits)), rational(test::power_of_two(-24))), Truth::yes);
            EXPECT_EQ(less(abs(sub(rise, scale_by_power_of_two(square, 1), bits)),
                           rational(test::power_of_two(-34))),
                      Truth::no);
        }
}

TEST(TrueDistortion, one_minus_the_energy_is_another_number) {
    // the centroids of a file are not conditional means: 1 - sum P c^2 does not hold
    const Codebook<float> crude{{{}, {0.0F}}, {{0.0F}, {-1.0F, 1.0F}}};
    const Interval distortion = true_distortion(crude, 64)[1]; // 2 - 2 sqrt(2/pi)
    EXPECT_TRUE(rounds_to(distortion, ".4042309"));
    EXPECT_FALSE(distortion.contains(Rational(0))); // 1 - 1
}

} // namespace
