// The converses: the theorems' constants, an independent evaluation, and exact risks that must lie above.
#include "sim/probe/converse.hpp"
#include "sim/probe/minimax.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

using namespace kvproof;

namespace {

constexpr Bits accuracy = 128;

Converse converse_of(const std::string& name, int bits, int probes) {
    return *query_independent_converse(make_family(name), bits, probes, accuracy);
}

/// Whether a double, good to 1e-13, agrees with the enclosure.
bool agrees(const Interval& x, double value) {
    const double lower = nearest_float64(x.lower_rational());
    const double upper = nearest_float64(x.upper_rational());
    return std::abs(lower - value) <= 1e-13 * value && std::abs(upper - value) <= 1e-13 * value &&
           x.accuracy() > 100;
}

TEST(Converse, of_theorem_1) {
    for (const auto& [name, d] :
         {std::pair{"hypercube:3", 3}, {"sparse:4,2", 4}, {"grid:2,5", 2}, {"hadamard:2", 2}})
        for (const int bits : {0, 2, 7})
            for (const int probes : {0, 1, 3, 8}) {
                const double transcript = std::min(bits, probes);
                const double bound =
                    std::exp2(1 - 2 * transcript / d) / (std::numbers::pi * std::numbers::e * d);
                EXPECT_TRUE(agrees(converse_of(name, bits, probes).solid, bound)) << name;
                EXPECT_FALSE(agrees(converse_of(name, bits, probes).solid, bound * 1.000001));
            }
    // r = 2d: 1/(8 pi e) over d
    EXPECT_TRUE(agrees(converse_of("hypercube:4", 32, 8).solid, 0.014637457881079790 / 4));
}

TEST(Converse, of_theorem_2) {
    // at r = 10: tanh(5)^2 2^-9 / (pi e) > 2.28e-4; the family's p is near 1/(1+e^-10)
    const Interval bound = converse_of("attention:3", 32, 10).solid;
    EXPECT_GT(bound.lower_rational(), parse_rational("2.28e-4"));
    const double share = 22025.0 / 22027;
    EXPECT_TRUE(agrees(bound, share * share * std::exp2(-9) / (std::numbers::pi * std::numbers::e)));
    EXPECT_FALSE(converse_of("attention:3", 32, 10).finite);
    EXPECT_TRUE(agrees(converse_of("attention:2", 1, 10).solid, // no more than the record is read
                       share * share / (std::numbers::pi * std::numbers::e)));
}

TEST(Converse, of_the_vertices_is_the_entropy_bound) {
    for (const auto& [name, d] : {std::pair{"hypercube:3", 3}, {"sparse:3,2", 3}, {"hadamard:4", 4}})
        for (int probes = 0; probes < d; ++probes) {
            const double bound = std::pow(1 - static_cast<double>(probes) / d, std::log(4)) / d;
            EXPECT_TRUE(agrees(*converse_of(name, 8, probes).finite, bound)) << name << probes;
        }
    EXPECT_EQ(converse_of("hypercube:3", 8, 3).finite->upper_rational(), 0);
    EXPECT_EQ(converse_of("hypercube:3", 8, 9).finite->upper_rational(), 0);
    EXPECT_FALSE(converse_of("grid:2,3", 8, 1).finite);
    EXPECT_TRUE(converse_of("grid:2,2", 8, 1).finite);
    EXPECT_FALSE(query_independent_converse(make_family("pointer:2"), 3, 2, accuracy));
}

/// The inequality behind the vertex bound, on a fine grid: 4p(1-p) >= h(p)^(ln 4).
TEST(Converse, entropy_is_below_the_power_of_the_variance) {
    for (int i = 1; i < 1000; ++i) {
        const double p = i / 1000.0;
        const double entropy = -p * std::log2(p) - (1 - p) * std::log2(1 - p);
        EXPECT_GE(4 * p * (1 - p) + 1e-15, std::pow(entropy, std::log(4)));
    }
}

TEST(Converse, no_query_independent_risk_is_below_the_finite_bound) {
    int below_a_seeing_one = 0;
    for (const char* name :
         {"hypercube:2", "hypercube:3", "sparse:2,2", "sparse:3,2", "sparse:3,3", "hadamard:2", "grid:2,2"}) {
        const Family family = make_family(name);
        for (int probes = 0; probes <= 3; ++probes) {
            const Rational bound =
                query_independent_converse(family, probes, probes, accuracy)->finite->lower_rational();
            const auto risk = [&](bool sees_query) {
                return exhaustive_risk(family, {sees_query, AccessClass::unlimited}, probes, probes)->risk;
            };
            EXPECT_GE(risk(false), bound) << name << " " << probes;
        }
        const Rational at_one = query_independent_converse(family, 3, 1, accuracy)->finite->lower_rational();
        if (exhaustive_risk(family, {true, 1}, 3, 1)->risk < at_one) ++below_a_seeing_one;
    }
    EXPECT_GT(below_a_seeing_one, 0); // readers that see the query do go below: the check can fail
}

/// An optimal coin-free reader of one bit of the square loses 1/2, the best with coins 1/4: the bound, 0.19,
/// is below.
TEST(Converse, of_the_square_is_near_the_known_risk) {
    const Rational bound = converse_of("hypercube:2", 2, 1).finite->upper_rational();
    EXPECT_LT(bound, Rational(1, 4));
    EXPECT_GT(bound, Rational(19, 100));
    EXPECT_LT(converse_of("hypercube:3", 3, 1).finite->upper_rational(), Rational(2, 9));
    EXPECT_LT(converse_of("hypercube:4", 4, 1).finite->upper_rational(), Rational(3, 16));
}

} // namespace
