// Intervals against exact rational arithmetic: every operation that takes rationals to rationals holds all
// values on members of its operands, and its ends are the best ones its precision allows.
#include "tests/exact/generators.hpp"

#include <algorithm>
#include <functional>

using namespace kvproof;
using namespace kvproof::test;

namespace {

using Value = std::optional<Rational>;

struct Binary {
    const char* name;
    Interval (*ours)(const Interval&, const Interval&, Bits);
    Value (*exact)(const Rational&, const Rational&);
    bool divides = false;
};

const Binary binaries[] = {
    {"add", add, [](const Rational& a, const Rational& b) { return Value(a + b); }},
    {"sub", sub, [](const Rational& a, const Rational& b) { return Value(a - b); }},
    {"mul", mul, [](const Rational& a, const Rational& b) { return Value(a * b); }},
    {"div", div, [](const Rational& a, const Rational& b) { return b == 0 ? Value() : Value(a / b); }, true},
};

/// These are monotone in each argument (div: on either side of 0), so the range lies between corners.
bool tightest_at_corners(const Binary& op, const Interval& result, const Interval& x, const Interval& y,
                         Bits bits) {
    std::vector<Rational> corners;
    for (const Rational& a : {x.lower_rational(), x.upper_rational()})
        for (const Rational& b : {y.lower_rational(), y.upper_rational()}) corners.push_back(*op.exact(a, b));
    return tightest(result, *std::ranges::min_element(corners), *std::ranges::max_element(corners), bits);
}

/// x^n by multiplication, apart from kvproof::power.
Value slow_power(const Rational& base, long n) {
    if (n < 0 && base == 0) return {};
    Rational out(1);
    for (long i = 0; i < std::labs(n); ++i) out *= base;
    return n < 0 ? Rational(1 / out) : out;
}

bool identical_ends(const Interval& x, const Interval& y) {
    return mpfr_equal_p(x.lower(), y.lower()) != 0 && mpfr_equal_p(x.upper(), y.upper()) != 0 &&
           mpfr_get_prec(x.lower()) == mpfr_get_prec(y.lower()) &&
           mpfr_get_prec(x.upper()) == mpfr_get_prec(y.upper());
}

/// Limbs lie within the object or outside it; values survive every way of changing hands, at both kinds and
/// from one to the other.
RC_GTEST_PROP(IntervalProperty, an_interval_keeps_its_value_when_it_moves, ()) {
    const auto any = [] {
        const auto end = [](long value) { return Interval(Rational(value, 7), pick(2, 1000)); };
        Interval out = join_ends(end(pick(-50, 0)), end(pick(1, 50)));
        if (pick(0, 3) == 0) { // ends that have changed places within their object
            mpfr_swap(out.mutable_lower(), out.mutable_upper());
            mpfr_neg(out.mutable_lower(), out.lower(), MPFR_RNDD);
            mpfr_neg(out.mutable_upper(), out.upper(), MPFR_RNDU);
        }
        return out;
    };
    std::vector<Interval> kept;
    std::vector<Interval> moving; // grows, so that its members move
    for (long i = pick(1, 40); i > 0; --i) {
        kept.push_back(any());
        moving.push_back(Interval(kept.back()));
    }
    for (int step = 0; step < 20; ++step) {
        const auto i = static_cast<std::size_t>(pick(0, static_cast<long>(kept.size()) - 1));
        const auto j = static_cast<std::size_t>(pick(0, static_cast<long>(kept.size()) - 1));
        std::swap(moving[i], moving[j]);
        std::swap(kept[i], kept[j]);
        moving[i] = moving[j];
        kept[i] = Interval(kept[j]);
        const Interval before(kept[i]);
        Interval& itself = moving[j];
        moving[j] = itself;
        moving[j] = std::move(itself);
        Interval taken = std::move(moving[i]);
        moving[i] = any(); // assigned to after it was moved from
        kept[i] = moving[i];
        RC_ASSERT(identical_ends(taken, before));
        // what was copied does not change with its copy
        mpfr_set_si(taken.mutable_upper(), 1000, MPFR_RNDU);
        for (std::size_t k = 0; k < kept.size(); ++k) RC_ASSERT(identical_ends(kept[k], moving[k]));
    }
}

} // namespace

