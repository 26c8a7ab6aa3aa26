// Deterministic risks three ways: by the solver, by trying every encoder up to symmetry, by brute force.
#include "lib/error.hpp"
#include "sim/probe/conflicts.hpp"
#include "sim/probe/deterministic.hpp"
#include "sim/probe/enclosing_ball.hpp"
#include "sim/probe/minimax.hpp"
#include "tests/probe/brute_force.hpp"
#include "tests/probe/naive_rup.hpp"
#include "tests/probe/random_family.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

constexpr AccessClass blind{false, 1};
constexpr AccessClass branching{true, AccessClass::unlimited};

/// Whether the witness shows that no protocol has a risk below `value`: by the rules of docs/probe.md.
bool shows(const LowerWitness& witness, const Family& family, const AccessClass& access, int bits, int probes,
           const Rational& value) {
    const int depth = std::min(bits, probes);
    switch (witness.kind) {
    case LowerKind::zero: return value == 0;
    case LowerKind::exhaustive: return false;
    case LowerKind::unread: {
        const std::uint64_t all = (std::uint64_t{2} << static_cast<unsigned>(family.sources - 1)) - 1;
        for (int y = 0; y < family.queries; ++y)
            if (set_loss(family, all, y) >= value) return depth == 0;
        return false;
    }
    case LowerKind::clique: {
        const auto cells = static_cast<unsigned>(access.sees_query ? bits : depth);
        if (witness.clique.size() <= std::size_t{1} << cells) return false;
        for (std::size_t i = 0; i < witness.clique.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                if (witness.clique[j] >= witness.clique[i]) return false;
                const std::uint64_t pair = std::uint64_t{1} << static_cast<unsigned>(witness.clique[i]) |
                                           std::uint64_t{1} << static_cast<unsigned>(witness.clique[j]);
                bool is_edge = false;
                for (int y = 0; y < family.queries; ++y) is_edge |= set_loss(family, pair, y) >= value;
                if (!is_edge) return false;
            }
        return true;
    }
    case LowerKind::unsat:
    case LowerKind::least: {
        const ConflictLists lists = conflict_lists(small_sets(family), value, access.sees_query);
        const Encoding encoding(lists, access, family.sources, bits, probes);
        Cnf cnf = encoding.cnf();
        if (witness.kind == LowerKind::least) {
            for (const Renaming& renaming : witness.renamings)
                if (!keeps(lists, renaming)) return false;
            require_least_records(cnf, encoding.bits(), family.sources, witness.renamings);
        }
        return follows_by_hints(cnf, witness.proof);
    }
    }
    return false;
}

/// The result is a protocol of its risk, and its witness shows that there is no better one.
void expect_certified(const DeterministicRisk& result, const Family& family, const AccessClass& access,
                      int bits, int probes) {
    EXPECT_TRUE(result.decided());
    require_within(result.protocol, family, access, bits, probes);
    for (const ProbeTree& tree : result.protocol.trees) EXPECT_EQ(tree.depth, std::min(bits, probes));
    EXPECT_EQ(worst_loss(result.protocol, family), result.upper);
    EXPECT_TRUE(shows(result.witness, family, access, bits, probes, result.lower));
}

class Named : public testing::TestWithParam<const char*> {};

TEST_P(Named, families_have_the_same_risks_by_both_engines) {
    const Family family = make_family(GetParam());
    for (int bits = 0; bits <= 3; ++bits)
        for (int probes = 0; probes <= 3; ++probes)
            for (const AccessClass& access : access_classes(probes)) {
                SCOPED_TRACE(to_string(access) + " w=" + std::to_string(bits) +
                             " r=" + std::to_string(probes));
                const auto by_solver =
                    deterministic_risk(family, access, bits, probes, {.engine = RiskEngine::sat});
                expect_certified(by_solver, family, access, bits, probes);
                const auto by_trying =
                    deterministic_risk(family, access, bits, probes, {.engine = RiskEngine::exhaustive});
                EXPECT_TRUE(by_trying.decided());
                EXPECT_EQ(by_trying.upper, by_solver.upper);
                EXPECT_EQ(worst_loss(by_trying.protocol, family), by_trying.upper);
                const auto witness = lower_witness(family, access, bits, probes, by_trying.upper);
                ASSERT_TRUE(witness);
                EXPECT_TRUE(shows(*witness, family, access, bits, probes, by_trying.upper));
            }
}

INSTANTIATE_TEST_SUITE_P(Deterministic, Named,
                         testing::Values("hypercube:2", "hypercube:3", "sparse:3,2", "grid:1,4", "grid:2,2",
                                         "attention:2", "pointer:2", "labels:11000,10100,01100,10001",
                                         "labels:11110000,11001100,10101010", "hadamard:2"));

