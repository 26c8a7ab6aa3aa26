// What ReadKV reaches: against Theorem 1's and 2's formulas on the stored table, against an allocation of
// one's own, and against the reader's own answers.
#include "lib/codec/pointwise_error.hpp"
#include "lib/error.hpp"
#include "sim/probe/readkv_reach.hpp"

#include <gtest/gtest.h>
#include <numeric>

using namespace kvproof;

namespace {

const NestedCode& deployed() {
    static const NestedCode code = gaussian_code(8);
    return code;
}

Rational centroid(int depth, int cell) {
    return rational_from(deployed().codebook.centroids[depth][cell]);
}

/// Q_t(1): 1 lies in the second cell from the top from depth 2 on where the boundary above is beyond 1; the
/// walk decides, by comparing with the float32 boundaries.
Rational quantised(const Rational& z, int depth) {
    std::size_t below = 0;
    for (const float boundary : deployed().codebook.boundaries[depth])
        below += rational_from(boundary) <= z ? 1 : 0;
    return centroid(depth, static_cast<int>(below));
}

/// Depths by giving each of r refinements to the largest weighted gain, the first coordinate on equal ones.
std::vector<int> greedy(const std::vector<Rational>& q, int stored, int probes) {
    std::vector<int> depths(q.size());
    for (int spent = 0; spent < probes; ++spent) {
        int best = -1;
        Rational gain = 0;
        for (std::size_t i = 0; i < q.size(); ++i) {
            if (depths[i] == stored) continue;
            const Rational here = q[i] * q[i] * rational_from(deployed().gain[depths[i]]);
            if (here > gain) {
                gain = here;
                best = static_cast<int>(i);
            }
        }
        if (best < 0) break;
        ++depths[best];
    }
    return depths;
}

/// The worst squared error of inner products by that allocation.
Rational by_greedy(const Family& family, int bits, int probes) {
    const int d = static_cast<int>(family.source_points[0].size());
    const int stored = std::min(8, bits / d);
    Rational worst = 0;
    for (const auto& q : family.query_points) {
        const std::vector<int> depths = greedy(q, stored, probes);
        for (const auto& z : family.source_points) {
            Rational off = 0;
            for (int i = 0; i < d; ++i) off += q[i] * (z[i] - quantised(z[i], depths[i]));
            worst = std::max(worst, Rational(off * off / Rational(family.scale)));
        }
    }
    return worst;
}

const std::vector<std::string> inner_products = {"hypercube:1", "hypercube:2", "hypercube:3", "sparse:3,2",
                                                 "sparse:4,3",  "grid:2,4",    "grid:3,3",    "hadamard:1",
                                                 "hadamard:2",  "hadamard:4"};

TEST(ReadKvReach, of_inner_products_is_what_the_allocation_says) {
    for (const std::string& name : inner_products) {
        const Family family = make_family(name);
        const int d = static_cast<int>(family.source_points[0].size());
        for (const int bits : {0, d - 1, d, 2 * d, 5 * d, 8 * d, 9 * d + 1})
            for (const int probes : {0, 1, 2, 3, 5, 8, 12}) {
                const auto reach = readkv_reach(family, deployed(), bits, probes);
                ASSERT_TRUE(reach);
                EXPECT_EQ(reach->risk, by_greedy(family, bits, probes))
                    << name << " " << bits << " " << probes;
                EXPECT_LE(reach->bits_read, static_cast<std::uint64_t>(probes));
                EXPECT_EQ(reach->stored_depth, std::min(8, bits / d));
                EXPECT_LE(reach->largest_deviation, 1e-12) << name;
            }
    }
    // one probe less is another number: the comparison can fail
    const Family cube = make_family("hypercube:2");
    EXPECT_NE(readkv_reach(cube, deployed(), 16, 1)->risk, by_greedy(cube, 16, 2));
}

TEST(ReadKvReach, is_within_theorem_1) {
    const Codebook<Rational> exact = exact_codebook(deployed().codebook);
    for (const int depth : {1, 2, 4, 8}) { // L = W, r = L k
        const Rational epsilon = pointwise_error(exact, depth).value;
        for (const auto& [name, k] : {std::pair{"hypercube:3", 1}, {"sparse:3,2", 2}, {"grid:3,3", 1}}) {
            const auto reach = readkv_reach(make_family(name), deployed(), 3 * depth, depth * k);
            EXPECT_LE(reach->risk, k * epsilon * epsilon / 3) << name;
            EXPECT_GT(reach->risk, 0);
        }
    }
}

TEST(ReadKvReach, of_the_obstruction) {
    // E.1.3: all depths are 2 at r = 2d, and x = y = e_j loses (Q_2(1) - 1)^2 whatever d
    const Rational loss = centroid(2, 3) - 1;
    EXPECT_EQ(readkv_reach(make_family("hadamard:4"), deployed(), 32, 8)->risk, loss * loss);
    EXPECT_EQ(readkv_reach(make_family("hadamard:2"), deployed(), 16, 4)->risk, loss * loss);
    EXPECT_GT(loss * loss, parse_rational("0.26052610"));
}

/// Theorem 2's answer from two key bits and `probes - 2` value bits, all on the likelier token first.
Rational attention_by_hand(const Family& family, int bits, int probes) {
    const int stored = std::min(8, bits / 4);
    const Rational p(22026, 22027);
    const int near = std::min(stored, probes - 2);
    const int far = std::min(stored, probes - 2 - near);
    Rational worst = 0;
    for (const auto& source : family.source_points)
        for (const int eta : {-1, 1}) {
            const int chosen = eta * source[0] == 1 ? 1 : 2;
            const Rational& v = source[chosen];
            const Rational& other = source[3 - chosen];
            const Rational off = p * (v - quantised(v, near)) + (1 - p) * (other - quantised(other, far));
            worst = std::max(worst, Rational(off * off));
        }
    return worst;
}

TEST(ReadKvReach, of_attention_is_theorem_2) {
    for (const char* name : {"attention:2", "attention:3", "attention:5"}) {
        const Family family = make_family(name);
        for (const int bits : {4, 8, 20, 32, 33})
            for (const int probes : {2, 3, 5, 10, 12, 16}) {
                const auto reach = readkv_reach(family, deployed(), bits, probes);
                ASSERT_TRUE(reach);
                EXPECT_EQ(reach->risk, attention_by_hand(family, bits, probes))
                    << name << bits << " " << probes;
                EXPECT_LE(reach->bits_read, static_cast<std::uint64_t>(probes));
                EXPECT_LE(reach->largest_deviation, 1e-12);
            }
        EXPECT_EQ(readkv_reach(family, deployed(), 32, 10)->bits_read, 10U);
        EXPECT_LT(readkv_reach(family, deployed(), 32, 10)->risk, parse_rational("9.50e-5"));
    }
}

TEST(ReadKvReach, does_not_speak_where_the_layout_does_not_fit) {
    for (const char* name : {"pointer:2", "labels:1010,0110"})
        EXPECT_FALSE(readkv_reach(make_family(name), deployed(), 8, 4)) << name;
    const Family attention = make_family("attention:2");
    EXPECT_FALSE(readkv_reach(attention, deployed(), 3, 2));
    EXPECT_FALSE(readkv_reach(attention, deployed(), 4, 1));
    EXPECT_TRUE(readkv_reach(attention, deployed(), 4, 2));
}

} // namespace
