// Probe trees and protocols: batches against all batch structures, leaves against a walk, and what is no
// protocol.
#include "lib/error.hpp"
#include "tests/probe/probe_trees.hpp"

#include <gtest/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

/// For each tree of this depth the fewest batches, by building all that j batches can request.
std::map<Heap, int> fewest_batches(int depth, int bits) {
    std::map<Heap, int> out;
    for (int batches = 0; batches <= depth; ++batches)
        for (const Heap& tree : trees_of(depth, bits, batches)) out.emplace(tree, batches);
    return out;
}

TEST(Protocol, batches_are_the_fewest_of_all_structures) {
    for (const auto& [depth, bits, count] :
         {std::tuple{1, 3, 4}, std::tuple{2, 3, 49}, std::tuple{3, 2, 723}}) {
        const std::map<Heap, int> fewest = fewest_batches(depth, bits);
        EXPECT_EQ(fewest.size(), static_cast<std::size_t>(count)); // f(d) = 1 + w f(d-1)^2: all there are
        bool depth_would_do = true;
        for (const auto& [heap, batches] : fewest) {
            EXPECT_EQ((ProbeTree{depth, heap}.batches()), batches) << testing::PrintToString(heap);
            depth_would_do = depth_would_do && batches == depth;
        }
        EXPECT_FALSE(depth_would_do);
    }
}

TEST(Protocol, a_leaf_is_the_bits_read) {
    for (const Heap& heap : trees_of(3, 2, 3))
        for (std::uint32_t record = 0; record < 4; ++record) {
            int bits = 0;
            std::size_t node = 1; // numbered from 1: node n leads to 2n and 2n + 1
            for (int level = 0; level < 3; ++level) {
                const int address = heap[node - 1];
                const int bit = address < 0 ? 0 : static_cast<int>(record >> address & 1U);
                bits = 2 * bits + bit;
                node = 2 * node + bit;
            }
            EXPECT_EQ((ProbeTree{3, heap}.leaf(record)), bits);
        }
}

Family two_queries() {
    return {.name = "two", .sources = 2, .queries = 2, .targets = {0, 1, 3, 1}};
}

bool fits(const Protocol& protocol, const AccessClass& access, int bits, int probes) {
    try {
        require_within(protocol, two_queries(), access, bits, probes);
        return true;
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::internal);
        return false;
    }
}

TEST(Protocol, beyond_its_class_or_budget_is_refused) {
    const ProbeTree branching{2, {0, 1, 2}};
    const AccessClass any{true, AccessClass::unlimited};
    const Protocol good{3, {5, 2}, {branching, branching}};
    EXPECT_TRUE(fits(good, any, 3, 2));
    EXPECT_TRUE(fits(good, {true, 2}, 3, 3));
    EXPECT_FALSE(fits(good, {true, 1}, 3, 2));
    EXPECT_FALSE(fits(good, any, 2, 2));
    EXPECT_FALSE(fits(good, any, 3, 1));
    EXPECT_FALSE(fits(good, {false, AccessClass::unlimited}, 3, 2)); // sees the query
    EXPECT_TRUE(fits({3, {5, 2}, {branching}}, {false, AccessClass::unlimited}, 3, 2));
    EXPECT_FALSE(fits({3, {5, 2}, {branching}}, {false, 1}, 3, 2));
    EXPECT_FALSE(fits({3, {8, 2}, {branching, branching}}, any, 3, 2));                    // 4 bits
    EXPECT_FALSE(fits({3, {5}, {branching, branching}}, any, 3, 2));                       // one source
    EXPECT_FALSE(fits({3, {5, 2}, {branching, {2, {0, 1, 3}}}}, any, 3, 2));               // address 3
    EXPECT_FALSE(fits({3, {5, 2}, {branching, {2, {0, 1}}}}, any, 3, 2));                  // half a tree
    EXPECT_FALSE(fits({3, {5, 2}, {branching, {2, {ProbeTree::stop, 1, 2}}}}, any, 3, 2)); // reads on
}

TEST(Protocol, loses_the_worst_leaf_of_the_worst_query) {
    const ProbeTree first{1, {0}};
    const ProbeTree nothing{1, {ProbeTree::stop}};
    EXPECT_EQ(worst_loss({1, {0, 1}, {first, first}}, two_queries()), 0);
    EXPECT_EQ(worst_loss({1, {0, 1}, {nothing, first}}, two_queries()), Rational(9, 4));
    EXPECT_EQ(worst_loss({1, {0, 1}, {first, nothing}}, two_queries()), 0);
    EXPECT_EQ(leaves({1, {1, 0}, {first, nothing}}, 0), (std::vector<std::uint64_t>{2, 1}));
    EXPECT_EQ(leaves({1, {1, 0}, {first, nothing}}, 1), (std::vector<std::uint64_t>{3, 0}));
}

} // namespace