RC_GTEST_PROP(DeterministicProperty, risks_are_those_of_brute_force, ()) {
    const int bits = *rc::gen::inRange(0, 4);
    const int probes = *rc::gen::inRange(0, 4);
    const Family family = random_family(bits == 3 ? 4 : 5, 3, *rc::gen::inRange(1, 3));
    const std::vector<AccessClass> classes = access_classes(probes);
    const AccessClass access = classes[*rc::gen::inRange<std::size_t>(0, classes.size())];
    const auto result = deterministic_risk(family, access, bits, probes, {.engine = RiskEngine::sat});
    expect_certified(result, family, access, bits, probes);
    RC_ASSERT(!testing::Test::HasFailure());
    RC_ASSERT(result.upper == BruteForce(family).risk(access, bits, probes));
    const std::vector<Rational> values = thresholds(family);
    const auto above = std::ranges::upper_bound(values, result.upper);
    // nothing shows a larger bound
    if (above != values.end()) RC_ASSERT(!lower_witness(family, access, bits, probes, *above));
}

RC_GTEST_PROP(DeterministicProperty, risks_fall_with_budgets_and_stronger_classes, ()) {
    const Family family = random_family(7, 4, *rc::gen::inRange(1, 3));
    const int bits = *rc::gen::inRange(1, 4);
    const int probes = *rc::gen::inRange(1, 4);
    const RiskSettings solver{.engine = RiskEngine::sat};
    const auto risk = [&](const AccessClass& access, int w, int r) {
        return deterministic_risk(family, access, w, r, solver).upper;
    };
    Rational weaker = risk(blind, bits, probes);
    for (const AccessClass& access : access_classes(probes)) {
        const Rational here = risk(access, bits, probes);
        RC_ASSERT(here <= weaker);
        RC_ASSERT(risk(access, bits + 1, probes) <= here);
        RC_ASSERT(risk(access, bits, probes + 1) <= here);
        weaker = here;
    }
    RC_ASSERT(risk({false, AccessClass::unlimited}, bits, probes) == risk(blind, bits, probes));
}

TEST(Deterministic, least_records_certify_what_is_too_hard_without) {
    // hard from the first conflict on
    const RiskSettings hard{.engine = RiskEngine::sat, .plain_conflicts = 0};
    int of_least = 0;
    for (const char* name : {"pointer:2", "labels:00123,01223", "attention:2"})
        for (const AccessClass& access : access_classes(2)) {
            const Family family = make_family(name);
            const auto result = deterministic_risk(family, access, 3, 2, hard);
            expect_certified(result, family, access, 3, 2);
            EXPECT_EQ(result.upper,
                      deterministic_risk(family, access, 3, 2, {.engine = RiskEngine::sat}).upper);
            if (result.witness.kind == LowerKind::least) ++of_least;
        }
    EXPECT_GE(of_least, 2);
    const Family family = make_family("labels:00123,01223");
    EXPECT_FALSE(lower_witness(family, {true, 2}, 3, 2, Rational(1, 4), hard)); // the risk is 0
}

TEST(Deterministic, a_triangle_needs_more_than_pairs) {
    const Family family = triangle();
    const auto result = deterministic_risk(family, blind, 1, 1, {.engine = RiskEngine::sat});
    EXPECT_EQ(result.upper, Rational(13, 8)); // the two that are closest share a leaf
    expect_certified(result, family, blind, 1, 1);
    EXPECT_EQ(deterministic_risk(family, blind, 0, 0).upper, Rational(169, 72));
}

TEST(Deterministic, a_stopped_search_keeps_its_start_and_its_cliques) {
    const Family family = make_family("hypercube:4"); // 16 sources; 2 records tell two apart
    for (const RiskEngine engine : {RiskEngine::exhaustive, RiskEngine::sat}) {
        const auto stopped =
            deterministic_risk(family, blind, 1, 1, {.engine = engine, .stop = [] { return true; }});
        EXPECT_EQ(stopped.lower, stopped.upper); // a clique of three
        EXPECT_EQ(stopped.witness.kind, LowerKind::clique);
    }
    const Family pointer = make_family("pointer:2");
    const auto whole = deterministic_risk(pointer, branching, 3, 2);
    RiskSettings settings{.engine = RiskEngine::exhaustive, .stop = [] { return true; }};
    settings.start = whole.protocol;
    EXPECT_EQ(deterministic_risk(pointer, branching, 3, 2, settings).upper, whole.upper);
}

