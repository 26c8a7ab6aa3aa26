// Universal statements over integers: every instance is decided, the first that fails is named, and a range
// too large is left undecided.
#include "tests/exact/generators.hpp"
#include "tests/proofs/decided.hpp"
#include "tests/record/refusal.hpp"

using namespace kvproof;
using namespace kvproof::testing_support;
using test::pick;

namespace {

TEST(EnumerateRule, every_instance_is_counted_once) {
    EXPECT_EQ(decided("(forall ((n int 3 10)) (> n 2))").cases, 8U);
    EXPECT_EQ(decided("(forall ((n int -2 2) (m int 0 6)) (< (* n m) 13))").cases, 35U);
    EXPECT_EQ(decided("(forall ((n int 4 4)) (= n 4))").cases, 1U);
    EXPECT_EQ(verdict_of("(forall ((n int -2 2) (m int 0 6)) (< (* n m) 13))"), Verdict::proved);
    EXPECT_EQ(verdict_of("(forall ((n int -2 2) (m int 0 6)) (< (* n m) 12))"), Verdict::refuted); // 2 * 6
}

TEST(EnumerateRule, integers_are_not_reals) {
    // n^2 + 1/5 > n holds for integers; at the real 1/2 it fails
    EXPECT_EQ(verdict_of("(forall ((n int -5 5)) (> (+ (^ n 2) 1/5) n))"), Verdict::proved);
    EXPECT_EQ(verdict_of("(forall ((x -5 5)) (> (+ (^ x 2) 1/5) x))"), Verdict::refuted);
}

TEST(EnumerateRule, the_counterexample_is_the_first) {
    const Decision decision = decided("(forall ((n int 0 50)) (< (^ n 2) (+ (* 40 n) 42)))");
    ASSERT_EQ(decision.verdict, Verdict::refuted);
    EXPECT_EQ(witness_of(decision, "n"), "42"); // 42^2 = 1764, 41 * 42 = 1722
    EXPECT_EQ(witness_of(decision, "left"), "1764");
    EXPECT_EQ(witness_of(decision, "right"), "1722");
    // the last variable runs fastest
    const Decision pair = decided("(forall ((n int 0 5) (m int 0 5)) (< (+ n m) 6))");
    EXPECT_EQ(witness_of(pair, "n") + "," + witness_of(pair, "m"), "1,5");
}

TEST(EnumerateRule, a_range_beyond_the_budget_is_undecided) {
    Effort effort;
    effort.cases = 1000;
    EXPECT_EQ(verdict_of("(forall ((n int 1 1000)) (> n 0))", effort), Verdict::proved);
    const Decision decision = decided("(forall ((n int 1 1001)) (> n 0))", effort);
    EXPECT_EQ(decision.verdict, Verdict::undecided);
    EXPECT_EQ(decision.why, Why::case_budget);
    EXPECT_EQ(decided("(forall ((n int 1 100) (m int 1 100)) (> n 0))", effort).why, Why::case_budget);
    EXPECT_EQ(decided("(forall ((n int 0 1e300)) (>= n 0))").why, Why::case_budget); // no overflow
}

TEST(EnumerateRule, an_undecided_instance_leaves_it_undecided) {
    const Decision decision =
        decided("(forall ((n int 2 3)) (= (sqrt (+ n 1 (* 2 (sqrt n)))) (+ 1 (sqrt n))))");
    EXPECT_EQ(decision.verdict, Verdict::undecided);
    EXPECT_EQ(decision.why, Why::precision_cap);
}

/// What stands under the quantifier counts, whatever its kind: a part that is pending, a quantifier inside.
TEST(EnumerateRule, nothing_under_the_quantifier_is_passed_over) {
    const auto never_proved = [](const std::string& formula) {
        try {
            return verdict_of(formula) != Verdict::proved;
        } catch (const Error& error) {
            return error.code() == ErrorCode::bad_formula; // refusing to read it is as good
        }
    };
    EXPECT_TRUE(never_proved("(forall ((n int 0 2)) (and (< n 3) (pending reader)))"));
    EXPECT_TRUE(never_proved("(forall ((n int 0 2)) (pending reader))"));
    EXPECT_TRUE(never_proved("(forall ((n int 0 2)) (part (< n 3)))"));
    EXPECT_TRUE(never_proved("(forall ((n int 0 2)) (forall ((x 0 1)) (< (+ n x) 3)))")); // 2 + 1 = 3
    EXPECT_TRUE(never_proved("(forall ((n int 0 2)) (forall ((m int 0 2)) (< (+ n m) 4)))"));
    EXPECT_TRUE(never_proved("(forall ((x 0 1)) (forall ((n int 0 2)) (< (+ n x) 3)))"));
    EXPECT_TRUE(never_proved("(forall ((x 0 1)) (pending reader))"));
}

TEST(EnumerateRule, the_smallest_slack_of_all_instances) {
    const Decision decision = decided("(forall ((n int 1 9)) (< n (+ n 1)))");
    EXPECT_TRUE(decision.slack->contains(Rational(10, 9)));
    EXPECT_FALSE(decision.exact.has_value() || decision.enclosure.has_value()); // of no single number
}

RC_GTEST_PROP(EnumerateRuleProperty, quadratics_against_brute_force, ()) {
    const long a = pick(-3, 3);
    const long b = pick(-5, 5);
    const long c = pick(-9, 9);
    const long low = pick(-6, 0);
    const long high = pick(0, 6);
    std::optional<long> first;
    for (long n = low; n <= high && !first; ++n)
        if (a * n * n + b * n > c) first = n;
    const auto s = [](long n) { return std::to_string(n); };
    const Decision decision = decided("(forall ((n int " + s(low) + " " + s(high) + ")) (<= (+ (* " + s(a) +
                                      " (^ n 2)) (* " + s(b) + " n)) " + s(c) + "))");
    RC_ASSERT(decision.verdict == (first ? Verdict::refuted : Verdict::proved));
    if (first) RC_ASSERT(witness_of(decision, "n") == s(*first));
    if (!first) RC_ASSERT(decision.cases == static_cast<std::uint64_t>(high - low + 1));
}

} // namespace
