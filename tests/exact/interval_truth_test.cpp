// What intervals answer: comparisons in three values, undefined operands, membership and accuracy.
#include "tests/exact/generators.hpp"

#include <algorithm>

using namespace kvproof;
using namespace kvproof::test;

namespace {

constexpr Truth no = Truth::no;
constexpr Truth unknown = Truth::unknown;
constexpr Truth yes = Truth::yes;

Interval interval(long lower, long upper) {
    return Interval::between(Rational(lower), Rational(upper), 64);
}

Truth truth_of(bool all, bool none) {
    return all ? yes : none ? no : unknown;
}

} // namespace

TEST(Truth, tables) {
    EXPECT_EQ(!no, yes);
    EXPECT_EQ(!unknown, unknown);
    EXPECT_EQ(!yes, no);
    const Truth order[] = {no, unknown, yes};
    for (const Truth a : order)
        for (const Truth b : order) {
            const bool some_no = a == no || b == no;
            EXPECT_EQ(a & b, some_no ? no : a == yes && b == yes ? yes : unknown);
        }
}

TEST(Truth, comparisons_of_known_positions) {
    struct Row {
        Interval x, y;
        Truth less, less_equal, equal;
    };
    const Row rows[] = {
        {interval(1, 2), interval(3, 4), yes, yes, no},
        {interval(3, 4), interval(1, 2), no, no, no},
        {interval(1, 2), interval(2, 3), unknown, yes, unknown}, // touching: 2 < 2 fails
        {interval(2, 3), interval(1, 2), no, unknown, unknown},
        {interval(1, 3), interval(2, 4), unknown, unknown, unknown},
        {interval(1, 4), interval(2, 3), unknown, unknown, unknown},
        {interval(1, 2), interval(1, 2), unknown, unknown, unknown}, // the same ends, not the same number
        {interval(2, 2), interval(2, 2), no, yes, yes},
        {interval(2, 2), interval(2, 3), unknown, yes, unknown},
        {interval(2, 2), interval(3, 3), yes, yes, no},
        {Interval::whole(), interval(1, 1), unknown, unknown, unknown},
        {Interval::whole(), Interval::whole(), unknown, unknown, unknown},
        {Interval::undefined(), interval(1, 1), unknown, unknown, unknown},
        {interval(1, 1), Interval::undefined(), unknown, unknown, unknown},
        {Interval::undefined(), Interval::undefined(), unknown, unknown, unknown},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(less(row.x, row.y), row.less) << &row - rows;
        EXPECT_EQ(less_equal(row.x, row.y), row.less_equal) << &row - rows;
        EXPECT_EQ(equal(row.x, row.y), row.equal) << &row - rows;
    }
}

// Each answer is the one that all pairs of members give; a bounded interval's extreme pairs are its ends.
RC_GTEST_PROP(Truth, comparisons_answer_for_all_members, ()) {
    const Interval x = *bounded_interval(30);
    const Interval y = pick(0, 3) == 0 ? x : *bounded_interval(30);
    const Rational a = x.lower_rational(), b = x.upper_rational();
    const Rational c = y.lower_rational(), d = y.upper_rational();
    RC_ASSERT(less(x, y) == truth_of(b < c, a >= d));
    RC_ASSERT(less_equal(x, y) == truth_of(b <= c, a > d));
    RC_ASSERT(equal(x, y) == truth_of(a == b && b == c && c == d, b < c || d < a));
}

RC_GTEST_PROP(Truth, overlapping_intervals_never_decide, ()) {
    Rational ends[4];
    for (Rational& end : ends) end = *any_rational(60);
    std::ranges::sort(ends);
    RC_PRE(ends[0] < ends[1] && ends[1] < ends[2] && ends[2] < ends[3]);
    const Bits bits = 400; // enough to keep such ends apart
    const Interval x = Interval::between(ends[0], ends[2], bits);
    const Interval y = Interval::between(ends[1], ends[3], bits);
    const Interval inner = Interval::between(ends[1], ends[2], bits);
    const Interval outer = Interval::between(ends[0], ends[3], bits);
    for (const auto& [p, q] : {std::pair{x, y}, {y, x}, {inner, outer}, {outer, inner}, {x, x}}) {
        RC_ASSERT(less(p, q) == unknown);
        RC_ASSERT(less_equal(p, q) == unknown);
        RC_ASSERT(equal(p, q) == unknown);
    }
}

TEST(Interval, undefined_is_contagious) {
    const Interval u = Interval::undefined();
    const Interval one(Rational(1), 64);
    for (const auto& op : {add, sub, mul, kvproof::div}) {
        EXPECT_TRUE(op(u, one, 64).is_undefined());
        EXPECT_TRUE(op(one, u, 64).is_undefined());
    }
    for (const auto& op : {kvproof::min, kvproof::max, hull}) {
        EXPECT_TRUE(op(u, one).is_undefined());
        EXPECT_TRUE(op(one, u).is_undefined());
    }
    using Unary = Interval (*)(const Interval&, Bits);
    for (const Unary op :
         {Unary(sqr), Unary(sqrt), Unary(exp), Unary(log), Unary(erf), Unary(erfc), Unary(tanh)})
        EXPECT_TRUE(op(u, 64).is_undefined());
    EXPECT_TRUE(neg(u).is_undefined());
    EXPECT_TRUE(abs(u).is_undefined());
    for (const long n : {-2, 0, 3}) EXPECT_TRUE(pow(u, n, 64).is_undefined());
    EXPECT_TRUE(pow(u, one, 64).is_undefined());
    EXPECT_TRUE(pow(one, u, 64).is_undefined());
    EXPECT_TRUE(scale_by_power_of_two(u, 3).is_undefined());
}

