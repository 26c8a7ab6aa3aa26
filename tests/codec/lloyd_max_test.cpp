// The optimal quantiser of 2^t levels: against published tables, its own stationarity, Lloyd's iteration in
// double and the nested tree.
#include "lib/codec/lloyd_max.hpp"

#include "lib/codec/gaussian.hpp"
#include "lib/codec/lloyd_tree.hpp"
#include "tests/codec/enclosures.hpp"
#include "tests/codec/gaussian_oracle.hpp"
#include "tests/record/refusal.hpp"

#include <cmath>
#include <limits>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

TEST(LloydMax, the_published_distortions) {
    const std::vector<std::string> published = {".36338023", ".11748185", ".03454776", ".00950101"};
    for (int t = 1; t <= 4; ++t) {
        const Interval distortion = lloyd_max(t, 64).distortion;
        EXPECT_TRUE(rounds_to(distortion, published[t - 1])) << t;
        EXPECT_FALSE(rounds_to(distortion, published[t - 1], 1)) << t;
        EXPECT_FALSE(rounds_to(distortion, published[t - 1], -1)) << t;
    }
}

TEST(LloydMax, the_published_levels) {
    const std::vector<std::vector<std::string>> published = {
        {".452780", "1.510418"},
        {".245094", ".756005", "1.343909", "2.151946"},
        {".128395", ".388048", ".656759", ".942340", "1.256231", "1.618046", "2.069017", "2.732590"}};
    for (int t = 2; t <= 4; ++t) {
        const std::vector<Interval> centroids = lloyd_max(t, 64).centroids;
        const auto& positive = published[t - 2];
        ASSERT_EQ(centroids.size(), 2 * positive.size());
        for (std::size_t i = 0; i < positive.size(); ++i) {
            EXPECT_TRUE(rounds_to(centroids[positive.size() + i], positive[i])) << positive[i];
            EXPECT_TRUE(rounds_to(neg(centroids[positive.size() - 1 - i]), positive[i])) << positive[i];
            EXPECT_FALSE(rounds_to(centroids[positive.size() + i], positive[i], 1)) << positive[i];
        }
    }
}

/// 2 b_i - c_i - c_{i+1} holds zero, the centroids taken anew, by Arb, from the enclosures of the boundaries.
bool stationary(const std::vector<Interval>& boundaries, std::size_t i) {
    constexpr Bits bits = 400;
    const auto centroid = [&](std::size_t j, bool upper) { // c_{j+1} = c(b_j, b_{j+1}) at one end of each
        const auto end = [&](std::size_t k) {
            return point_at(upper ? boundaries[k].upper() : boundaries[k].lower());
        };
        const bool last = j + 1 == boundaries.size();
        const Interval zero(bits);
        const Interval density = last ? zero : density_by_arb(end(j + 1), bits);
        const Interval tail = last ? zero : tail_by_arb(end(j + 1), bits);
        return div(sub(density_by_arb(end(j), bits), density, bits),
                   sub(tail_by_arb(end(j), bits), tail, bits), bits);
    };
    const Interval below = join_ends(centroid(i - 1, false), centroid(i - 1, true));
    const Interval above = join_ends(centroid(i, false), centroid(i, true));
    return sub(scale_by_power_of_two(boundaries[i], 1), add(below, above, bits), bits).contains(Rational(0));
}

TEST(LloydMax, every_boundary_is_the_midpoint_of_its_neighbours_and_no_other_is) {
    for (int t = 2; t <= 7; ++t) {
        LloydMax found = lloyd_max(t, 100);
        const std::size_t middle = found.boundaries.size() / 2;
        EXPECT_TRUE(found.boundaries[middle].contains(Rational(0)));
        for (std::size_t i = middle + 1; i < found.boundaries.size(); ++i) {
            EXPECT_TRUE(stationary(found.boundaries, i)) << t << " " << i;
            const Interval kept = found.boundaries[i];
            for (const long widths : {-40, 40}) {
                found.boundaries[i] = moved(kept, widths);
                EXPECT_FALSE(stationary(found.boundaries, i)) << t << " " << i;
            }
            found.boundaries[i] = kept;
        }
    }
}

TEST(LloydMax, the_certificate_is_what_the_proof_asks_for) {
    for (int t = 2; t <= 8; ++t) {
        const LloydMax found = lloyd_max(t, 80);
        EXPECT_EQ(less(Interval(), found.dominance), Truth::yes);
        // the residual over the dominance bounds how far the true boundaries are from the point that was
        // tried
        const Interval reach = div(found.residual, found.dominance, 200);
        for (const Interval& b : found.boundaries) {
            if (b.is_point()) continue;
            EXPECT_EQ(less(scale_by_power_of_two(reach, 1), width(b)), Truth::yes);
        }
        EXPECT_GE(found.distortion.accuracy(), 80);
        // the row sums are at least the sum of two variances, which is below their largest possible value 2
        EXPECT_EQ(less(found.dominance, Interval(Rational(2), 2)), Truth::yes);
    }
}

