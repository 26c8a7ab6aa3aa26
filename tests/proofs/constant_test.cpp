// Relations between constants: decided exactly where they are rational, by normal forms where they are equal,
// else by enclosures; never decided where the precision does not suffice.
#include "tests/exact/generators.hpp"
#include "tests/proofs/decided.hpp"

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

TEST(ConstantRule, proved_and_refuted) {
    EXPECT_EQ(verdict_of("(< pi 22/7)"), Verdict::proved);
    EXPECT_EQ(verdict_of("(< 22/7 pi)"), Verdict::refuted);
    EXPECT_EQ(verdict_of("(> (^ e pi) (^ pi e))"), Verdict::proved);
    EXPECT_EQ(verdict_of("(= 355/113 pi)"), Verdict::refuted); // apart by 3e-7
    EXPECT_EQ(verdict_of("(<= 1/3 1/3)"), Verdict::proved);
    EXPECT_EQ(verdict_of("(< 1/3 1/3)"), Verdict::refuted);
    // a double would round 0.1 + 0.2 and 0.3 apart
    EXPECT_EQ(verdict_of("(= (+ 0.1 0.2) 0.3)"), Verdict::proved);
    EXPECT_EQ(verdict_of("(< 9007199254740992 (+ 9007199254740992 1/1000))"), Verdict::proved);
}

TEST(ConstantRule, a_chain_holds_when_every_link_does) {
    EXPECT_EQ(verdict_of("(< 3 pi 22/7)"), Verdict::proved);
    EXPECT_EQ(verdict_of("(< 22/7 pi 4)"), Verdict::refuted);
    EXPECT_EQ(verdict_of("(< 3 pi 3.14)"), Verdict::refuted);
    EXPECT_EQ(verdict_of("(> 3 2 1 1)"), Verdict::refuted);
    EXPECT_EQ(verdict_of("(>= 3 2 1 1)"), Verdict::proved);
    // the failing link is named with its two sides
    const Decision decision = decided("(< 3 pi 3.14)");
    EXPECT_EQ(witness_of(decision, "fails"), "pi < 157/50");
    EXPECT_EQ(witness_of(decision, "left").substr(0, 12), "3.1415926535");
    EXPECT_EQ(witness_of(decision, "right"), "157/50");
}

TEST(ConstantRule, equality_is_shown_by_an_identity_or_not_at_all) {
    EXPECT_EQ(verdict_of("(= (^ (sqrt 2) 2) 2)"), Verdict::proved);
    EXPECT_EQ(verdict_of("(<= (* (sqrt 2) (sqrt 2)) 2)"), Verdict::proved);
    EXPECT_EQ(verdict_of("(= (exp (log 3)) 3)"), Verdict::proved);
    EXPECT_EQ(decided("(= (^ (sqrt 2) 2) 2)").exact, Rational(2));
    // true, but no normal form here shows it: undecided, and certainly not refuted
    const Decision decision = decided("(= (sqrt (+ 3 (* 2 (sqrt 2)))) (+ 1 (sqrt 2)))");
    EXPECT_EQ(decision.verdict, Verdict::undecided);
    EXPECT_EQ(decision.why, Why::precision_cap);
    EXPECT_EQ(decision.bits, 512);
    // false by 10^-100 is refuted once the precision suffices
    const std::string close = "(= (sqrt (+ 3 (* 2 (sqrt 2)))) (+ 1 (sqrt 2) 1e-100))";
    EXPECT_EQ(verdict_of(close), Verdict::refuted);
    Effort coarse;
    coarse.bits = 256;
    EXPECT_EQ(verdict_of(close, coarse), Verdict::undecided);
}

TEST(ConstantRule, strict_inequality_between_equal_numbers_is_never_proved) {
    EXPECT_NE(verdict_of("(< (^ (sqrt 2) 2) 2)"), Verdict::proved);
    EXPECT_NE(verdict_of("(> (^ (sqrt 2) 2) 2)"), Verdict::proved);
    EXPECT_NE(verdict_of("(< (- lloyd.gain.1 (/ 2 pi)) 0)"), Verdict::proved);
    EXPECT_NE(verdict_of("(> (- lloyd.gain.1 (/ 2 pi)) 0)"), Verdict::proved);
}

