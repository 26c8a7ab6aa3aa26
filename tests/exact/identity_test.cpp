// The decider of identities: equal expressions in different shapes are recognised, and no two different ones
// are ever called equal.
#include "lib/exact/identity.hpp"
#include "tests/exact/formulas.hpp"

#include <map>

using namespace kvproof;
using namespace kvproof::test;

namespace {

/// A polynomial in x and y: coefficients by the exponents of x and y. The tests expand products here, by
/// themselves.
using Table = std::map<std::pair<long, long>, Rational>;

Table product(const Table& a, const Table& b) {
    Table out;
    for (const auto& [i, c] : a)
        for (const auto& [j, d] : b) out[{i.first + j.first, i.second + j.second}] += c * d;
    return out;
}

Expr number(const Rational& value) {
    return Expr::rational(value);
}

Expr two(Op op, const Expr& a, const Expr& b) {
    return Expr::apply(op, {a, b});
}

Expr variable_power(const char* name, long n) {
    return two(Op::pow, Expr::variable(name), number(Rational(n)));
}

/// The polynomial as a sum of monomials.
Expr written_out(const Table& table) {
    Expr out = number(Rational(0));
    for (const auto& [exponents, coefficient] : table)
        out = two(Op::add, out,
                  two(Op::mul, two(Op::mul, variable_power("x", exponents.first), number(coefficient)),
                      variable_power("y", exponents.second)));
    return out;
}

Table any_factor() {
    return {{{1, 0}, Rational(pick(-5, 5), pick(1, 3))},
            {{0, 1}, Rational(pick(-5, 5), pick(1, 3))},
            {{0, 0}, Rational(pick(-5, 5), pick(1, 3))}};
}

/// A product of linear factors, once as it is and once expanded.
struct Product {
    std::vector<Table> factors;
    Table expanded = {{{0, 0}, Rational(1)}};
};

Product any_product() {
    Product out;
    for (long i = pick(1, 4); i > 0; --i) {
        out.factors.push_back(any_factor());
        out.expanded = product(out.expanded, out.factors.back());
    }
    return out;
}

Truth decide(const char* left, const char* right) {
    return identical(parse_expr(left, {"x", "y"}), parse_expr(right, {"x", "y"}));
}

} // namespace

RC_GTEST_PROP(Identity, products_equal_their_expansions_in_either_order, ()) {
    const Product p = any_product();
    Expr forward = number(Rational(1));
    Expr backward = number(Rational(1));
    for (std::size_t i = 0; i < p.factors.size(); ++i) {
        forward = two(Op::mul, forward, written_out(p.factors[i]));
        backward = two(Op::mul, written_out(p.factors[p.factors.size() - 1 - i]), backward);
    }
    RC_ASSERT(identical(forward, backward) == Truth::yes);
    RC_ASSERT(identical(forward, written_out(p.expanded)) == Truth::yes);
    RC_ASSERT(identical(written_out(p.expanded), backward) == Truth::yes);
}

RC_GTEST_PROP(Identity, a_perturbed_coefficient_is_never_equal, ()) {
    const Product p = any_product();
    Expr forward = number(Rational(1));
    for (const Table& factor : p.factors) forward = two(Op::mul, forward, written_out(factor));
    Table wrong = p.expanded;
    wrong[{pick(0, 5), pick(0, 5)}] += Rational(pick(0, 1) == 0 ? -1 : 1) * power_of_two(-pick(0, 300));
    RC_ASSERT(identical(forward, written_out(wrong)) != Truth::yes);
}

RC_GTEST_PROP(Identity, fractions_are_compared_across, ()) {
    const Table a = any_factor(), b = any_factor(), c = any_factor(), d = any_factor();
    const Expr p = written_out(a), q = written_out(b), r = written_out(c), s = written_out(d);
    const auto zero = [](const Table& t) {
        return std::ranges::all_of(t, [](const auto& term) { return term.second == 0; });
    };
    RC_PRE(!zero(b) && !zero(d));
    const Expr sum = two(Op::add, two(Op::div, p, q), two(Op::div, r, s));
    const Expr joined =
        two(Op::div, two(Op::add, two(Op::mul, p, s), two(Op::mul, r, q)), two(Op::mul, q, s));
    RC_ASSERT(identical(sum, joined) == Truth::yes);
    const Expr wrong = two(Op::add, joined, number(power_of_two(-40)));
    RC_ASSERT(identical(sum, wrong) != Truth::yes);
}

// Whatever is called equal must agree at points, as far as enclosures can tell.
RC_GTEST_PROP(Identity, yes_is_never_refuted_by_evaluation, ()) {
    const Grammar grammar{{Op::neg, Op::sqrt, Op::exp, Op::log, Op::tanh},
                          {Op::add, Op::sub, Op::mul, Op::div, Op::pow},
                          {"x", "y"},
                          false};
    const Expr left = expression(grammar, 3);
    const Expr right = pick(0, 1) == 0 ? expression(grammar, 3) : two(Op::sub, left, expression(grammar, 2));
    const Truth answer = identical(left, right);
    RC_ASSERT(answer != Truth::no);
    if (answer != Truth::yes) return;
    for (long i = 0; i < 4; ++i) {
        const Rational x(pick(1, 50), pick(1, 20)), y(pick(1, 50), pick(1, 20));
        const Box point = {{"x", {x, x}}, {"y", {y, y}}};
        RC_ASSERT(equal(enclose(left, point, no_quantities(), 200),
                        enclose(right, point, no_quantities(), 200)) != Truth::no);
    }
}