/// Lloyd's iteration in plain double, from equal steps.
std::vector<double> lloyd_iteration(std::size_t levels) {
    const auto density = [](double x) {
        return std::exp(-x * x / 2) / std::sqrt(2 * 3.14159265358979323846);
    };
    const auto tail = [](double x) { return std::erfc(x / std::sqrt(2.0)) / 2; };
    const std::size_t half = levels / 2;
    std::vector<double> centroids(half);
    for (std::size_t i = 0; i < half; ++i)
        centroids[i] = 2.5 * (static_cast<double>(i) + 0.5) / static_cast<double>(half);
    const double infinity = std::numeric_limits<double>::infinity();
    for (int round = 0; round < 20000; ++round) {
        std::vector<double> ends = {0};
        for (std::size_t i = 0; i + 1 < half; ++i) ends.push_back((centroids[i] + centroids[i + 1]) / 2);
        ends.push_back(infinity);
        for (std::size_t i = 0; i < half; ++i)
            centroids[i] = (density(ends[i]) - density(ends[i + 1])) / (tail(ends[i]) - tail(ends[i + 1]));
    }
    return centroids;
}

TEST(LloydMax, lloyds_iteration_converges_to_it) {
    for (int t = 1; t <= 5; ++t) {
        const std::vector<double> iterated = lloyd_iteration(std::size_t{1} << t);
        const std::vector<Interval> centroids = lloyd_max(t, 64).centroids;
        for (std::size_t i = 0; i < iterated.size(); ++i)
            EXPECT_NEAR(mpfr_get_d(centroids[iterated.size() + i].lower(), MPFR_RNDN), iterated[i], 1e-10);
    }
}

TEST(LloydMax, nesting_costs_nothing_at_depths_1_and_2_and_something_from_3_on) {
    const LloydTree tree = lloyd_tree(8, 100);
    for (int t = 1; t <= 8; ++t) {
        const Interval best = lloyd_max(t, 100).distortion;
        const Interval& nested = tree.levels[t].distortion;
        if (t <= 2)
            EXPECT_TRUE(overlap(best, nested)) << t;
        else
            EXPECT_EQ(less(best, nested), Truth::yes) << t;
        // and what is optimal improves with every bit, by less than a factor 4
        if (t == 8) continue;
        const Interval next = lloyd_max(t + 1, 100).distortion;
        EXPECT_EQ(less(next, best), Truth::yes);
        EXPECT_EQ(less(best, scale_by_power_of_two(next, 2)), Truth::yes);
    }
    const auto penalty = [&](int t) {
        return div(tree.levels[t].distortion, lloyd_max(t, 100).distortion, 200);
    };
    EXPECT_TRUE(rounds_to(penalty(3), "1.00840"));
    EXPECT_TRUE(rounds_to(penalty(4), "1.03103"));
}

/// Newton's method doubles what is right with each step, also where 64 or 128 bits are little of it.
TEST(LloydMax, any_precision_and_any_number_of_levels) {
    for (const auto& [t, accuracy] : {std::pair{5, 1200L}, {8, 500L}, {9, 64L}, {10, 64L}}) {
        const LloydMax found = lloyd_max(t, accuracy);
        EXPECT_GE(found.distortion.accuracy(), accuracy) << t;
        EXPECT_LT(found.distortion.accuracy(), accuracy + 200) << t; // a single attempt sufficed
        EXPECT_TRUE(overlap(found.distortion, lloyd_max(t, 40).distortion)) << t;
    }
}

TEST(LloydMax, symmetric_ascending_and_deterministic) {
    for (int t = 1; t <= 6; ++t) {
        const LloydMax found = lloyd_max(t, 70);
        const LloydMax again = lloyd_max(t, 70);
        ASSERT_EQ(found.centroids.size(), std::size_t{1} << t);
        ASSERT_EQ(found.boundaries.size(), (std::size_t{1} << t) - 1);
        EXPECT_TRUE(same_ends(found.centroids, again.centroids) &&
                    same_ends(found.boundaries, again.boundaries));
        for (std::size_t i = 0; i < found.centroids.size(); ++i) {
            EXPECT_TRUE(same_ends(found.centroids[i], neg(found.centroids[found.centroids.size() - 1 - i])));
            if (i == 0) continue;
            EXPECT_EQ(less(found.centroids[i - 1], found.boundaries[i - 1]), Truth::yes);
            EXPECT_EQ(less(found.boundaries[i - 1], found.centroids[i]), Truth::yes);
        }
    }
    for (const int t : {-3, 0, 11})
        EXPECT_TRUE(refuses([&] { (void)lloyd_max(t, 64); }, ErrorCode::depth_out_of_range, {"1 to 10"}));
}

} // namespace
