// The separation table: the paper's instance, the definition of each column, and where certification ends.
#include "proofs/readkv/separation.hpp"

#include "tests/codec/enclosures.hpp"
#include "tests/exact/generators.hpp"
#include "tests/proofs/decided.hpp"

using namespace kvproof;
using namespace kvproof::testing_support;
using test::pick;

namespace {

constexpr Bits bits = 160;

TEST(Separation, the_instance_of_the_paper) {
    const auto rows = separations(quantities(), 128, 256, bits);
    ASSERT_EQ(rows.size(), 128U);
    const Separation& row = rows[31];
    EXPECT_EQ(row.k, 32);
    EXPECT_EQ(row.depth, 8);
    EXPECT_EQ(row.certified, Truth::yes);
    EXPECT_TRUE(rounds_to(row.factor, "4.907659053433"));
    EXPECT_FALSE(rounds_to(row.factor, "4.907659053433", 1));
    EXPECT_TRUE(rounds_to(row.converse, ".014637458")); // 1/(8 pi e)
}

/// For w = 8 d, r = 2 d: depth 8 separates up to k = 157, where floor(r/k) allows it.
TEST(Separation, certification_ends_where_the_registry_says) {
    const auto rows = separations(quantities(), 1024, 2048, bits);
    for (const Separation& row : rows) {
        if (row.depth == 8) {
            EXPECT_EQ(row.certified, row.k <= 157 ? Truth::yes : Truth::no) << row.k;
        }
    }
    EXPECT_EQ(rows[156].depth, 8);
    EXPECT_EQ(rows[157].depth, 8);
}

RC_GTEST_PROP(SeparationProperty, every_row_is_what_it_is_defined_to_be, ()) {
    const long d = pick(1, 200);
    const long r = pick(1, 8 * d);
    const auto rows = separations(quantities(), d, r, bits);
    RC_ASSERT(rows.size() == static_cast<std::size_t>(std::min(d, r)));
    const std::string exponent = "(- 1 (/ " + std::to_string(2 * r) + " " + std::to_string(d) + "))";
    const Interval converse =
        enclose(parse_expr("(/ (exp (* (log 2) " + exponent + ")) (* pi e))"), {}, no_quantities(), 2 * bits);
    for (const Separation& row : rows) {
        RC_ASSERT(row.depth == static_cast<int>(std::min<long>(8, r / row.k)));
        RC_ASSERT(
            (row.depth >= 1 && row.k * row.depth <= r && (row.depth == 8 || row.k * (row.depth + 1) > r)));
        RC_ASSERT(overlap(row.converse, converse));
        const Interval epsilon = quantities().enclose("lloyd.epsilon." + std::to_string(row.depth), 2 * bits);
        const Interval achieved = mul(exact_point(Rational(row.k)), sqr(epsilon, 2 * bits), 2 * bits);
        RC_ASSERT(overlap(row.achieved, achieved));
        RC_ASSERT(row.certified == less(achieved, converse));
        RC_ASSERT(row.certified == less(Interval(Rational(1), 2), row.factor));
        RC_ASSERT(!overlap(moved(row.achieved, 1L << 60), achieved));
    }
}

TEST(Separation, falls_with_the_sparsity_and_with_the_reads) {
    const auto rows = separations(quantities(), 128, 256, bits);
    for (std::size_t i = 1; i < rows.size(); ++i) {
        EXPECT_LE(rows[i].depth, rows[i - 1].depth);
        EXPECT_EQ(less(rows[i].factor, rows[i - 1].factor), Truth::yes);
        EXPECT_EQ(less(rows[i - 1].achieved, rows[i].achieved), Truth::yes);
    }
    for (long r = 1; r < 1024; r += 37)
        EXPECT_EQ(less(converse_coefficient(128, r + 1, bits), converse_coefficient(128, r, bits)),
                  Truth::yes);
    EXPECT_TRUE(overlap(converse_coefficient(64, 128, bits), converse_coefficient(128, 256, bits)));
}

} // namespace