TEST(Identity, known_identities) {
    const std::pair<const char*, const char*> rows[] = {
        {"(- (/ 1 (+ 1 (exp -10))) (/ 1 (+ 1 (exp 10))))", "(tanh 5)"},
        {"(tanh x)", "(/ (- (exp (* 2 x)) 1) (+ (exp (* 2 x)) 1))"},
        {"(tanh (- x))", "(- (tanh x))"},
        {"(- 1 (^ (tanh x) 2))", "(/ 4 (^ (+ (exp x) (exp (- x))) 2))"},
        {"(^ (sqrt x) 2)", "x"},
        {"(^ (sqrt (+ x y)) 4)", "(^ (+ x y) 2)"},
        {"(^ (/ 2 (sqrt (* 2 pi))) 2)", "(/ 2 pi)"},
        {"(* (- (sqrt x) (sqrt y)) (+ (sqrt x) (sqrt y)))", "(- x y)"},
        {"(* (- (sqrt 2) 1) (+ (sqrt 2) 1))", "1"},
        {"(log 12)", "(+ (* 2 (log 2)) (log 3))"},
        {"(log (/ 8 27))", "(* 3 (- (log 2) (log 3)))"},
        {"(log (* 2 pi e))", "(+ (log 2) (log pi) 1)"},
        {"(log (^ e 3))", "3"},
        {"(exp 3)", "(* e e e)"},
        {"(exp (+ x y))", "(* (exp x) (exp y))"},
        {"(exp (- x))", "(/ 1 (exp x))"},
        {"(exp (* 3 (log 2)))", "8"},
        {"(exp (- (log 6)))", "1/6"},
        {"(^ 2 (+ x 1))", "(* 2 (^ 2 x))"},
        {"(^ 2 (* -2 x))", "(/ 1 (^ (^ 2 x) 2))"},
        {"(^ 4 x)", "(^ 2 (* 2 x))"},
        {"(^ 6 x)", "(* (^ 2 x) (^ 3 x))"},
        {"(/ (exp (* (/ 2 x) (- x y) (log 2))) (* 2 pi e))", "(/ (^ 2 (- 1 (/ (* 2 y) x))) (* pi e))"},
        {"(* a.b (+ a.b c.d))", "(+ (* a.b a.b) (* c.d a.b))"},
        {"(/ x x)", "1"}, // wherever both are defined
    };
    for (const auto& [left, right] : rows) {
        EXPECT_EQ(decide(left, right), Truth::yes) << left << " = " << right;
        EXPECT_EQ(decide(right, left), Truth::yes) << right << " = " << left;
        const std::string wrong = "(+ " + std::string(right) + " 1/1000000000000)";
        EXPECT_EQ(decide(left, wrong.c_str()), Truth::unknown) << left << " = " << wrong;
    }
}

TEST(Identity, what_is_not_shown_is_unknown) {
    const std::pair<const char*, const char*> rows[] = {
        {"1", "2"},
        {"pi", "22/7"},
        {"e", "(exp 2)"},
        {"x", "y"},
        {"a.b", "a.c"},
        {"(sqrt (^ x 2))", "x"},                  // false for x < 0
        {"(log (* x y))", "(+ (log x) (log y))"}, // needs x, y > 0
        {"(log -1)", "(log -1)"},
        {"(/ 1 0)", "(/ 1 0)"}, // undefined is equal to nothing
        {"(exp x)", "(exp y)"},
        {"(tanh x)", "(tanh (* 2 x))"},
        {"(sqrt 2)", "(sqrt 3)"},
        {"(^ 2 x)", "(^ 3 x)"},
        {"(erf x)", "(erf x)"}, // beyond the normal form
        {"(^ x 201)", "(^ x 201)"},
        {"(exp 201)", "(exp 201)"},
    };
    for (const auto& [left, right] : rows)
        EXPECT_EQ(decide(left, right), Truth::unknown) << left << " = " << right;
}

// A bound variable that is called e was once taken for the number, and log e = 1 for all e.
TEST(Identity, variables_are_not_constants) {
    for (const char* name : {"e", "pi"}) {
        const Expr variable = Expr::variable(name);
        const Expr constant = parse_expr(name);
        EXPECT_EQ(identical(variable, variable), Truth::yes);
        EXPECT_EQ(identical(variable, constant), Truth::unknown);
        const Expr log_variable = Expr::apply(Op::log, {variable});
        EXPECT_EQ(identical(log_variable, Expr::apply(Op::log, {constant})), Truth::unknown);
    }
}

// 200^9 does not fit into a long: nine nested powers once could wrap around to an exponent they do not have.
TEST(Identity, powers_of_powers_do_not_wrap_around) {
    Expr tower = Expr::variable("x");
    for (int i = 0; i < 16; ++i) tower = two(Op::pow, tower, number(Rational(16))); // x^(2^64)
    EXPECT_EQ(identical(tower, number(Rational(1))), Truth::unknown);
    EXPECT_EQ(identical(tower, Expr::variable("x")), Truth::unknown);
}
