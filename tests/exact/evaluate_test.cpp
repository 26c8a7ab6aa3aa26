// Evaluation over boxes: enclosures hold the exact range and every value at a point, and a decided relation
// is decided as exact evaluation at points decides it.
#include "tests/exact/formulas.hpp"

#include "lib/error.hpp"

#include <algorithm>
#include <numeric>

using namespace kvproof;
using namespace kvproof::test;

namespace {

using Point = std::map<std::string, Rational>;

/// Evaluates at a point, apart from the code under test.
struct AtPoint {
    using Value = std::optional<Rational>;
    const Point& point;

    static Value rational(const Rational& value) { return value; }
    static Value pi() { return {}; }
    static Value e() { return {}; }
    [[nodiscard]] Value variable(const std::string& name) const { return point.at(name); }
    static Value quantity(const std::string&) { return {}; }
    static Value apply(const Expr& node, const std::vector<Value>& a) {
        for (const Value& value : a)
            if (!value) return {};
        const Rational& x = *a.front();
        const Rational& y = *a.back();
        switch (node.op()) {
        case Op::neg: return -x;
        case Op::add: return x + y;
        case Op::sub: return x - y;
        case Op::mul: return x * y;
        case Op::div: return y == 0 ? Value() : x / y;
        case Op::pow: {
            if (y < 0 && x == 0) return {};
            Rational out(1);
            for (Rational i(0); i < abs(y); i += 1) out *= x;
            return y < 0 ? Rational(1 / out) : out;
        }
        case Op::abs: return x < 0 ? -x : x;
        case Op::min: return x < y ? x : y;
        case Op::max: return x < y ? y : x;
        case Op::floor: return Rational(floor(x));
        default: return {};
        }
    }
};

std::optional<Rational> value_at(const Expr& expr, const Point& point) {
    AtPoint algebra{point};
    return fold(expr, algebra);
}

Box any_box() {
    Box box;
    for (const char* name : {"x", "y"}) {
        const Rational lower(pick(-20, 20), pick(1, 6));
        box[name] = {lower, pick(0, 3) == 0 ? lower : Rational(lower + Rational(pick(0, 30), pick(1, 9)))};
    }
    return box;
}

/// Corners and points inside.
std::vector<Point> points_of(const Box& box) {
    const Rational steps[] = {Rational(0), Rational(1), Rational(1, 2), Rational(1, 7), Rational(8, 9)};
    std::vector<Point> out;
    for (const Rational& s : steps)
        for (const Rational& t : steps) {
            const Range& x = box.at("x");
            const Range& y = box.at("y");
            out.push_back(
                {{"x", x.lower + s * (x.upper - x.lower)}, {"y", y.lower + t * (y.upper - y.lower)}});
        }
    return out;
}

bool link_holds(Relation relation, const Rational& a, const Rational& b) {
    switch (relation) {
    case Relation::less: return a < b;
    case Relation::less_equal: return a <= b;
    case Relation::greater: return a > b;
    case Relation::greater_equal: return a >= b;
    case Relation::equal: return a == b;
    }
    return false;
}

/// Whether the chain holds at the point; nothing where a term is undefined.
std::optional<bool> chain_at(const Formula& relation, const Point& point) {
    bool all = true;
    for (std::size_t i = 1; i < relation.terms.size(); ++i) {
        const auto left = value_at(relation.terms[i - 1], point);
        const auto right = value_at(relation.terms[i], point);
        if (!left || !right) return {};
        all = all && link_holds(relation.relation, *left, *right);
    }
    return all;
}

Formula any_relation(Relation relation, long depth) {
    Formula out;
    out.relation = relation;
    for (long i = pick(2, 3); i > 0; --i) out.terms.push_back(expression(rational_grammar(), depth));
    return out;
}

/// sqrt(v)^2 + 0: the same value where v >= 0, but not rational, so that enclosures decide.
Expr through_a_root(const Expr& v) {
    return Expr::apply(Op::pow, {Expr::apply(Op::sqrt, {v}), Expr::rational(Rational(2))});
}

/// Quantities for tests: a third, known exactly or by enclosures only.
class Third final : public Quantities {
public:
    explicit Third(bool known) : known_(known) {}
    [[nodiscard]] Interval enclose(const std::string&, Bits bits) const override {
        return Interval(Rational(1, 3), bits);
    }
    [[nodiscard]] std::optional<Rational> exact(const std::string&) const override {
        return known_ ? std::optional(Rational(1, 3)) : std::nullopt;
    }

private:
    bool known_;
};

/// Functions for tests: `best` adds its arguments, `waterfill` takes the root of the first.
class SumAndRoot final : public Quantities {
public:
    [[nodiscard]] Interval enclose(const std::string&, Bits) const override { return Interval::undefined(); }
    [[nodiscard]] std::optional<Rational> exact(const std::string&) const override { return {}; }
    [[nodiscard]] Interval enclose_function(const std::string& name, const std::vector<Rational>& arguments,
                                            Bits bits) const override {
        const auto sum = exact_function(name, arguments);
        return sum ? Interval(*sum, bits) : sqrt(Interval(arguments[0], bits), bits);
    }
    [[nodiscard]] std::optional<Rational>
    exact_function(const std::string& name, const std::vector<Rational>& arguments) const override {
        if (name != "best") return {};
        return std::accumulate(arguments.begin(), arguments.end(), Rational(0));
    }
};

} // namespace

