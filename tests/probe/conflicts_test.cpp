// Conflicts against their definition: over all sets of sources, of whatever size.
#include "lib/error.hpp"
#include "sim/probe/conflicts.hpp"
#include "sim/probe/enclosing_ball.hpp"
#include "tests/probe/random_family.hpp"

#include <algorithm>
#include <bit>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

std::vector<int> members(std::uint64_t set) {
    std::vector<int> out;
    for (int x = 0; x < 64; ++x)
        if ((set >> static_cast<unsigned>(x) & 1U) != 0) out.push_back(x);
    return out;
}

/// All sets that `loses` and of which no proper subset does, in the documented order.
template <class Loses>
std::vector<std::uint64_t> minimal_sets(int sources, const Loses& loses) {
    std::vector<std::uint64_t> out;
    for (std::uint64_t set = 0; set < std::uint64_t{1} << static_cast<unsigned>(sources); ++set) {
        if (!loses(set)) continue;
        bool is_minimal = true;
        for (std::uint64_t part = (set - 1) & set; part != 0 && is_minimal; part = (part - 1) & set)
            is_minimal = !loses(part);
        if (is_minimal) out.push_back(set);
    }
    std::ranges::sort(out, [](std::uint64_t a, std::uint64_t b) {
        return std::pair(std::popcount(a), members(a)) < std::pair(std::popcount(b), members(b));
    });
    return out;
}

RC_GTEST_PROP(ConflictsProperty, the_lists_are_the_minimal_sets_that_lose_too_much, ()) {
    const Family family = random_family(6, 4, *rc::gen::inRange(1, 3));
    const SmallSets sets = small_sets(family);
    if (sets.values.size() == 1) return; // nothing conflicts
    const Rational value = sets.values[*rc::gen::inRange<std::size_t>(1, sets.values.size())];

    const ConflictLists seen = conflict_lists(sets, value, true);
    std::vector<std::vector<std::uint64_t>> lists;
    for (int y = 0; y < family.queries; ++y) {
        const auto list = minimal_sets(family.sources,
                                       [&](std::uint64_t set) { return set_loss(family, set, y) >= value; });
        if (list.empty()) {
            RC_ASSERT(seen.list_of[static_cast<std::size_t>(y)] == -1);
            continue;
        }
        if (std::ranges::find(lists, list) == lists.end()) lists.push_back(list);
        RC_ASSERT(seen.lists.at(static_cast<std::size_t>(seen.list_of[static_cast<std::size_t>(y)])) == list);
    }
    RC_ASSERT(seen.lists == lists);

    const ConflictLists blind = conflict_lists(sets, value, false);
    const auto all = minimal_sets(family.sources, [&](std::uint64_t set) {
        for (int y = 0; y < family.queries; ++y)
            if (set_loss(family, set, y) >= value) return true;
        return false;
    });
    RC_ASSERT((blind.lists == std::vector<std::vector<std::uint64_t>>{all}));
    RC_ASSERT(std::ranges::all_of(blind.list_of, [](int list) { return list == 0; }));

    const auto graph = conflict_graph(sets, value, family.sources);
    for (int a = 0; a < family.sources; ++a)
        for (int b = 0; b < family.sources; ++b) {
            const std::uint64_t pair =
                std::uint64_t{1} << static_cast<unsigned>(a) | std::uint64_t{1} << static_cast<unsigned>(b);
            RC_ASSERT((graph[static_cast<std::size_t>(a)] >> static_cast<unsigned>(b) & 1U) ==
                      (a != b && std::ranges::count(all, pair) == 1 ? 1U : 0U));
        }
}

RC_GTEST_PROP(ConflictsProperty, thresholds_are_what_any_set_can_lose, ()) {
    const Family family = random_family(6, 3, *rc::gen::inRange(1, 3));
    std::set<Rational> values;
    for (std::uint64_t set = 0; set < std::uint64_t{1} << static_cast<unsigned>(family.sources); ++set)
        for (int y = 0; y < family.queries; ++y) values.insert(set_loss(family, set, y));
    RC_ASSERT(thresholds(family) == std::vector<Rational>(values.begin(), values.end()));
}

TEST(Conflicts, of_a_triangle_are_pairs_or_the_three) {
    const SmallSets sets = small_sets(triangle());
    const Rational pair(13, 8);    // two points sqrt(13) apart, two coordinates
    const Rational three(169, 72); // the circumradius is 13/6
    using Lists = std::vector<std::vector<std::uint64_t>>;
    EXPECT_EQ(sets.values, (std::vector<Rational>{0, pair, 2, three}));
    EXPECT_EQ(conflict_lists(sets, three, true).lists, (Lists{{0b111}}));
    EXPECT_EQ(conflict_lists(sets, 2, true).lists, (Lists{{0b011}}));
    EXPECT_EQ(conflict_lists(sets, pair, true).lists, (Lists{{0b011, 0b101, 0b110}}));
}

TEST(Conflicts, of_too_many_sets_are_refused) {
    Family family{.name = "wide", .sources = 64, .queries = 1, .dim = 8, .scale = 1};
    family.targets.resize(64 * 8);
    try {
        (void)small_sets(family);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_option);
        EXPECT_NE(std::string(error.what()).find("\"wide\""), std::string::npos);
    }
}

} // namespace