RC_GTEST_PROP(Interval, construction_is_tightest, ()) {
    const Rational a = *any_rational();
    const Rational b = *any_rational();
    const Bits bits = *any_bits();
    RC_ASSERT(tightest(Interval(a, bits), a, a, bits));
    RC_ASSERT(tightest(ordered(a, b, bits), std::min(a, b), std::max(a, b), bits));
}

// The trap of fesetround at -O2 and of Boost's mpfi number: a third becomes a point.
TEST(Interval, a_third_and_a_tenth_have_width) {
    for (const Bits bits : {2, 24, 53, 64, 113, 400}) {
        for (const Rational& value : {Rational(1, 3), Rational(-1, 3), Rational(1, 10)}) {
            const Interval x(value, bits);
            EXPECT_FALSE(x.is_point());
            EXPECT_TRUE(x.contains(value));
            const Interval quotient =
                div(Interval(numerator(value), 64), Interval(denominator(value), 64), bits);
            EXPECT_TRUE(same(quotient, x)) << bits;
            EXPECT_LT(quotient.lower_rational(), value);
            EXPECT_GT(quotient.upper_rational(), value);
        }
    }
}

TEST(Interval, a_double_is_the_point_it_is_and_not_its_decimal) {
    const Interval tenth = Interval::from_double(static_cast<double>(Rational(1, 10)));
    EXPECT_TRUE(tenth.is_point());
    EXPECT_FALSE(tenth.contains(Rational(1, 10)));
    EXPECT_TRUE(tenth.contains(parse_rational("0x1.999999999999ap-4")));
}

RC_GTEST_PROP(Interval, arithmetic_holds_all_values, ()) {
    const Interval x = *any_interval();
    const Interval y = *any_interval();
    const Bits bits = *any_bits();
    for (const Binary& op : binaries) {
        RC_LOG() << op.name;
        const Interval result = op.ours(x, y, bits);
        RC_ASSERT(!missed(result, x, y, op.exact));
        const bool vanishing = op.divides && y.contains(Rational(0));
        RC_ASSERT(result.is_undefined() == (x.is_undefined() || y.is_undefined() || vanishing));
    }
}

RC_GTEST_PROP(Interval, arithmetic_is_tightest, ()) {
    const Interval x = *bounded_interval();
    const Interval y = *bounded_interval();
    const Bits bits = *any_bits();
    for (const Binary& op : binaries) {
        RC_LOG() << op.name;
        if (op.divides && y.contains(Rational(0))) continue;
        RC_ASSERT(tightest_at_corners(op, op.ours(x, y, bits), x, y, bits));
    }
}

// Exponents far beyond any hardware format; exact rationals of this size are slow, so there are few.
TEST(Interval, arithmetic_of_tiny_and_huge_numbers) {
    const Rational tiny = power_of_two(-1'000'000); // 1e-301030
    const Rational huge = power_of_two(1'000'000);
    const Interval operands[] = {Interval(tiny, 2), Interval(huge, 2), Interval::between(-tiny, huge, 2),
                                 Interval::between(-huge, -tiny, 2), Interval(Rational(1, 3), 53)};
    for (const Binary& op : binaries)
        for (const Interval& x : operands)
            for (const Interval& y : operands)
                if (!op.divides || !y.contains(Rational(0))) {
                    EXPECT_TRUE(tightest_at_corners(op, op.ours(x, y, 53), x, y, 53)) << op.name;
                }
}