RC_GTEST_PROP(Evaluate, functions_take_exact_points, ()) {
    const Box box = {{"x", {3, 3}}, {"y", {0, 1}}};
    const SumAndRoot functions;
    const auto truth = [&](const std::string& text) {
        const Expr term = parse_expr(text, {"x", "y"});
        const auto range = exact_range(term, box, functions);
        const Interval enclosure = enclose(term, box, functions, *any_bits());
        return std::pair(range ? range->lower : Rational(-1), enclosure);
    };
    RC_ASSERT(truth("(best x 1/3 (* 2 x))").first == Rational(28, 3));
    RC_ASSERT(truth("(* 3 (best x 1/3))").second.contains(Rational(10)));
    RC_ASSERT(truth("(best x y)").first == -1);            // not one number
    RC_ASSERT(truth("(best x y)").second.is_undefined());  //
    RC_ASSERT(truth("(best x pi)").second.is_undefined()); // not rational
    RC_ASSERT(truth("(waterfill 4 1)").first == -1);       // known by enclosures only
    RC_ASSERT(truth("(waterfill 4 1)").second.contains(Rational(2)));
    RC_ASSERT(truth("(best (waterfill 4 1) 1)").second.is_undefined());
}

RC_GTEST_PROP(Evaluate, enclosures_hold_the_exact_range_and_all_points, ()) {
    const Expr expr = *any_expression(rational_grammar(), 4);
    const Box box = any_box();
    const Bits bits = *any_bits();
    const Interval enclosure = enclose(expr, box, no_quantities(), bits);
    const auto range = exact_range(expr, box, no_quantities());
    if (range) {
        RC_ASSERT(range->lower <= range->upper);
        RC_ASSERT(enclosure.contains(range->lower));
        RC_ASSERT(enclosure.contains(range->upper));
    }
    for (const Point& point : points_of(box)) {
        const auto value = value_at(expr, point);
        RC_ASSERT((value || !range)); // an exact range is promised to be defined everywhere
        if (!value) RC_ASSERT(enclosure.is_undefined());
        if (value) RC_ASSERT(enclosure.contains(*value));
        if (value && range) RC_ASSERT((range->lower <= *value && *value <= range->upper));
    }
}

// Where each variable occurs once, the range is not only held but met.
TEST(Evaluate, exact_ranges_of_single_operations) {
    const Box box = {{"x", {Rational(-2), Rational(3)}}, {"y", {Rational(1, 2), Rational(4)}}};
    const std::tuple<const char*, Rational, Rational> rows[] = {
        {"(- x)", Rational(-3), Rational(2)},           {"(+ x y)", Rational(-3, 2), Rational(7)},
        {"(- x y)", Rational(-6), Rational(5, 2)},      {"(* x y)", Rational(-8), Rational(12)},
        {"(/ x y)", Rational(-4), Rational(6)},         {"(^ x 2)", Rational(0), Rational(9)},
        {"(^ x 3)", Rational(-8), Rational(27)},        {"(^ x 0)", Rational(1), Rational(1)},
        {"(^ y -1)", Rational(1, 4), Rational(2)},      {"(^ (- y) -1)", Rational(-2), Rational(-1, 4)},
        {"(^ (- y) -2)", Rational(1, 16), Rational(4)}, {"(abs x)", Rational(0), Rational(3)},
        {"(abs (- y))", Rational(1, 2), Rational(4)},   {"(min x y)", Rational(-2), Rational(3)},
        {"(max x y)", Rational(1, 2), Rational(4)},     {"(floor y)", Rational(0), Rational(4)},
        {"(floor (- y))", Rational(-4), Rational(-1)},
    };
    for (const auto& [text, lower, upper] : rows) {
        const Expr expr = parse_expr(text, {"x", "y"});
        const auto range = exact_range(expr, box, no_quantities());
        ASSERT_TRUE(range) << text;
        EXPECT_EQ(range->lower, lower) << text;
        EXPECT_EQ(range->upper, upper) << text;
        EXPECT_TRUE(same(enclose(expr, box, no_quantities(), 64), Interval::between(lower, upper, 64)))
            << text;
    }
    for (const char* text :
         {"(/ y x)", "(^ x -1)", "(sqrt y)", "pi", "(^ y x)", "(/ 1 (- y y))", "(^ y 1/2)"})
        EXPECT_FALSE(exact_range(parse_expr(text, {"x", "y"}), box, no_quantities())) << text;
}

