// Universal statements over boxes: against brute force over a grid, at borders where equality holds, and with
// too small a budget.
#include "tests/exact/generators.hpp"
#include "tests/proofs/decided.hpp"

using namespace kvproof;
using namespace kvproof::testing_support;
using test::pick;

namespace {

TEST(CoverRule, true_and_false_statements) {
    EXPECT_EQ(verdict_of("(forall ((x 0 1)) (< (exp x) 3))"), Verdict::proved);
    EXPECT_EQ(verdict_of("(forall ((x 0 1)) (< (exp x) 2))"), Verdict::refuted);
    EXPECT_EQ(verdict_of("(forall ((x 0 1) (y 0 1)) (<= (* x (- 1 y)) 1))"), Verdict::proved);
    EXPECT_EQ(verdict_of("(forall ((x -1 1) (y -1 1)) (> (+ (^ x 2) (^ y 2) 1/100) (* 2 x y)))"),
              Verdict::proved);
    EXPECT_EQ(verdict_of("(forall ((x -1 1) (y -1 1)) (> (+ (^ x 2) (^ y 2)) (+ 1/100 (* 2 x y))))"),
              Verdict::refuted);
    EXPECT_EQ(verdict_of("(forall ((x 1 2)) (< (log x) (- x 0.9)))"), Verdict::proved);
    EXPECT_EQ(verdict_of("(forall ((x -1 1)) (and (< x 2) (> x -2)))"), Verdict::proved);
    EXPECT_EQ(verdict_of("(forall ((x -1 1)) (and (< x 2) (> x -1/2)))"), Verdict::refuted);
    EXPECT_EQ(verdict_of("(forall ((x 1/3 1/3)) (< x 1/2))"), Verdict::proved); // a point
}

/// Equality at the border: interval arithmetic has to hit it exactly.
TEST(CoverRule, a_bound_that_is_attained) {
    EXPECT_EQ(verdict_of("(forall ((x -1 1)) (<= (^ x 2) 1))"), Verdict::proved);
    EXPECT_EQ(verdict_of("(forall ((x -1 1)) (>= (^ x 2) 0))"), Verdict::proved);
    EXPECT_EQ(verdict_of("(forall ((x -1 -2/3)) (<= (^ (+ x 1) 2) 1/9))"), Verdict::proved);
    // strictly it is false at the very border, which no midpoint hits: not proved
    // (A regression test: halving went on to the end of the budget, with ever longer fractions, for hours.)
    const Decision open = decided("(forall ((x -1 1)) (< (^ x 2) 1))");
    EXPECT_EQ(open.verdict, Verdict::undecided);
    EXPECT_EQ(open.why, Why::node_budget);
    EXPECT_NE(witness_of(open, "open box"), "");
    // what is undecided at one border does not hide what is false elsewhere
    EXPECT_EQ(verdict_of("(forall ((x -1 1)) (> (* (+ x 1) (- 0.9 x)) 0))"), Verdict::refuted);
    // false by 10^-12 next to the border: found
    EXPECT_EQ(verdict_of("(forall ((x -1 1)) (<= (^ x 2) 0.999999999999))"), Verdict::refuted);
    EXPECT_EQ(verdict_of("(forall ((x -1 1)) (< (^ x 2) 1.000000000001))"), Verdict::proved);
}

TEST(CoverRule, a_counterexample_is_a_point_where_the_relation_fails) {
    const Decision decision = decided("(forall ((x 0 4) (y 0 4)) (<= (* x y) 15))");
    ASSERT_EQ(decision.verdict, Verdict::refuted);
    const Rational x = parse_rational(witness_of(decision, "x"));
    const Rational y = parse_rational(witness_of(decision, "y"));
    EXPECT_TRUE(x >= 0 && x <= 4 && y >= 0 && y <= 4);
    EXPECT_GT(x * y, 15);
    EXPECT_EQ(parse_rational(witness_of(decision, "left")), x * y);
    EXPECT_EQ(witness_of(decision, "right"), "15");
}

TEST(CoverRule, an_unfinished_cover_is_undecided) {
    Effort little;
    little.nodes = 50;
    const std::string flat = "(forall ((x -1 1) (y -1 1)) (> (+ (^ (- x y) 2) 1e-6) 0))";
    // (x - y)^2 is a square to the evaluator, so one box does; written out it is not
    EXPECT_EQ(verdict_of(flat, little), Verdict::proved);
    const std::string written_out = "(forall ((x -1 1) (y -1 1)) (> (+ (^ x 2) (^ y 2) 1e-2) (* 2 x y)))";
    const Decision decision = decided(written_out, little);
    EXPECT_EQ(decision.verdict, Verdict::undecided);
    EXPECT_EQ(decision.why, Why::node_budget);
    EXPECT_NE(witness_of(decision, "open box"), "");
    EXPECT_EQ(verdict_of(written_out), Verdict::proved);
}

TEST(CoverRule, what_is_undefined_somewhere_is_never_proved) {
    Effort little;
    little.nodes = 500;
    EXPECT_NE(verdict_of("(forall ((x -1 1)) (>= (sqrt x) 0))", little), Verdict::proved);
    EXPECT_NE(verdict_of("(forall ((x -1 1)) (>= (^ (/ 1 x) 2) 0))", little), Verdict::proved);
    EXPECT_NE(verdict_of("(forall ((x 0 1)) (< (log x) 1))", little), Verdict::proved);
    EXPECT_EQ(verdict_of("(forall ((x 1/8 1)) (< (log x) 1))", little), Verdict::proved);
}

TEST(CoverRule, identities_under_a_quantifier) {
    EXPECT_EQ(verdict_of("(forall ((x 0 1) (y 0 1)) (= (^ (+ x y) 2) (+ (^ x 2) (* 2 x y) (^ y 2))))"),
              Verdict::proved);
    const Decision wrong = decided("(forall ((x 0 1) (y 1 2)) (= (^ (+ x y) 2) (+ (^ x 2) (^ y 2))))");
    EXPECT_EQ(wrong.verdict, Verdict::refuted);
    const Rational x = parse_rational(witness_of(wrong, "x"));
    const Rational y = parse_rational(witness_of(wrong, "y"));
    EXPECT_NE((x + y) * (x + y), x * x + y * y);
    EXPECT_EQ(parse_rational(witness_of(wrong, "left")), (x + y) * (x + y));
    // true, but beyond the normal form
    const Decision open = decided("(forall ((x 1 2)) (= (sqrt (^ x 2)) (abs x)))");
    EXPECT_NE(open.verdict, Verdict::refuted);
    const Decision beyond = decided("(forall ((x 0 1)) (= (max x (- 1 x)) (+ 1/2 (abs (- x 1/2)))))");
    EXPECT_EQ(beyond.verdict, Verdict::undecided);
    EXPECT_EQ(beyond.why, Why::not_shown);
}

/// "Equal wherever both are defined" is less than equal everywhere: the domain counts.
TEST(CoverRule, an_identity_holds_only_where_it_is_defined) {
    EXPECT_EQ(verdict_of("(forall ((x 1 2)) (= (/ x x) 1))"), Verdict::proved);
    EXPECT_NE(verdict_of("(forall ((x -1 1)) (= (/ x x) 1))"), Verdict::proved);
    EXPECT_NE(verdict_of("(forall ((x -2 -1)) (= (^ (sqrt x) 2) x))"), Verdict::proved);
    EXPECT_NE(verdict_of("(forall ((x -2 -1)) (= (exp (log x)) x))"), Verdict::proved);
}

struct Quadratic {
    Rational a;
    Rational b;
    Rational c;
    [[nodiscard]] Rational at(const Rational& x, const Rational& y) const {
        return a * x * x + b * x * y + c * y;
    }
    [[nodiscard]] std::string text() const {
        return "(+ (* " + to_string(a) + " (^ x 2)) (* " + to_string(b) + " x y) (* " + to_string(c) + " y))";
    }
    /// The largest value on the grid of eighths of [-1, 1]^2.
    [[nodiscard]] Rational largest() const {
        Rational out = at(0, 0);
        for (int i = -8; i <= 8; ++i)
            for (int j = -8; j <= 8; ++j) out = std::max(out, at(Rational(i, 8), Rational(j, 8)));
        return out;
    }
};

RC_GTEST_PROP(CoverRuleProperty, quadratics_against_brute_force, ()) {
    const Quadratic f{Rational(pick(-6, 6), 2), Rational(pick(-6, 6), 2), Rational(pick(-6, 6), 2)};
    const auto below = [&](const Rational& bound) {
        return decided("(forall ((x -1 1) (y -1 1)) (< " + f.text() + " " + to_string(bound) + "))");
    };
    // The gradient is at most 2|a| + |b| <= 9 in x and |b| + |c| <= 6 in y, the grid at most 1/16 away.
    const Rational largest = f.largest();
    RC_ASSERT(below(largest + 1).verdict == Verdict::proved);
    const Decision refuted = below(largest - Rational(1, 3));
    RC_ASSERT(refuted.verdict == Verdict::refuted);
    const Rational x = parse_rational(witness_of(refuted, "x"));
    const Rational y = parse_rational(witness_of(refuted, "y"));
    RC_ASSERT(f.at(x, y) >= largest - Rational(1, 3));
}

} // namespace
