// The exhaustive search against plain enumeration of all encoders and all trees, the known answers, and
// monotony.
#include "lib/error.hpp"
#include "sim/probe/enclosing_ball.hpp"
#include "sim/probe/minimax.hpp"
#include "tests/probe/probe_trees.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

/// Places in the list of all losses that a set can have, ascending: plain numbers are fast to compare.
struct Ranks {
    std::vector<Rational> values;
    std::vector<std::vector<std::size_t>> of; ///< [queries, sets]
};

Ranks ranks_of(const Family& family) {
    const auto losses = [&](int y, std::uint64_t set) { return set_loss(family, set, y); };
    const std::uint64_t sets = std::uint64_t{1} << family.sources;
    std::set<Rational> all;
    for (int y = 0; y < family.queries; ++y)
        for (std::uint64_t set = 0; set < sets; ++set) all.insert(losses(y, set));
    Ranks out{{all.begin(), all.end()}, std::vector<std::vector<std::size_t>>(family.queries)};
    for (int y = 0; y < family.queries; ++y)
        for (std::uint64_t set = 0; set < sets; ++set)
            out.of[y].push_back(std::ranges::lower_bound(out.values, losses(y, set)) - out.values.begin());
    return out;
}

/// The risk by all 2^(wn) encoders and, for each, all trees of the class.
Rational plain_risk(const Family& family, const AccessClass& access, int bits, int probes) {
    const std::set<Heap> heaps = bits == 0 ? std::set<Heap>{Heap((1U << probes) - 1, ProbeTree::stop)}
                                           : trees_of(probes, bits, std::min(access.batches, probes));
    std::vector<std::vector<int>> leaf_of; // [trees, records]
    for (const Heap& heap : heaps) {
        leaf_of.emplace_back();
        for (std::uint32_t record = 0; record < 1U << bits; ++record)
            leaf_of.back().push_back(ProbeTree{probes, heap}.leaf(record));
    }
    const Ranks ranks = ranks_of(family);
    const std::size_t none = ranks.values.size();
    std::size_t best = none;
    for (std::uint32_t code = 0; code < 1U << (bits * family.sources); ++code) {
        std::size_t blind = none;
        std::vector<std::size_t> seeing(family.queries, none);
        for (const std::vector<int>& leaf : leaf_of) {
            std::vector<std::uint64_t> sets(std::size_t{1} << probes);
            for (int x = 0; x < family.sources; ++x)
                sets[leaf[code >> (bits * x) & ((1U << bits) - 1)]] |= std::uint64_t{1} << x;
            std::size_t worst = 0;
            for (int y = 0; y < family.queries; ++y) {
                std::size_t loss = 0;
                for (const std::uint64_t set : sets) loss = std::max(loss, ranks.of[y][set]);
                seeing[y] = std::min(seeing[y], loss);
                worst = std::max(worst, loss);
            }
            blind = std::min(blind, worst);
        }
        best = std::min(best, access.sees_query ? *std::ranges::max_element(seeing) : blind);
    }
    return ranks.values[best];
}

Family drawn_family(int most_sources) {
    Family out{.name = "drawn",
               .sources = *rc::gen::inRange(1, most_sources + 1),
               .queries = *rc::gen::inRange(1, 4),
               .dim = *rc::gen::element(1, 1, 2),
               .scale = *rc::gen::inRange(1, 4)};
    for (int i = 0; i < out.sources * out.queries * out.dim; ++i)
        out.targets.emplace_back(*rc::gen::inRange(-3, 4), *rc::gen::element(1, 2));
    return out;
}

AccessClass drawn_class() {
    return *rc::gen::elementOf(access_classes(3));
}

/// What the search says, when its protocol is one of the class and has this risk.
Rational risk_of(const Family& family, const AccessClass& access, int bits, int probes) {
    const auto found = exhaustive_risk(family, access, bits, probes);
    if (!found) throw std::runtime_error("it was not stopped");
    require_within(found->protocol, family, access, bits, probes);
    if (worst_loss(found->protocol, family) != found->risk) throw std::runtime_error("not its risk");
    return found->risk;
}

RC_GTEST_PROP(Exhaustive, is_the_least_of_all_encoders_and_trees, ()) {
    const Family family = drawn_family(4);
    const AccessClass access = drawn_class();
    const int bits = *rc::gen::inRange(0, 3);
    const int probes = *rc::gen::inRange(0, 3);
    RC_ASSERT(risk_of(family, access, bits, probes) == plain_risk(family, access, bits, probes));
}