RC_GTEST_PROP(Evaluate, decided_relations_are_decided_rightly, ()) {
    Formula relation = any_relation(static_cast<Relation>(pick(0, 4)), pick(0, 3));
    const Box box = any_box();
    Formula by_enclosures = relation; // the same statement, out of reach of exact arithmetic
    for (Expr& term : by_enclosures.terms) term = through_a_root(term);
    RC_LOG() << to_machine(relation);
    const Truth exact = holds(relation, box, no_quantities(), 64);
    const Truth enclosed = holds(by_enclosures, box, no_quantities(), 64);
    RC_ASSERT(!(exact == Truth::yes && enclosed == Truth::no));
    RC_ASSERT(!(exact == Truth::no && enclosed == Truth::yes));
    for (const Point& point : points_of(box)) {
        const auto truth = chain_at(relation, point);
        if (!truth) RC_ASSERT(exact != Truth::yes);
        if (!truth) RC_ASSERT(enclosed != Truth::yes);
        for (const Truth decided : {exact, enclosed}) {
            if (truth && *truth) RC_ASSERT(decided != Truth::no);
            if (truth && !*truth) RC_ASSERT(decided != Truth::yes);
        }
    }
}

// At a point nothing is left open: the exact answer is yes or no, equality included.
RC_GTEST_PROP(Evaluate, points_are_always_decided, ()) {
    const Formula relation = any_relation(static_cast<Relation>(pick(0, 4)), 3);
    Box box = any_box();
    for (auto& [name, range] : box) range.upper = range.lower;
    const auto truth = chain_at(relation, points_of(box).front());
    if (truth) RC_ASSERT(holds(relation, box, no_quantities(), 2) == (*truth ? Truth::yes : Truth::no));
}

TEST(Evaluate, a_chain_fails_with_its_failing_link_only) {
    const auto decide = [](const char* text) { return holds(parse_formula(text), {}, no_quantities(), 64); };
    EXPECT_EQ(decide("(< 3 pi 4)"), Truth::yes);
    EXPECT_EQ(decide("(< 3 4 pi)"), Truth::no);
    EXPECT_EQ(decide("(< pi 3 4)"), Truth::no);
    EXPECT_EQ(decide("(< pi pi 4)"), Truth::unknown); // enclosures cannot tell pi from pi
    EXPECT_EQ(decide("(< pi pi 3)"), Truth::no);
    EXPECT_EQ(decide("(= (* 1/3 3) 1 2/2)"), Truth::yes);
    EXPECT_EQ(decide("(= (* 1/3 3) 1 (exp 0))"), Truth::yes);
    EXPECT_EQ(decide("(< 0 (/ 1 0))"), Truth::unknown);
    EXPECT_EQ(decide("(< 0 (log -1))"), Truth::unknown);
    EXPECT_EQ(decide("(>= (exp 1) 2.718281828)"), Truth::yes);
    EXPECT_EQ(decide("(> 2.718281828 e)"), Truth::no);
    EXPECT_EQ(decide("(<= (floor (- pi)) -4)"), Truth::yes);
    EXPECT_EQ(decide("(= (^ 2 (- 3)) 1/8)"), Truth::yes);
}

TEST(Evaluate, more_bits_decide_what_few_leave_open) {
    const Formula f = parse_formula("(< 3.14159265358979323846 pi 3.14159265358979323847)");
    EXPECT_EQ(holds(f, {}, no_quantities(), 20), Truth::unknown);
    EXPECT_EQ(holds(f, {}, no_quantities(), 128), Truth::yes);
}

TEST(Evaluate, quantities_come_from_their_source) {
    const Formula f = parse_formula("(= (* 3 a.third) 1)");
    EXPECT_EQ(holds(f, {}, Third(true), 64), Truth::yes);
    EXPECT_EQ(holds(f, {}, Third(false), 64), Truth::unknown);
    try {
        (void)holds(f, {}, no_quantities(), 64);
        FAIL() << "an unknown quantity was accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::unknown_quantity);
    }
}
