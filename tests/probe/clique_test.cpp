#include "sim/probe/clique.hpp"

#include <bit>
#include <gtest/gtest.h>
#include <random>
#include <rapidcheck/gtest.h>

using namespace kvproof;

namespace {

bool is_clique(const std::vector<std::uint64_t>& neighbours, std::uint64_t set) {
    for (std::size_t v = 0; v < neighbours.size(); ++v)
        if ((set >> v & 1U) != 0 && (set & ~neighbours[v] & ~(std::uint64_t{1} << v)) != 0) return false;
    return true;
}

RC_GTEST_PROP(CliqueProperty, is_found_exactly_where_there_is_one, ()) {
    std::mt19937_64 bits(*rc::gen::arbitrary<std::uint64_t>());
    const std::size_t n = 1 + bits() % 11;
    const std::uint64_t percent = bits() % 101;
    std::vector<std::uint64_t> neighbours(n);
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < a; ++b)
            if (bits() % 100 < percent) {
                neighbours[a] |= std::uint64_t{1} << b;
                neighbours[b] |= std::uint64_t{1} << a;
            }
    std::size_t largest = 0;
    for (std::uint64_t set = 0; set < std::uint64_t{1} << n; ++set)
        if (is_clique(neighbours, set)) largest = std::max<std::size_t>(largest, std::popcount(set));
    for (std::size_t bound = 0; bound <= n; ++bound) {
        const std::vector<int> found = clique_above(neighbours, bound);
        RC_ASSERT(found.empty() == (bound >= largest));
        std::uint64_t set = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            RC_ASSERT(
                (i == 0 || found[i - 1] < found[i])); // without its own brackets both sides are evaluated
            set |= std::uint64_t{1} << static_cast<unsigned>(found[i]);
        }
        RC_ASSERT(is_clique(neighbours, set));
        RC_ASSERT((found.empty() || found.size() > bound));
    }
}

TEST(Clique, of_64_vertices) {
    std::vector<std::uint64_t> all(64);
    for (std::size_t v = 0; v < 64; ++v) all[v] = ~(std::uint64_t{1} << v);
    EXPECT_EQ(clique_above(all, 63).size(), 64U);
    EXPECT_TRUE(clique_above(all, 64).empty());
    all[0] = all[63] = 0; // two that know nobody: neighbours are asked for both ways
    for (std::size_t v = 1; v < 63; ++v) all[v] &= ~(std::uint64_t{1} | std::uint64_t{1} << 63U);
    EXPECT_TRUE(clique_above(all, 62).empty());
}

} // namespace