TEST(Exhaustive, three_bits_of_five_sources) {
    // where staged and branching readers may differ: more addresses than probes, more sources than leaves
    const Family family{
        .name = "five", .sources = 5, .queries = 3, .targets = {0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 2, 2, 0, 1}};
    for (const AccessClass& access : access_classes(2))
        EXPECT_EQ(risk_of(family, access, 3, 2), plain_risk(family, access, 3, 2)) << to_string(access);
    // the enumeration tells classes and budgets apart
    const Family square = make_family("hypercube:2");
    EXPECT_NE(plain_risk(square, {true, 1}, 2, 1), risk_of(square, {false, 1}, 2, 1));
    EXPECT_NE(plain_risk(square, {false, 1}, 2, 2), risk_of(square, {false, 1}, 2, 1));
}

RC_GTEST_PROP(Exhaustive, is_monotone_in_bits_probes_and_class, ()) {
    const Family family = drawn_family(5);
    const AccessClass access = drawn_class();
    const int bits = *rc::gen::inRange(0, 3);
    const int probes = *rc::gen::inRange(0, 3);
    const Rational risk = risk_of(family, access, bits, probes);
    RC_ASSERT(risk_of(family, access, bits + 1, probes) <= risk);
    RC_ASSERT(risk_of(family, access, bits, probes + 1) <= risk);
    for (const AccessClass& other : access_classes(3))
        if (is_within(access, other)) RC_ASSERT(risk_of(family, other, bits, probes) <= risk);
}

TEST(Exhaustive, of_the_cube) {
    for (int d = 2; d <= 3; ++d) {
        const Family cube = make_family("hypercube:" + std::to_string(d));
        for (int bits = 0; bits <= 2; ++bits)
            for (const AccessClass& access : access_classes(0))
                EXPECT_EQ(risk_of(cube, access, bits, 0), Rational(1, d));
        EXPECT_EQ(risk_of(cube, {false, AccessClass::unlimited}, d, 1), Rational(1, d));
        EXPECT_EQ(risk_of(cube, {false, 1}, d, d - 1), Rational(1, d));
        EXPECT_EQ(risk_of(cube, {false, 1}, d, d), 0);
        EXPECT_EQ(risk_of(cube, {true, 1}, d, 1), 0);
        EXPECT_EQ(risk_of(cube, {true, AccessClass::unlimited}, d - 1, 1), Rational(1, d));
    }
    EXPECT_EQ(risk_of(make_family("hypercube:1"), {false, 1}, 1, 1), 0);
}

TEST(Exhaustive, of_a_pointer_needs_two_batches) {
    const Family pointer = make_family("pointer:2");
    EXPECT_EQ(risk_of(pointer, {true, 1}, 3, 2), Rational(1, 4)); // a target of 0 or 1 is not known
    EXPECT_EQ(risk_of(pointer, {true, 2}, 3, 2), 0);
    EXPECT_EQ(risk_of(pointer, {true, AccessClass::unlimited}, 3, 2), 0);
    EXPECT_EQ(risk_of(pointer, {false, AccessClass::unlimited}, 3, 2), Rational(1, 4));
}

TEST(Exhaustive, can_be_stopped_and_refuses_what_is_too_large) {
    const Family pointer = make_family("pointer:2");
    EXPECT_FALSE(exhaustive_risk(pointer, {true, 1}, 3, 2, {}, [] { return true; }));
    EXPECT_THROW((void)exhaustive_risk(make_family("hypercube:5"), {true, 1}, 1, 1), Error);
}

TEST(Exhaustive, symmetries_do_not_change_the_risk) {
    // turning the square by a quarter: sources --, -+, +-, ++ to -+, ++, --, +-
    std::vector<std::vector<int>> turns = {{0, 1, 2, 3}};
    for (int i = 1; i < 4; ++i) {
        const std::vector<int> quarter = {1, 3, 0, 2};
        std::vector<int> next;
        for (const int x : turns.back()) next.push_back(quarter[x]);
        turns.push_back(next);
    }
    const Family square = make_family("hypercube:2");
    for (const AccessClass& access : access_classes(2))
        for (int bits = 0; bits <= 3; ++bits)
            for (int probes = 0; probes <= 2; ++probes)
                EXPECT_EQ(exhaustive_risk(square, access, bits, probes, turns)->risk,
                          risk_of(square, access, bits, probes));
    EXPECT_LT(encoder_space(4, 2, turns).size(), encoder_space(4, 2).size());
}

} // namespace
