#include "sim/probe/randomised.hpp"

#include "lib/error.hpp"
#include "sim/probe/minimax.hpp"
#include "sim/probe/rounding.hpp"
#include "simplex_cddlib.hpp"
#include "symmetry_families.hpp"
#include "tests/probe/random_family.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <rapidcheck/gtest.h>

namespace kvproof {
namespace {

using testing_support::Budget;
using testing_support::some_budget;

const AccessClass oblivious = parse_access_class("oblivious");
const AccessClass once = parse_access_class("staged:1");
const AccessClass branching = parse_access_class("branching");

Bracket risk(const std::string& name, const AccessClass& access, int bits, int probes) {
    return randomised_risk(make_family(name), access, bits, probes);
}

/// The ends as their witnesses have them, computed anew on the whole family and without its symmetries.
void expect_witnessed(const Bracket& bracket, const Family& family, const AccessClass& access, int bits,
                      int probes) {
    RC_ASSERT(!bracket.mixture.empty());
    for (const WeightedProtocol& one : bracket.mixture) {
        require_within(one.protocol, family, access, bits, probes);
        RC_ASSERT(one.weight > 0);
    }
    RC_ASSERT(std::ranges::max(expected_losses(family, bracket.mixture)) == bracket.upper);
    if (bracket.lower_rule == LowerRule::nothing) {
        RC_ASSERT(bracket.lower == 0);
    } else if (bracket.lower_rule == LowerRule::full_read) {
        RC_ASSERT(least_bayes_loss(family, bracket.prior, {}, bits, bits).loss == bracket.lower);
    } else {
        RC_ASSERT(least_bayes_loss(family, bracket.prior, access, bits, probes).loss == bracket.lower);
    }
    RC_ASSERT(bracket.lower <= bracket.upper);
}

bool is_tight(const Bracket& bracket) {
    return bracket.upper - bracket.lower <= bracket.upper / Rational(Integer(1) << 20U);
}

} // namespace

// By hand. Query-independent, r = 1: the prior is uniform by symmetry, and the squared means of the signs
// given one bit add to at most 1 (Parseval): (d-1)/d over the scale d. A reader that sees the query asks for
// its sign.
TEST(Randomised, Hypercubes) {
    for (const int d : {2, 3, 4}) {
        const std::string name = "hypercube:" + std::to_string(d);
        for (const AccessClass& access : {oblivious, parse_access_class("query-independent")}) {
            const Bracket one = risk(name, access, d, 1);
            EXPECT_EQ(one.lower, Rational(d - 1, d * d)) << name;
            EXPECT_EQ(one.upper, one.lower) << name;
        }
        EXPECT_EQ(risk(name, oblivious, d, 0).upper, Rational(1, d));
        EXPECT_EQ(risk(name, oblivious, d, 0).lower, Rational(1, d));
    }
    EXPECT_EQ(risk("hypercube:3", once, 3, 1).upper, 0);
}

// By hand: the best pairs of -1, -1/3, 1/3, 1 are neighbours, and no prior loses more than that: (1/3)^2.
TEST(Randomised, FourPointsOnALine) {
    const Bracket bracket = risk("grid:1,4", once, 1, 1);
    EXPECT_EQ(bracket.lower, Rational(1, 9));
    EXPECT_EQ(bracket.upper, Rational(1, 9));
}

// By hand, one bit of three sources, each query asks whether it is one of them: see below.
TEST(Randomised, AnswersLeanToTheCommonTarget) {
    const Bracket bracket = risk("labels:100,010,001", oblivious, 1, 1);
    // prior a on pairs x = y, b on x != y, 3a + 6b = 1. A split {a,b},{c} loses 2 ab/(a+b), all a and b: at
    // best a = (sqrt 2 - 1) / 3, b = a / sqrt 2: the value is irrational, and no bracket of rationals closes
    EXPECT_FALSE(bracket.closed());
    EXPECT_TRUE(is_tight(bracket));
    // 2 ab/(a+b) there is v = 2 (3 - 2 sqrt 2) / 3: 3v/2 = 3 - 2 sqrt 2 is the root of t^2 - 6t + 1 below 1
    const auto sign = [](const Rational& v) {
        const Rational t = v * 3 / 2;
        return t * t - 6 * t + 1;
    };
    EXPECT_GT(sign(bracket.lower), 0);
    EXPECT_LT(sign(bracket.upper), 0);
}

// By hand: with the selector and both bits stored, two steps read the bit that the selector names; at once
// two of three stored bits cannot answer everything.
TEST(Randomised, APointerNeedsTwoBatches) {
    const Bracket at_once = risk("pointer:2", once, 3, 2);
    const Bracket in_steps = risk("pointer:2", parse_access_class("staged:2"), 3, 2);
    EXPECT_EQ(in_steps.upper, 0);
    EXPECT_GT(at_once.lower, 0);
    EXPECT_TRUE(is_tight(at_once));
}

// Two of three signs, one of which is asked for: as good as reading both, which is the bound used where the
// class is not searched. All three: no loss, though one bit read whole would lose.
TEST(Randomised, AReaderOfEverythingBoundsTheClassesThatAreNotSearched) {
    const GameSettings unsearched{.most_encoders = 0};
    const Bracket two = randomised_risk(make_family("hypercube:3"), once, 2, 1, unsearched);
    EXPECT_EQ(two.lower, Rational(1, 9));
    EXPECT_EQ(two.upper, Rational(1, 9));
    EXPECT_EQ(two.lower_rule, LowerRule::full_read);
    const Bracket three = randomised_risk(make_family("hypercube:3"), once, 3, 1, unsearched);
    EXPECT_EQ(three.upper, 0);
    EXPECT_EQ(three.lower_rule, LowerRule::nothing);
}

TEST(Randomised, AStoppedSearchSaysSoAndStaysValid) {
    const Family family = make_family("sparse:3,2");
    const Bracket bracket = randomised_risk(family, branching, 3, 1, {.stop = [] { return true; }});
    EXPECT_FALSE(bracket.finished);
    EXPECT_EQ(bracket.lower_rule, LowerRule::nothing);
    EXPECT_EQ(std::ranges::max(expected_losses(family, bracket.mixture)), bracket.upper);
    EXPECT_GE(bracket.upper, Rational(1, 8));
}

TEST(Randomised, RefusesWhatIsTooLarge) {
    EXPECT_THROW((void)risk("hypercube:5", oblivious, 1, 1), Error);
    EXPECT_THROW((void)risk("hypercube:2", oblivious, 33, 1), Error);
    EXPECT_THROW((void)risk("hypercube:2", oblivious, 11, 11), Error);
    EXPECT_EQ(risk("hypercube:2", once, 12, 2).upper, 0);
}

// 16 sources, 65 queries without anything in common: more orbits of pairs than the program takes.
TEST(Randomised, TooManyOrbitsLeaveAnOpenBracket) {
    Family family{.name = "wide", .sources = 16, .queries = 65, .targets = {}};
    std::mt19937_64 bits(1);
    for (int i = 0; i < family.sources * family.queries; ++i)
        family.targets.emplace_back(static_cast<long>(bits() % 1000));
    const Bracket wide = randomised_risk(family, oblivious, 2, 1);
    EXPECT_FALSE(wide.finished);
    EXPECT_EQ(wide.lower_rule, LowerRule::nothing);
    EXPECT_EQ(wide.lower, 0);
    EXPECT_EQ(std::ranges::max(expected_losses(family, wide.mixture)), wide.upper);
    EXPECT_GT(wide.upper, 0);
    family.queries = 2; // few enough: then it is played
    family.targets.resize(32);
    EXPECT_NE(randomised_risk(family, oblivious, 2, 1).lower_rule, LowerRule::nothing);
}

// Wherever it is stopped, its ends are witnessed and hold the whole game's.
RC_GTEST_PROP(Randomised, StoppedAnywhereItsEndsHold, ()) {
    const Family family = *tiny_family(4, 3, 2);
    const Budget budget = some_budget(3);
    const Bracket whole = randomised_risk(family, budget.access, budget.bits, budget.probes);
    int left = *rc::gen::inRange(0, 40);
    GameSettings settings;
    settings.stop = [&left] { return left-- <= 0; };
    const Bracket stopped = randomised_risk(family, budget.access, budget.bits, budget.probes, settings);
    expect_witnessed(stopped, family, budget.access, budget.bits, budget.probes);
    RC_ASSERT(stopped.lower <= whole.upper);
    RC_ASSERT(stopped.upper >= whole.lower);
}

RC_GTEST_PROP(Randomised, EndsAreWitnessedAndClose, ()) {
    const Family family = *tiny_family(4, 3, 2);
    const Budget budget = some_budget(3);
    const Bracket bracket = randomised_risk(family, budget.access, budget.bits, budget.probes);
    expect_witnessed(bracket, family, budget.access, budget.bits, budget.probes);
    RC_ASSERT(bracket.finished);
    RC_ASSERT(is_tight(bracket));
}

RC_GTEST_PROP(Randomised, CoinsNeverHurtAndNothingReadNeedsNone, ()) {
    const Family family = *tiny_family(4, 3);
    const Budget budget = some_budget(3);
    const Bracket bracket = randomised_risk(family, budget.access, budget.bits, budget.probes);
    const auto without =
        exhaustive_risk(family, budget.access, budget.bits, std::min(budget.bits, budget.probes));
    RC_ASSERT(bracket.lower <= without->risk);
    if (std::min(budget.bits, budget.probes) == 0) {
        RC_ASSERT(without->risk <= bracket.upper);
        RC_ASSERT(is_tight(bracket));
    }
}

RC_GTEST_PROP(Randomised, StrongerClassesLoseNoMore, ()) {
    const Family family = *tiny_family(4, 2);
    const int bits = *rc::gen::inRange(1, 4);
    const int probes = *rc::gen::inRange(1, 4);
    const auto classes = access_classes(probes);
    std::vector<Bracket> brackets;
    for (const AccessClass& access : classes)
        brackets.push_back(randomised_risk(family, access, bits, probes));
    for (std::size_t i = 0; i < classes.size(); ++i)
        for (std::size_t j = 0; j < classes.size(); ++j)
            if (is_within(classes[i], classes[j]) || probes >= bits)
                RC_ASSERT(brackets[j].lower <= brackets[i].upper);
}

// A second way: without the symmetries the program has a row for each pair and other protocols.
RC_GTEST_PROP(Randomised, SymmetriesChangeNothing, ()) {
    const Family family = *tiny_family(4, 2);
    const Budget budget = some_budget(2);
    const Bracket with = randomised_risk(family, budget.access, budget.bits, budget.probes);
    const Bracket without =
        randomised_risk(family, budget.access, budget.bits, budget.probes, {.most_group = 0});
    RC_ASSERT(with.lower <= without.upper);
    RC_ASSERT(without.lower <= with.upper);
}

// What is found without searching all encoders is weaker, but never wrong.
RC_GTEST_PROP(Randomised, EasierGamesAndDescentsHoldTheValue, ()) {
    const Family family = *tiny_family(4, 3, 2);
    const Budget budget = some_budget(3);
    const Bracket exact = randomised_risk(family, budget.access, budget.bits, budget.probes);
    const Bracket loose =
        randomised_risk(family, budget.access, budget.bits, budget.probes, {.most_encoders = 0});
    expect_witnessed(loose, family, budget.access, budget.bits, budget.probes);
    RC_ASSERT(loose.lower <= exact.upper);
    RC_ASSERT(exact.lower <= loose.upper);
}

// A second way: all encoders of one bit, answers on a grid of step 1/k, one linear program by cddlib.
// Rounding an answer to the grid by a coin adds at most 1/(4 k^2) to its loss: the value lies that little
// above.
TEST(Randomised, AgreesWithAProgramOverAllProtocolsWithAnswersOnAGrid) {
    static constexpr int k = 6;
    const auto grid_value = [](const Family& family) {
        // one bit: a protocol is a cut and its answers
        std::vector<std::vector<Rational>> columns;
        const auto pair = [&](int x, int y) { return static_cast<std::size_t>(x * family.queries + y); };
        const std::uint32_t everyone = (1U << static_cast<unsigned>(family.sources)) - 1;
        // all loss vectors of one query behind one cut
        const auto of_query = [&](std::uint32_t cut, int y) {
            std::vector<std::vector<Rational>> out = {
                std::vector<Rational>(static_cast<std::size_t>(family.sources * family.queries))};
            for (const std::uint32_t leaf : {cut, everyone & ~cut}) {
                std::vector<std::vector<Rational>> more;
                for (const auto& so_far : out)
                    for (int c = 0; c <= k; ++c) {
                        more.push_back(so_far);
                        for (int x = 0; x < family.sources; ++x)
                            if (((leaf >> static_cast<unsigned>(x)) & 1U) != 0) {
                                const Rational apart = family.target(x, y)[0] - Rational(c, k);
                                more.back()[pair(x, y)] = apart * apart;
                            }
                    }
                out = std::move(more);
            }
            std::ranges::sort(out);
            out.erase(std::ranges::unique(out).begin(), out.end());
            // none that another beats on every pair
            std::vector<std::vector<Rational>> best;
            for (const auto& one : out)
                if (std::ranges::none_of(out, [&](const auto& other) {
                        if (other == one) return false;
                        for (std::size_t i = 0; i < one.size(); ++i)
                            if (other[i] > one[i]) return false;
                        return true;
                    }))
                    best.push_back(one);
            return best;
        };
        const auto combine = [&](const std::vector<std::uint32_t>& cut_of_query) {
            std::vector<std::vector<Rational>> out = of_query(cut_of_query[0], 0);
            for (int y = 1; y < family.queries; ++y) {
                std::vector<std::vector<Rational>> more;
                for (const auto& a : out)
                    for (const auto& b : of_query(cut_of_query[static_cast<std::size_t>(y)], y)) {
                        more.push_back(a);
                        for (std::size_t i = 0; i < b.size(); ++i) more.back()[i] += b[i];
                    }
                out = std::move(more);
            }
            columns.insert(columns.end(), out.begin(), out.end());
        };
        for (std::uint32_t cut = 0; cut <= everyone; cut += 2)
            combine(std::vector<std::uint32_t>(static_cast<std::size_t>(family.queries), cut));
        return value_by_cddlib(columns);
    };
    for (const char* name : {"labels:110,101", "labels:100,010", "labels:10"}) {
        const Family family = make_family(name);
        for (const AccessClass& access : {oblivious, once}) {
            const Bracket bracket = randomised_risk(family, access, 1, 1);
            const Rational value = grid_value(family);
            EXPECT_LE(bracket.lower, value) << name;
            EXPECT_GE(bracket.upper, value - Rational(1, 4 * k * k)) << name;
        }
    }
}

TEST(Rounding, TheEndsCount) {
    EXPECT_EQ(simplest_between(Rational(3, 2), 2), 2);
    EXPECT_EQ(simplest_between(Rational(1, 3), Rational(1, 2)), Rational(1, 2));
    EXPECT_EQ(simplest_between(0, Rational(1, 2)), 0);
}

RC_GTEST_PROP(Rounding, TheSimplestFractionHasTheLeastDenominator, ()) {
    const Rational low(*rc::gen::inRange(0, 200), *rc::gen::inRange(1, 100));
    const Rational high = low + Rational(*rc::gen::inRange(0, 30), *rc::gen::inRange(1, 100));
    const Rational simplest = simplest_between(low, high);
    RC_ASSERT(low <= simplest);
    RC_ASSERT(simplest <= high);
    for (Integer q = 1; q < denominator(simplest); ++q)
        RC_ASSERT(Rational(floor(high * Rational(q)), q) < low);
}

} // namespace kvproof