TEST(Interval, outside_the_domain_is_undefined) {
    const Interval one = interval(1, 1);
    for (const Interval& zero : {interval(0, 0), interval(-1, 1), interval(0, 1), interval(-1, 0),
                                 neg(interval(0, 0)), Interval::whole()}) {
        EXPECT_TRUE(div(one, zero, 64).is_undefined());
        EXPECT_TRUE(div(zero, zero, 64).is_undefined());
        EXPECT_TRUE(log(zero, 64).is_undefined());
        EXPECT_TRUE(pow(zero, -1, 64).is_undefined());
        EXPECT_TRUE(pow(zero, one, 64).is_undefined());
    }
    EXPECT_TRUE(sqrt(interval(-1, 4), 64).is_undefined());
    EXPECT_TRUE(sqrt(interval(-4, -1), 64).is_undefined());
    EXPECT_TRUE(log(interval(-4, -1), 64).is_undefined());
    EXPECT_FALSE(sqrt(interval(0, 4), 64).is_undefined());            // 0 belongs to the domain,
    EXPECT_TRUE(same(sqrt(neg(interval(0, 0)), 64), interval(0, 0))); // and so does -0
}

// An infinite end is a limit: 0 * inf and inf / inf do not occur among members.
TEST(Interval, infinite_ends) {
    const auto ray = [](long from, int direction) {
        Interval out = interval(from, from);
        mpfr_set_inf(direction < 0 ? out.mutable_lower() : out.mutable_upper(), direction);
        return out;
    };
    EXPECT_TRUE(same(mul(interval(0, 0), Interval::whole(), 64), interval(0, 0)));
    EXPECT_TRUE(same(mul(interval(0, 1), ray(3, 1), 64), ray(0, 1)));
    EXPECT_TRUE(same(mul(interval(-1, 0), ray(3, 1), 64), ray(0, -1)));
    EXPECT_TRUE(same(mul(interval(-1, 1), ray(3, 1), 64), Interval::whole()));
    EXPECT_TRUE(same(div(ray(2, 1), ray(1, 1), 64), ray(0, 1)));
    EXPECT_TRUE(same(div(ray(-2, -1), ray(1, 1), 64), ray(0, -1)));
    EXPECT_TRUE(same(div(ray(-2, -1), ray(-1, -1), 64), ray(0, 1)));
    EXPECT_TRUE(same(div(interval(-6, 8), ray(2, 1), 64), interval(-3, 4)));
    EXPECT_TRUE(same(exp(Interval::whole(), 64), ray(0, 1)));
    EXPECT_TRUE(same(log(ray(1, 1), 64), ray(0, 1)));
    EXPECT_TRUE(same(erf(Interval::whole(), 64), interval(-1, 1)));
    EXPECT_TRUE(same(erfc(Interval::whole(), 64), interval(0, 2)));
    EXPECT_TRUE(same(tanh(ray(0, 1), 64), interval(0, 1)));
    EXPECT_TRUE(same(pow(Interval::whole(), 2, 64), ray(0, 1)));
    EXPECT_TRUE(same(pow(Interval::whole(), 3, 64), Interval::whole()));
    EXPECT_TRUE(same(pow(ray(-2, -1), -1, 64), Interval::between(Rational(-1, 2), Rational(0), 64)));
    EXPECT_TRUE(same(abs(ray(5, -1)), ray(0, 1)));
}

RC_GTEST_PROP(Interval, membership, ()) {
    const Interval x = *bounded_interval();
    const Interval y = *bounded_interval();
    const Rational value = *any_rational();
    const Rational a = x.lower_rational(), b = x.upper_rational();
    RC_ASSERT(x.contains(value) == (a <= value && value <= b));
    RC_ASSERT(x.contains(a) && x.contains(b) && x.contains(x));
    RC_ASSERT(x.contains(y) == (a <= y.lower_rational() && y.upper_rational() <= b));
    RC_ASSERT(Interval::whole().contains(x) && !x.contains(Interval::whole()));
    RC_ASSERT(Interval::undefined().contains(x) && !x.contains(Interval::undefined()));
    RC_ASSERT(x.is_point() == (a == b));
}

// accuracy() is a lower bound of -log2(width / larger magnitude), and less than 3 below it.
RC_GTEST_PROP(Interval, accuracy_is_the_relative_width, ()) {
    const Interval x = *bounded_interval();
    const Rational a = x.lower_rational(), b = x.upper_rational();
    if (a == b) {
        RC_ASSERT(x.accuracy() == mpfr_get_prec(x.lower()));
        return;
    }
    if (x.contains(Rational(0))) {
        RC_ASSERT(x.accuracy() == 0);
        return;
    }
    const Rational relative = (b - a) / std::max<Rational>(abs(a), abs(b));
    RC_ASSERT(relative <= power_of_two(-x.accuracy()));
    RC_ASSERT(relative > power_of_two(-x.accuracy() - 3));
}
