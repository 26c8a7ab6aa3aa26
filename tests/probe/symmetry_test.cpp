#include "sim/probe/symmetry.hpp"

#include "lib/error.hpp"
#include "symmetry_families.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <rapidcheck/gtest.h>
#include <set>

namespace kvproof {
namespace {

bool keeps_distances(const Family& family, const Symmetry& symmetry) {
    for (int y = 0; y < family.queries; ++y) {
        const std::vector<Rational> before = distances(family, y);
        const std::vector<Rational> after = distances(family, symmetry.queries[static_cast<std::size_t>(y)]);
        const auto n = static_cast<std::size_t>(family.sources);
        for (std::size_t x = 0; x < n; ++x)
            for (std::size_t other = 0; other < n; ++other)
                if (before[x * n + other] != after[static_cast<std::size_t>(symmetry.sources[x]) * n +
                                                   static_cast<std::size_t>(symmetry.sources[other])])
                    return false;
    }
    return true;
}

std::vector<Symmetry> of(const std::string& name) {
    return symmetries(distinct_queries(make_family(name)).family);
}

} // namespace

TEST(Symmetry, QueriesThatDifferBySignAreOne) {
    const QueryClasses classes = distinct_queries(make_family("hypercube:3"));
    EXPECT_EQ(classes.representative, (std::vector<int>{0, 2, 4}));
    EXPECT_EQ(classes.class_of, (std::vector<int>{0, 0, 1, 1, 2, 2}));
    EXPECT_EQ(classes.family.query_names.size(), 3U);
    EXPECT_EQ(distinct_queries(make_family("sparse:3,2")).representative.size(), 6U);
}

// The signed permutations: 2^d d! of them, transitive on the vertices, and on the vertices and axes together.
TEST(Symmetry, TheHypercubeHasTheHyperoctahedralGroup) {
    EXPECT_EQ(of("hypercube:2").size(), 8U);
    EXPECT_EQ(of("hypercube:3").size(), 48U);
    EXPECT_EQ(of("hypercube:4").size(), 384U);
    for (const char* name : {"hypercube:2", "hypercube:3", "hypercube:4"}) {
        const Family family = distinct_queries(make_family(name)).family;
        EXPECT_EQ(pair_orbits(family, symmetries(family)).sizes.size(), 1U) << name;
    }
}

// By hand: the sources 0, 1, 2 and the masks {0,1}, {0,2} have the exchange of 1 and 2.
TEST(Symmetry, ThreeSourcesAndTwoMasks) {
    const std::vector<Symmetry> group = of("labels:110,101");
    ASSERT_EQ(group.size(), 2U);
    EXPECT_EQ(group[1], (Symmetry{{0, 2, 1}, {1, 0}}));
    EXPECT_EQ(pair_orbits(make_family("labels:110,101"), group).of, (std::vector<int>{0, 0, 1, 2, 2, 1}));
}

// By hand: both stored bits may be complemented at once, and exchanged together with the selector.
TEST(Symmetry, APointerHasFour) {
    EXPECT_EQ(of("pointer:2").size(), 4U);
}

TEST(Symmetry, TooManyAreNone) {
    const Family family = distinct_queries(make_family("hypercube:3")).family;
    EXPECT_EQ(symmetries(family, 48).size(), 48U);
    const std::vector<Symmetry> one = symmetries(family, 47);
    ASSERT_EQ(one.size(), 1U);
    EXPECT_TRUE(std::ranges::is_sorted(one[0].sources));
    EXPECT_EQ(source_symmetries(make_family("hypercube:3")).size(), 48U);
}

TEST(Symmetry, RefusesQueriesThatAreAlike) {
    EXPECT_THROW((void)symmetries(make_family("hypercube:2")), Error);
}

// A second way: try all renamings of the sources, and for each all of the queries.
RC_GTEST_PROP(Symmetry, AgreesWithTryingAllPermutations, ()) {
    const Family family = distinct_queries(*tiny_family(5, 3, 2)).family;
    std::set<std::vector<int>> expected;
    Symmetry tried{std::vector<int>(static_cast<std::size_t>(family.sources)), {}};
    std::iota(tried.sources.begin(), tried.sources.end(), 0);
    do {
        tried.queries.resize(static_cast<std::size_t>(family.queries));
        std::iota(tried.queries.begin(), tried.queries.end(), 0);
        do {
            if (keeps_distances(family, tried)) expected.insert(tried.sources);
        } while (std::ranges::next_permutation(tried.queries).found);
    } while (std::ranges::next_permutation(tried.sources).found);
    const std::vector<Symmetry> found = symmetries(family);
    std::set<std::vector<int>> sources;
    for (const Symmetry& symmetry : found) {
        RC_ASSERT(keeps_distances(family, symmetry));
        sources.insert(symmetry.sources);
    }
    RC_ASSERT(sources == expected);
    RC_ASSERT(sources.size() == found.size());
}

RC_GTEST_PROP(Symmetry, OrbitsAreWhatTheGroupMovesAPairTo, ()) {
    const Family family = distinct_queries(*tiny_family()).family;
    const std::vector<Symmetry> group = symmetries(family);
    const PairOrbits orbits = pair_orbits(family, group);
    RC_ASSERT(std::accumulate(orbits.sizes.begin(), orbits.sizes.end(), 0) ==
              family.sources * family.queries);
    for (int pair = 0; pair < family.sources * family.queries; ++pair) {
        std::set<int> images;
        for (const Symmetry& symmetry : group)
            images.insert(symmetry.sources[static_cast<std::size_t>(pair / family.queries)] * family.queries +
                          symmetry.queries[static_cast<std::size_t>(pair % family.queries)]);
        const int orbit = orbits.of[static_cast<std::size_t>(pair)];
        RC_ASSERT(static_cast<int>(images.size()) == orbits.sizes[static_cast<std::size_t>(orbit)]);
        for (const int image : images) RC_ASSERT(orbits.of[static_cast<std::size_t>(image)] == orbit);
    }
}

} // namespace kvproof