TEST(Deterministic, small_sets_can_be_stopped) {
    Family family{.name = "solid", .sources = 12, .queries = 1, .dim = 3, .targets = {}};
    for (int i = 0; i < 36; ++i) family.targets.emplace_back(i * i % 11);
    EXPECT_FALSE(small_sets(family, [] { return true; }));
    EXPECT_TRUE(small_sets(family, {}));
    const auto stopped =
        deterministic_risk(family, branching, 2, 2, {.engine = RiskEngine::sat, .stop = [] { return true; }});
    EXPECT_EQ(stopped.lower, 0);
    EXPECT_EQ(worst_loss(stopped.protocol, family), stopped.upper);
}

TEST(Deterministic, trees_of_too_many_nodes_are_refused) {
    Family family{.name = "asks", .sources = 2, .queries = 4096, .targets = {}};
    for (int i = 0; i < 2 * 4096; ++i) family.targets.emplace_back(i);
    EXPECT_THROW((void)deterministic_risk(family, branching, 13, 13), Error);
    EXPECT_EQ(deterministic_risk(family, branching, 1, 1).upper, 0);
}

TEST(Deterministic, a_stopped_search_returns_what_it_knows) {
    const Family family = make_family("hadamard:4");
    for (const RiskEngine engine : {RiskEngine::sat, RiskEngine::exhaustive}) {
        const auto stopped =
            deterministic_risk(family, branching, 4, 3, {.engine = engine, .stop = [] { return true; }});
        EXPECT_FALSE(stopped.decided());
        EXPECT_EQ(stopped.lower, 0);
        EXPECT_EQ(worst_loss(stopped.protocol, family), stopped.upper);
        require_within(stopped.protocol, family, branching, 4, 3);
    }
    const auto short_of_conflicts =
        deterministic_risk(family, branching, 4, 3, {.engine = RiskEngine::sat, .most_conflicts = 50});
    EXPECT_FALSE(short_of_conflicts.decided());
    EXPECT_LT(short_of_conflicts.lower, short_of_conflicts.upper);
    EXPECT_TRUE(shows(short_of_conflicts.witness, family, branching, 4, 3, short_of_conflicts.lower));
    EXPECT_FALSE(lower_witness(family, branching, 4, 3, Rational(1, 16), {.most_conflicts = 50}));
}

TEST(Deterministic, a_search_goes_on_from_a_protocol_of_less) {
    const Family family = make_family("hadamard:4");
    const auto less = deterministic_risk(family, {true, 1}, 3, 2, {.engine = RiskEngine::sat});
    RiskSettings settings{.engine = RiskEngine::sat, .stop = [] { return true; }};
    settings.start = less.protocol;
    const auto more = deterministic_risk(family, branching, 4, 3, settings);
    EXPECT_EQ(more.upper, less.upper);
    settings.start->records[0] = 0xFF;
    EXPECT_THROW((void)deterministic_risk(family, branching, 4, 3, settings), Error);
}

TEST(Deterministic, cliques_are_counted_against_leaves_or_records) {
    const Family family = make_family("hypercube:4"); // no two of 16 sources agree on all queries
    const RiskSettings solver{.engine = RiskEngine::sat};
    EXPECT_EQ(deterministic_risk(family, blind, 4, 3, solver).witness.kind, LowerKind::clique);
    EXPECT_EQ(deterministic_risk(family, branching, 3, 2, solver).witness.kind, LowerKind::clique);
    EXPECT_EQ(deterministic_risk(family, branching, 4, 1, solver).witness.kind, LowerKind::zero);
}

TEST(Deterministic, automatic_takes_either_engine) {
    const auto few = deterministic_risk(make_family("grid:2,2"), {true, 1}, 1, 1);
    EXPECT_EQ(few.witness.kind, LowerKind::exhaustive);
    const auto many = deterministic_risk(make_family("hypercube:4"), {true, 1}, 3, 2);
    EXPECT_EQ(many.witness.kind, LowerKind::clique);
    EXPECT_EQ(many.upper, Rational(1, 4));
}

TEST(Deterministic, answers_are_the_same_each_time) {
    const Family family = make_family("attention:3");
    const RiskSettings solver{.engine = RiskEngine::sat};
    const auto once = deterministic_risk(family, branching, 3, 2, solver);
    const auto again = deterministic_risk(family, branching, 3, 2, solver);
    EXPECT_EQ(once.protocol, again.protocol);
    EXPECT_EQ(once.witness, again.witness);
}

TEST(Deterministic, budgets_outside_a_word_are_refused) {
    const Family family = make_family("grid:1,2");
    EXPECT_THROW((void)deterministic_risk(family, blind, -1, 1), Error);
    EXPECT_THROW((void)deterministic_risk(family, blind, 1, 33), Error);
    EXPECT_THROW((void)lower_witness(family, blind, 33, 1, 1), Error);
}

} // namespace
