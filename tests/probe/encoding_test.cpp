// The clauses of docs/probe.md: as they stand there on a world small enough to write them down, and whether
// they can hold against all protocols there are.
#include "lib/error.hpp"
#include "sim/probe/encoding.hpp"
#include "sim/probe/sat_solver.hpp"
#include "tests/probe/brute_force.hpp"
#include "tests/probe/random_family.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

constexpr AccessClass blind{false, 1};
constexpr AccessClass branching{true, AccessClass::unlimited};

TEST(Encoding, of_two_sources_and_one_of_two_bits) {
    // z(0,0) z(0,1) z(1,0) z(1,1) are 1 to 4, a(0,0,0) a(0,0,1) are 5 and 6
    const ConflictLists lists{{{0b11}}, {0}};
    const Encoding encoding(lists, branching, 2, 2, 1);
    const Cnf& cnf = encoding.cnf();
    EXPECT_EQ(cnf.variables, 6);
    EXPECT_EQ(cnf.clauses,
              (std::vector<std::vector<int>>{
                  {-1}, {-3}, {-2, 4}, {5, 6}, {-5, 1, 2}, {-5, -1, -2}, {-6, 3, 4}, {-6, -3, -4}}));
}

TEST(Encoding, of_a_full_read_names_each_slot) {
    // z: 1 to 6; a(0,0,0) a(0,0,1) a(0,1,0) a(0,1,1): 7 to 10; t(0,1) t(0,2): 11, 12
    const ConflictLists lists{{{0b101}}, {0}};
    const std::vector<std::vector<int>> expected = {{-1},
                                                    {-4},
                                                    {-2, 5}, // bits
                                                    {7},
                                                    {10}, // addresses
                                                    {-7, 1, 3, 11},
                                                    {-7, -1, -3, 12}, // root
                                                    {-11, -10, 4, 6},
                                                    {-11, -10, -4, -6},
                                                    {-12, -10, 4, 6},
                                                    {-12, -10, -4, -6}}; // its children
    for (const AccessClass& access : {blind, branching}) {
        const Encoding encoding(lists, access, 3, 2, 2);
        EXPECT_EQ(encoding.cnf().variables, 12);
        EXPECT_EQ(encoding.cnf().clauses, expected);
    }
    // who does not see the query writes no more than is read
    EXPECT_EQ(Encoding(lists, blind, 3, 5, 2).cnf().clauses, expected);
}

TEST(Encoding, chooses_between_shapes) {
    // three levels in two batches: 1 + (2, 2) or 2 + (1, 1, 1, 1)
    const std::vector<TreeShape> two = shapes(3, 2);
    ASSERT_EQ(two.size(), 2U);
    EXPECT_EQ(two[0], (TreeShape{{0, 1, 3, 2, 2, 4, 4}, {true, true, false, true, false}}));
    EXPECT_EQ(two[1], (TreeShape{{0, 1, 1, 2, 3, 4, 5}, {true, false, true, true, true, true}}));
    const ConflictLists lists{{{0b11}, {0b110}}, {0, -1, 1}};
    const Encoding encoding(lists, {true, 2}, 3, 4, 3);
    const Cnf& cnf = encoding.cnf();
    const int of_list = 2 + 4 * (5 + 6) + 6;
    EXPECT_EQ(cnf.variables, 3 * 4 + 2 * of_list);
    EXPECT_EQ(cnf.clauses[7], (std::vector<int>{13, 14}));         // u of the first list
    EXPECT_EQ(cnf.clauses[8], (std::vector<int>{15, 16, 17, 18})); // its first slot
    EXPECT_EQ(cnf.clauses[10], (std::vector<int>{23, 24, 25, 26}));
    EXPECT_EQ(cnf.clauses[11], (std::vector<int>{-19, -23})); // slots 1 and 2 are a batch: they ascend
    EXPECT_EQ(cnf.clauses[12], (std::vector<int>{-20, -23}));
    EXPECT_EQ(cnf.clauses[13], (std::vector<int>{-20, -24}));
    // with a shape, together at node 2, address 3, all bits 1: to node 6, which holds slot 4 (not a leaf)
    const std::vector<int> inner = {-13, -60, -(15 + 3 * 4 + 3), -(1 + 9), -(2 + 9), 59 + 5};
    EXPECT_EQ(std::ranges::count(cnf.clauses, inner), 1);
}

TEST(Encoding, shapes_are_counted) {
    const auto count = [](int depth, int batches) { return shapes(depth, batches).size(); };
    EXPECT_EQ(count(4, 1), 1U);
    EXPECT_EQ(count(4, 2), 3U);
    EXPECT_EQ(count(4, 3), 5U); // 2^2 + 1
    EXPECT_EQ(count(4, 4), 1U);
    EXPECT_EQ(count(5, 3), 26U); // 3^2 + 2^4 + 1
    EXPECT_EQ(count(6, 4), 26U * 26 + 625 + 1);
    EXPECT_THROW((void)count(8, 4), Error);
}

RC_GTEST_PROP(EncodingProperty, holds_where_some_protocol_has_a_smaller_risk, ()) {
    const int sources = *rc::gen::inRange(2, 5);
    const Family family = random_family(sources, 3, *rc::gen::inRange(1, 3));
    const int bits = *rc::gen::inRange(1, 4);
    const int probes = *rc::gen::inRange(1, 4);
    const std::vector<AccessClass> classes = access_classes(probes);
    const AccessClass access = classes[*rc::gen::inRange<std::size_t>(0, classes.size())];
    const Rational risk = BruteForce(family).risk(access, bits, probes);
    const SmallSets sets = small_sets(family);
    for (std::size_t v = 1; v < sets.values.size(); ++v) {
        const Rational& value = sets.values[v];
        const ConflictLists lists = conflict_lists(sets, value, access.sees_query);
        const Encoding encoding(lists, access, family.sources, bits, probes);
        const SatResult result = solve(encoding.cnf());
        RC_ASSERT(result.answer == (risk < value ? SatAnswer::satisfiable : SatAnswer::unsatisfiable));
        if (risk >= value) continue;
        for (const auto& clause : encoding.cnf().clauses)
            RC_ASSERT(std::ranges::any_of(clause, [&](int literal) {
                return result.model[static_cast<std::size_t>(std::abs(literal)) - 1] == (literal > 0);
            }));
        const Protocol protocol = encoding.protocol(result.model);
        require_within(protocol, family, access, bits, probes);
        RC_ASSERT(worst_loss(protocol, family) < value);
    }
}

TEST(Encoding, gives_a_query_without_conflicts_a_tree_that_reads_nothing) {
    const ConflictLists lists{{{0b11}}, {-1, 0}};
    const Encoding encoding(lists, branching, 2, 2, 1);
    const SatResult result = solve(encoding.cnf());
    ASSERT_EQ(result.answer, SatAnswer::satisfiable);
    const Protocol protocol = encoding.protocol(result.model);
    EXPECT_EQ(protocol.trees[0], (ProbeTree{1, {ProbeTree::stop}}));
    EXPECT_NE(protocol.trees[1].leaf(protocol.records[0]), protocol.trees[1].leaf(protocol.records[1]));
}

} // namespace