/// Two undefined terms have one normal form. Equality of what does not exist was once "proved".
TEST(ConstantRule, an_undefined_term_decides_nothing) {
    for (const char* undefined :
         {"(/ 1 (- 1 1))", "(sqrt -1)", "(log 0)", "(log -2)", "(/ pi (- pi pi))", "(^ 0 -1)"}) {
        const std::string term = undefined;
        EXPECT_EQ(verdict_of("(= " + term + " " + term + ")"), Verdict::undecided) << term;
        EXPECT_EQ(verdict_of("(<= " + term + " " + term + ")"), Verdict::undecided) << term;
        EXPECT_EQ(verdict_of("(< " + term + " 1)"), Verdict::undecided) << term;
        EXPECT_EQ(verdict_of("(= (* 0 " + term + ") 0)"), Verdict::undecided) << term;
    }
}

TEST(ConstantRule, precision_is_raised_as_far_as_needed_and_told) {
    EXPECT_EQ(decided("(< 1 2)").bits, 0); // exact
    EXPECT_EQ(decided("(< 3 pi)").bits, 64);
    EXPECT_EQ(decided("(< pi (+ pi 1e-30))").bits, 128);
    EXPECT_EQ(decided("(< pi (+ pi 1e-60))").bits, 256);
    EXPECT_EQ(decided("(< pi (+ pi 1e-200))").why, Why::precision_cap);
}

TEST(ConstantRule, the_number_and_its_slack_are_reported) {
    const Decision decision = decided("(< 3 pi 4)");
    EXPECT_EQ(less(*decision.enclosure, Interval(Rational(355, 113), 64)), Truth::yes);
    EXPECT_EQ(less(Interval(Rational(355, 114), 64), *decision.enclosure), Truth::yes);
    EXPECT_EQ(less(Interval(Rational(104, 100), 64), *decision.slack), Truth::yes); // pi/3, not 4/pi
    EXPECT_EQ(less(*decision.slack, Interval(Rational(105, 100), 64)), Truth::yes);
    EXPECT_EQ(decided("(> (+ 1/2 1/3) 0.8)").exact, Rational(5, 6));
    EXPECT_FALSE(decided("(< -1 (- pi))").slack.has_value()); // no ratio of positive numbers
    EXPECT_FALSE(decided("(< 22/7 pi)").slack.has_value());   // nothing is proved
}

TEST(ConstantRule, parts_of_a_claim_weigh_as_their_verdicts) {
    const std::string yes = "(< 1 2)";
    const std::string no = "(< 2 1)";
    const std::string open = "(= (sqrt (+ 3 (* 2 (sqrt 2)))) (+ 1 (sqrt 2)))";
    EXPECT_EQ(verdict_of("(and " + yes + yes + ")"), Verdict::proved);
    EXPECT_EQ(verdict_of("(and " + yes + open + ")"), Verdict::undecided);
    EXPECT_EQ(verdict_of("(and " + open + no + ")"), Verdict::refuted);
    EXPECT_EQ(verdict_of("(and " + no + open + ")"), Verdict::refuted);
    // what is only a part of a statement earns support at most, and still refutes it
    EXPECT_EQ(verdict_of("(part " + yes + ")"), Verdict::supported);
    EXPECT_EQ(verdict_of("(part " + no + ")"), Verdict::refuted);
    EXPECT_EQ(verdict_of("(part " + open + ")"), Verdict::undecided);
    EXPECT_EQ(verdict_of("(and " + yes + "(part " + yes + "))"), Verdict::supported);
    EXPECT_EQ(verdict_of("(and " + yes + "(pending reader))"), Verdict::undecided);
    EXPECT_EQ(verdict_of("(and " + no + "(pending reader))"), Verdict::refuted);
}

std::string machine(const Rational& value) {
    return to_string(value);
}

RC_GTEST_PROP(ConstantRuleProperty, rationals_are_compared_as_rationals, ()) {
    const Rational x = *test::any_rational(60);
    const Rational y = test::pick(0, 4) == 0 ? x : *test::any_rational(60);
    const auto verdict = [&](const char* relation) {
        return verdict_of(std::string("(") + relation + " " + machine(x) + " " + machine(y) + ")");
    };
    const auto expected = [](bool holds) { return holds ? Verdict::proved : Verdict::refuted; };
    RC_ASSERT(verdict("<") == expected(x < y));
    RC_ASSERT(verdict("<=") == expected(x <= y));
    RC_ASSERT(verdict(">") == expected(x > y));
    RC_ASSERT(verdict(">=") == expected(x >= y));
    RC_ASSERT(verdict("=") == expected(x == y));
}

} // namespace
