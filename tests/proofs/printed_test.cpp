// Statements about printed numbers: three outcomes, against brute force over a grid of what the digits may
// stand for, and the rows of the audit with changed digits.
#include "lib/exact/printed.hpp"
#include "proofs/registry.hpp"
#include "tests/exact/generators.hpp"
#include "tests/proofs/decided.hpp"
#include "tests/record/refusal.hpp"

#include <algorithm>
#include <sstream>

using namespace kvproof;
using namespace kvproof::testing_support;
using test::pick;

namespace {

TEST(Printed, the_last_digit_says_how_far_a_number_was_rounded) {
    EXPECT_EQ(half_unit("0.49"), Rational(1, 200));
    EXPECT_EQ(half_unit("-0.490"), Rational(1, 2000));
    EXPECT_EQ(half_unit("22001"), Rational(1, 2));
    EXPECT_EQ(half_unit("4.84e8"), Rational(500000));
    EXPECT_EQ(half_unit("9.50e-5"), parse_rational("5e-8"));
    for (const char* none : {"1/2", "0x1", "", "x", "1.2.3", "nan"})
        EXPECT_TRUE(refuses([&] { (void)half_unit(none); }, ErrorCode::bad_number, {}));
}

TEST(Printed, the_form_is_read_and_written) {
    const std::string text = "(printed ((x 0.490) (y -4.84e8)) (and (< x 1) (<= y x)))";
    const Formula formula = parse_formula(text);
    EXPECT_EQ(formula.bounds[0].lower, parse_rational("0.4895"));
    EXPECT_EQ(formula.bounds[0].upper, parse_rational("0.4905"));
    EXPECT_EQ(formula.bounds[1].upper, parse_rational("-483500000"));
    EXPECT_EQ(to_machine(formula), text);
    EXPECT_EQ(to_infix(formula), "printed x = 0.490, y = -4.84e8: x < 1 and y <= x");
    for (const char* bad :
         {"(printed ((x 1/2)) (< x 1))", "(printed ((x 1 2)) (< x 1))", "(printed () (< 1 2))",
          "(printed ((x 1)) (forall ((y 0 1)) (< x y)))", "(printed ((x 1)) (part (< x 2)))",
          "(and (printed ((x 1)) (< x 2)) (< 1 2))", "(part (printed ((x 1)) (< x 2)))",
          "(printed ((x 1) (x 2)) (< x 3))", "(printed ((x 1)) (printed ((y 1)) (< x y)))"})
        EXPECT_TRUE(refuses([&] { (void)parse_formula(bad); }, ErrorCode::bad_formula, {}));
}

Effort few_boxes() {
    Effort little = small_effort();
    little.nodes = 100;
    return little;
}

TEST(Printed, three_outcomes) {
    EXPECT_EQ(verdict_of("(printed ((x 0.49)) (<= 0.485 x 0.495))"), Verdict::proved); // both ends included
    EXPECT_EQ(verdict_of("(printed ((x 0.49)) (< x 0.495))"), Verdict::supported);
    EXPECT_EQ(verdict_of("(printed ((x 0.49)) (> x 0.495))"), Verdict::refuted);
    EXPECT_EQ(verdict_of("(printed ((x 0.49)) (>= x 0.495))"), Verdict::supported); // one value
    EXPECT_EQ(verdict_of("(printed ((x 2)) (= (- x x) 0))", few_boxes()),
              Verdict::undecided); // no identities here
    const Decision edge = decided("(printed ((x 0.49)) (< x 0.49))");
    EXPECT_EQ(edge.why, Why::rounding_edge);
    EXPECT_EQ(witness_of(edge, "printed digits"), "fail");
    EXPECT_EQ(witness_of(edge, "at the printed digits"), "0.49");
    EXPECT_EQ(witness_of(edge, "within the rounding"), "[0.485, 0.495]");
    EXPECT_EQ(witness_of(decided("(printed ((x 0.49)) (<= x 0.49))"), "printed digits"), "hold");
}

/// A name that stands twice is one value: interval arithmetic alone would call these open.
TEST(Printed, a_number_used_twice_is_one_value) {
    EXPECT_EQ(verdict_of("(printed ((x 1.0)) (<= (* x (- 2 x)) 1.01))"), Verdict::proved);
    EXPECT_EQ(verdict_of("(printed ((x 1.0) (y 2.0)) (> (/ (- y x) (+ y x)) 0.28))"), Verdict::proved);
    EXPECT_EQ(verdict_of("(printed ((x 1)) (and (> x 1) (< x 1)))"), Verdict::refuted); // neither alone is
    EXPECT_EQ(verdict_of("(printed ((x 1)) (and (>= x 1) (<= x 1)))"), Verdict::supported); // by one value, 1
    EXPECT_EQ(verdict_of("(printed ((x 1) (y 1)) (and (<= 1.9 (+ x y) 2.1) (<= 0.7 (- x y) 0.8)))"),
              Verdict::supported);
    EXPECT_EQ(verdict_of("(printed ((x 1) (y 1)) (and (<= 1.9 (+ x y) 2.1) (<= 1.1 (- x y))))"),
              Verdict::refuted);
}

TEST(Printed, irrational_terms_are_enclosed) {
    EXPECT_EQ(verdict_of("(printed ((x 2.72)) (< (log x) 1.01))"), Verdict::proved);
    EXPECT_EQ(verdict_of("(printed ((x 2.72)) (< (log x) 1))"), Verdict::supported);
    EXPECT_EQ(verdict_of("(printed ((x 2.72)) (< (log x) 0.99))"), Verdict::refuted);
    EXPECT_EQ(verdict_of("(printed ((x -1)) (< (log x) 1))", few_boxes()), Verdict::undecided);
}

/// A random term of the variables a, b, c, each perhaps twice, in the operations of the audit.
std::string random_term(int depth) {
    if (depth == 0) return std::string(1, static_cast<char>('a' + pick(0, 2)));
    const char* op = std::array{"+", "-", "*", "min", "max", "/", "abs", "floor"}[pick(0, 7)];
    const std::string first = random_term(depth - 1);
    if (op == std::string("abs") || op == std::string("floor"))
        return std::string("(") + op + " " + first + ")";
    if (op == std::string("/")) return "(/ " + first + " (+ 9 (abs " + random_term(depth - 1) + ")))";
    return std::string("(") + op + " " + first + " " + random_term(depth - 1) + ")";
}

/// What the relations are on a grid of all values: how often all hold, how often not.
struct Tally {
    std::size_t holds = 0;
    std::size_t fails = 0;
};

Tally brute_force(const Formula& formula, int steps) {
    Tally out;
    const auto relations = relations_of(formula);
    std::vector<int> at(formula.bounds.size(), 0);
    while (true) {
        Box point;
        for (std::size_t i = 0; i < at.size(); ++i) {
            const Bound& bound = formula.bounds[i];
            const Rational value = bound.lower + (bound.upper - bound.lower) * Rational(at[i], steps);
            point[bound.name] = {value, value};
        }
        const bool all = std::ranges::all_of(relations, [&](const Formula* relation) {
            return holds(*relation, point, quantities(), 128) == Truth::yes;
        });
        ++(all ? out.holds : out.fails);
        std::size_t i = 0;
        while (i < at.size() && ++at[i] > steps) at[i++] = 0;
        if (i == at.size()) return out;
    }
}

/// The values that follow a record `holds` or `at K`.
Box point_of(const std::vector<std::string>& records, std::size_t first, std::size_t count) {
    Box out;
    for (std::size_t i = first; i < first + count; ++i) {
        std::istringstream fields(records.at(i));
        std::string word;
        std::string name;
        std::string value;
        fields >> word >> name >> value;
        out[name] = {parse_rational(value), parse_rational(value)};
    }
    return out;
}

/// Both points of a rounding edge lie in their box and are what they are said to be.
bool points_are_right(const Formula& formula, const Decision& edge) {
    const std::size_t n = formula.bounds.size();
    const auto relations = relations_of(formula);
    if (edge.records.size() != 2 * n + 2 || edge.records[0] != "holds" ||
        !edge.records[n + 1].starts_with("at "))
        return false;
    const Box good = point_of(edge.records, 1, n);
    const Box bad = point_of(edge.records, n + 2, n);
    const Formula& failing = *relations.at(std::stoul(edge.records[n + 1].substr(3)) - 1);
    const bool inside = std::ranges::all_of(formula.bounds, [&](const Bound& bound) {
        return std::ranges::all_of(std::array{&good, &bad}, [&](const Box* point) {
            return bound.lower <= point->at(bound.name).lower && point->at(bound.name).lower <= bound.upper;
        });
    });
    return inside && holds(failing, bad, quantities(), 128) == Truth::no &&
           std::ranges::all_of(relations, [&](const Formula* relation) {
               return holds(*relation, good, quantities(), 128) == Truth::yes;
           });
}

void expect_consistent(const Formula& formula, const Decision& decision, const Tally& seen) {
    if (decision.verdict == Verdict::proved) RC_ASSERT(seen.fails == 0U);
    if (decision.verdict == Verdict::refuted) RC_ASSERT(seen.holds == 0U);
    if (decision.verdict == Verdict::supported) RC_ASSERT(points_are_right(formula, decision));
    // a border that the grid meets and halved boxes do not may stay open, no more
    if (decision.verdict == Verdict::undecided)
        RC_ASSERT(20 * std::min(seen.holds, seen.fails) <= seen.holds + seen.fails);
}

RC_GTEST_PROP(PrintedProperty, agrees_with_brute_force, ()) {
    const auto digits = [] { return std::to_string(pick(-9, 9)) + "." + std::to_string(pick(0, 9)); };
    std::string text = "(printed ((a " + digits() + ") (b " + digits() + ") (c " + digits() + ")) (and";
    const Formula box = parse_formula(text + " (< a 100)))");
    Box middle;
    for (const Bound& bound : box.bounds) {
        const Rational value = (bound.lower + bound.upper) / 2;
        middle[bound.name] = {value, value};
    }
    for (long parts = pick(1, 2); parts > 0; --parts) {
        const std::string term = random_term(static_cast<int>(pick(1, 2)));
        const auto about = exact_range(parse_expr(term, {"a", "b", "c"}), middle, quantities());
        RC_PRE(about.has_value());
        const Rational target = about->lower + Rational(pick(-30, 30), 100);
        const Rational width = Rational(pick(1, 40), 100);
        text += " (<= " + to_string(Rational(target - width)) + " " + term + " " +
                to_string(Rational(target + width)) + ")";
    }
    const Formula formula = parse_formula(text + "))");
    Effort little;
    little.nodes = 3000;
    const Decision decision = decided(formula, little);
    RC_TAG(std::string(to_string(decision.verdict)));
    expect_consistent(formula, decision, brute_force(formula, 6));
}

/// A change of a digit of a printed number moves its range; the verdict follows.
RC_GTEST_PROP(PrintedProperty, rows_of_the_audit_with_a_changed_digit, ()) {
    static const std::vector<Formula> rows = [] {
        std::vector<Formula> out;
        for (const Claim& claim : parse_registry(audit_text()))
            if (Formula formula = parse_formula(claim.formula); formula.kind == Formula::Kind::printed)
                out.push_back(std::move(formula));
        return out;
    }();
    Formula mutant = rows.at(static_cast<std::size_t>(pick(0, static_cast<long>(rows.size()) - 1)));
    Bound& bound =
        mutant.bounds.at(static_cast<std::size_t>(pick(0, static_cast<long>(mutant.bounds.size()) - 1)));
    const Rational shift = Rational(pick(-12, 12)) * (bound.upper - bound.lower); // units of the last digit
    bound.lower += shift;
    bound.upper += shift;
    const Decision decision = decided(mutant);
    RC_ASSERT(decision.verdict != Verdict::undecided);
    Tally seen;
    for (int i = 0; i < 40; ++i) {
        Box point;
        for (const Bound& b : mutant.bounds) {
            const Rational value = b.lower + (b.upper - b.lower) * Rational(pick(0, 4), 4);
            point[b.name] = {value, value};
        }
        const auto relations = relations_of(mutant);
        const bool all = std::ranges::all_of(relations, [&](const Formula* relation) {
            return holds(*relation, point, quantities(), 128) == Truth::yes;
        });
        ++(all ? seen.holds : seen.fails);
    }
    expect_consistent(mutant, decision, seen);
}

} // namespace
