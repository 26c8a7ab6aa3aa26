// Evaluation at one point after another gives what evaluation from nothing gives, to the last bit.
#include "lib/exact/evaluator.hpp"

#include "tests/exact/formulas.hpp"

using namespace kvproof;
using namespace kvproof::test;

namespace {

/// Every name has a value; x and y move, the quantities do not.
class SomeQuantities final : public Quantities {
public:
    [[nodiscard]] Interval enclose(const std::string& name, Bits bits) const override {
        return Interval(Rational(static_cast<long>(name.size()), 7), bits);
    }
    [[nodiscard]] std::optional<Rational> exact(const std::string& /*name*/) const override { return {}; }
};

/// A box in which the last name often moves alone, as in an enumeration.
void move(Box& box) {
    for (const char* name : {"x", "y"}) {
        if (box.contains(name) && pick(0, 2) == 0) continue;
        const Rational at(pick(-6, 6), pick(1, 3));
        box[name] = {at, at + (pick(0, 3) == 0 ? Rational(1, 3) : Rational(0))};
    }
}

bool same(const Interval& x, const Interval& y) {
    if (x.is_undefined() || y.is_undefined()) return x.is_undefined() && y.is_undefined();
    return mpfr_equal_p(x.lower(), y.lower()) != 0 && mpfr_equal_p(x.upper(), y.upper()) != 0;
}

RC_GTEST_PROP(EvaluatorProperty, as_if_from_nothing, ()) {
    const SomeQuantities quantities;
    const Bits bits = pick(24, 150);
    Evaluator evaluator(quantities, bits);
    std::vector<Expr> exprs;
    std::vector<std::size_t> numbers;
    for (long i = pick(1, 4); i > 0; --i) {
        const Expr fresh = expression(whole_grammar(), 4);
        // some are built from others
        exprs.push_back(exprs.empty() || pick(0, 1) == 0 ? fresh
                                                         : Expr::apply(Op::add, {exprs.back(), fresh}));
        numbers.push_back(evaluator.add(exprs.back()));
    }
    Box box;
    for (int step = 0; step < 12; ++step) {
        move(box);
        evaluator.move_to(box);
        for (std::size_t i = 0; i < exprs.size(); ++i)
            RC_ASSERT(same(evaluator.value(numbers[i]), enclose(exprs[i], box, quantities, bits)));
    }
}

TEST(Evaluator, equal_terms_have_one_number_and_others_do_not) {
    Evaluator evaluator(no_quantities(), 64);
    const auto sum = [](const char* a, const char* b) {
        return Expr::apply(Op::add, {Expr::variable(a), Expr::variable(b)});
    };
    const std::size_t first = evaluator.add(sum("x", "y"));
    EXPECT_EQ(evaluator.add(sum("x", "y")), first);
    EXPECT_NE(evaluator.add(sum("y", "x")), first);
    EXPECT_NE(evaluator.add(Expr::apply(Op::sub, {Expr::variable("x"), Expr::variable("y")})), first);
    EXPECT_NE(evaluator.add(Expr::quantity("x")), evaluator.add(Expr::variable("x")));
    EXPECT_NE(evaluator.add(Expr::rational(Rational(1, 2))), evaluator.add(Expr::rational(Rational(1, 3))));
}

/// A step function: 1 above a third.
class AboveAThird final : public Quantities {
public:
    [[nodiscard]] Interval enclose(const std::string&, Bits) const override { return Interval::undefined(); }
    [[nodiscard]] std::optional<Rational> exact(const std::string&) const override { return {}; }
    [[nodiscard]] Interval enclose_function(const std::string&, const std::vector<Rational>& arguments,
                                            Bits bits) const override {
        return Interval(Rational(arguments[0] > Rational(1, 3) ? 1 : 0), bits);
    }
};

/// A function looks at exact arguments, and two of them may have one enclosure: it once kept the value of the
/// first.
TEST(Evaluator, a_function_sees_what_enclosures_do_not_tell_apart) {
    const AboveAThird quantities;
    Evaluator evaluator(quantities, 64);
    const std::size_t number = evaluator.add(parse_expr("(best x 1)", {"x"}));
    for (const long above : {0, 1, 0}) {
        const Rational x = Rational(1, 3) + above * power_of_two(-200);
        evaluator.move_to({{"x", {x, x}}});
        EXPECT_TRUE(same(evaluator.value(number), Interval(Rational(above), 64))) << above;
    }
}

/// What moves is seen: also where a product with 0 hid it before, and where a term was undefined.
TEST(Evaluator, a_value_that_was_hidden_comes_back) {
    Evaluator evaluator(no_quantities(), 64);
    const Expr x = Expr::variable("x");
    const Expr y = Expr::variable("y");
    const std::size_t product = evaluator.add(Expr::apply(Op::mul, {x, Expr::apply(Op::sqrt, {y})}));
    const auto at = [&](long a, long b) {
        evaluator.move_to({{"x", {a, a}}, {"y", {b, b}}});
        return evaluator.value(product);
    };
    EXPECT_TRUE(same(at(0, 4), Interval(Rational(0), 64)));
    EXPECT_TRUE(same(at(0, 9), Interval(Rational(0), 64)));
    EXPECT_TRUE(same(at(1, 9), Interval(Rational(3), 64)));
    EXPECT_TRUE(at(1, -1).is_undefined());
    EXPECT_TRUE(same(at(2, 9), Interval(Rational(6), 64)));
    EXPECT_FALSE(same(at(2, 16), Interval(Rational(6), 64)));
}

/// Doubling shared subtrees: 2^200 leaves, 200 nodes.
TEST(Evaluator, a_subtree_in_many_places_is_one_term) {
    Expr doubled = Expr::variable("x");
    for (int i = 0; i < 200; ++i) doubled = Expr::apply(Op::add, {doubled, doubled});
    Evaluator evaluator(no_quantities(), 64);
    const std::size_t number = evaluator.add(doubled);
    evaluator.move_to({{"x", {3, 3}}});
    EXPECT_TRUE(same(evaluator.value(number), Interval(3 * power_of_two(200), 64)));
}

} // namespace