RC_GTEST_PROP(Interval, integer_powers, ()) {
    const Interval x = *any_interval(40);
    const Bits bits = *any_bits();
    const long n = pick(-9, 9);
    RC_LOG() << "exponent " << n;
    const Interval result = pow(x, n, bits);
    const auto exact = [n](const Rational& a, const Rational&) { return slow_power(a, n); };
    RC_ASSERT(!missed(result, x, Interval(), exact));
    const bool defined = !x.is_undefined() && !(n < 0 && x.contains(Rational(0)));
    RC_ASSERT(result.is_undefined() == !defined);
    if (n == 2) RC_ASSERT(same(result, sqr(x, bits)));
    if (!defined || !x.is_bounded()) return;
    const Rational a = *slow_power(x.lower_rational(), n);
    const Rational b = *slow_power(x.upper_rational(), n);
    const bool valley = n > 0 && n % 2 == 0 && x.contains(Rational(0));
    RC_ASSERT(tightest(result, valley ? Rational(0) : std::min(a, b), std::max(a, b), bits));
}

// A square of a straddling interval is not negative: the product forgets that both factors are the same
// number.
TEST(Interval, a_square_knows_that_its_factors_are_equal) {
    const Interval x = Interval::between(Rational(-1), Rational(2), 53);
    EXPECT_TRUE(same(sqr(x, 53), Interval::between(Rational(0), Rational(4), 53)));
    EXPECT_TRUE(same(mul(x, x, 53), Interval::between(Rational(-2), Rational(4), 53)));
}

// sqrt against squares of rationals: lower^2 <= x <= upper^2, and one step further not.
RC_GTEST_PROP(Interval, square_root_is_tightest, ()) {
    const Interval x = abs(*bounded_interval());
    const Bits bits = *any_bits();
    const Interval root = sqrt(x, bits);
    RC_ASSERT(root.lower_rational() >= 0);
    RC_ASSERT(root.lower_rational() * root.lower_rational() <= x.lower_rational());
    RC_ASSERT(root.upper_rational() * root.upper_rational() >= x.upper_rational());
    Interval inner(root);
    if (x.upper_rational() == 0) return;
    mpfr_nextbelow(inner.mutable_upper());
    RC_ASSERT(inner.upper_rational() * inner.upper_rational() < x.upper_rational());
    if (x.lower_rational() == 0) return;
    mpfr_nextabove(inner.mutable_lower());
    RC_ASSERT(inner.lower_rational() * inner.lower_rational() > x.lower_rational());
}

// These round nothing, whatever the precisions of their operands.
RC_GTEST_PROP(Interval, operations_without_rounding, ()) {
    const Interval x = *bounded_interval();
    const Interval y = *bounded_interval();
    const Rational a = x.lower_rational(), b = x.upper_rational();
    const Rational c = y.lower_rational(), d = y.upper_rational();
    const auto is = [](const Interval& result, const Rational& lower, const Rational& upper) {
        return result.lower_rational() == lower && result.upper_rational() == upper;
    };
    RC_ASSERT(is(neg(x), -b, -a));
    RC_ASSERT(is(abs(x), a > 0 ? a : b < 0 ? Rational(-b) : Rational(0), std::max<Rational>(-a, b)));
    RC_ASSERT(is(min(x, y), std::min(a, c), std::min(b, d)));
    RC_ASSERT(is(max(x, y), std::max(a, c), std::max(b, d)));
    RC_ASSERT(is(hull(x, y), std::min(a, c), std::max(b, d)));
    RC_ASSERT(is(join_ends(min(x, y), max(x, y)), std::min(a, c), std::max(b, d)));
    const long n = pick(-500, 500);
    RC_ASSERT(is(scale_by_power_of_two(x, n), a * power_of_two(n), b * power_of_two(n)));
}

RC_GTEST_PROP(Interval, copies_and_moves_keep_ends_and_precision, ()) {
    const Interval x = *any_interval();
    Interval copy(x);
    Interval assigned(Rational(1), 7);
    assigned = copy;
    const Interval moved(std::move(copy));
    for (const Interval* y : std::initializer_list<const Interval*>{&assigned, &moved}) {
        RC_ASSERT(same(*y, x));
        RC_ASSERT(mpfr_get_prec(y->lower()) == mpfr_get_prec(x.lower()));
        RC_ASSERT(mpfr_get_prec(y->upper()) == mpfr_get_prec(x.upper()));
    }
}
