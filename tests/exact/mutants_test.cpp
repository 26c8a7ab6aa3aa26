// The tests can fail: operations with the usual mistakes of interval libraries are caught by the very
// checkers that the other tests use, on the very operands they draw.
#include "tests/exact/oracle.hpp"

#include <functional>

using namespace kvproof;
using namespace kvproof::test;

namespace {

using Binary = Interval (*)(const Interval&, const Interval&, Bits);
using Unary = Interval (*)(const Interval&, Bits);

Interval inward_add(const Interval& x, const Interval& y, Bits bits) {
    Interval out(bits);
    mpfr_add(out.mutable_lower(), x.lower(), y.lower(), MPFR_RNDU);
    mpfr_add(out.mutable_upper(), x.upper(), y.upper(), MPFR_RNDD);
    return out;
}

/// What a switched rounding mode gives when the compiler has merged both operations: 1/3 is a point.
Interval nearest_div(const Interval& x, const Interval& y, Bits bits) {
    if (y.contains(Rational(0))) return Interval::undefined();
    Interval out = div(x, y, bits);
    if (x.is_point() && y.is_point()) {
        mpfr_div(out.mutable_lower(), x.lower(), y.lower(), MPFR_RNDN);
        mpfr_set(out.mutable_upper(), out.lower(), MPFR_RNDN);
    }
    return out;
}

/// Forgets that a negative factor swaps the ends.
Interval mul_without_signs(const Interval& x, const Interval& y, Bits bits) {
    Interval out(bits);
    mpfr_mul(out.mutable_lower(), x.lower(), y.lower(), MPFR_RNDD);
    mpfr_mul(out.mutable_upper(), x.upper(), y.upper(), MPFR_RNDU);
    return out;
}

/// Divides by intervals that hold zero as if they did not.
Interval div_through_zero(const Interval& x, const Interval& y, Bits bits) {
    const Interval defined = div(x, y, bits);
    return defined.is_undefined() ? mul(x, y, bits) : defined;
}

Interval inward_exp(const Interval& x, Bits bits) {
    Interval out(bits);
    mpfr_exp(out.mutable_lower(), x.lower(), MPFR_RNDU);
    mpfr_exp(out.mutable_upper(), x.upper(), MPFR_RNDD);
    return out;
}

/// Rounds the argument first: right on the face of it, but the argument's error is not enclosed.
Interval exp_of_rounded(const Interval& x, Bits bits) {
    Interval argument(bits);
    mpfr_set(argument.mutable_lower(), x.lower(), MPFR_RNDN);
    mpfr_set(argument.mutable_upper(), x.upper(), MPFR_RNDN);
    return exp(argument, bits);
}

/// Takes erfc for increasing.
Interval erfc_with_swapped_ends(const Interval& x, Bits bits) {
    Interval out = erfc(x, bits);
    mpfr_swap(out.mutable_lower(), out.mutable_upper());
    return out;
}

/// Holds everything, but an ulp further out than it should.
Interval loose_add(const Interval& x, const Interval& y, Bits bits) {
    Interval out = add(x, y, bits);
    mpfr_nextbelow(out.mutable_lower());
    return out;
}

Interval generous_exp(const Interval& x, Bits bits) {
    Interval out = exp(x, bits);
    mpfr_nextabove(out.mutable_upper());
    return out;
}

using Value = std::optional<Rational>;
const std::function<Value(const Rational&, const Rational&)> exact_sum =
    [](const Rational& a, const Rational& b) { return Value(a + b); };
const std::function<Value(const Rational&, const Rational&)> exact_product =
    [](const Rational& a, const Rational& b) { return Value(a * b); };
const std::function<Value(const Rational&, const Rational&)> exact_quotient =
    [](const Rational& a, const Rational& b) { return b == 0 ? Value() : Value(a / b); };

/// Reports nothing: the failures are wanted.
class Silent final : public rc::detail::TestListener {
public:
    void onTestCaseFinished(const rc::detail::CaseDescription&) override {}
    void onShrinkTried(const rc::detail::CaseDescription&, bool) override {}
    void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}
};

/// Runs a property on the fixed seed; true where RapidCheck finds a counterexample.
bool is_caught(const std::function<void()>& property) {
    rc::detail::TestParams params;
    params.seed = 1;
    params.maxSuccess = 300;
    params.disableShrinking = true;
    Silent listener;
    const auto result = rc::detail::checkTestable(property, rc::detail::TestMetadata(), params, listener);
    return result.template is<rc::detail::FailureResult>();
}

bool misses_a_member(Binary op, const std::function<Value(const Rational&, const Rational&)>& exact) {
    return is_caught([&] {
        const Interval x = *bounded_interval(), y = *bounded_interval();
        RC_ASSERT(!missed(op(x, y, *any_bits()), x, y, exact));
    });
}

bool misses_arb(Unary op, void (*f)(arb_t, const arb_t, slong)) {
    return is_caught([&] {
        const Interval x = *bounded_interval(5);
        const Bits bits = *any_bits();
        const Interval result = op(x, bits);
        RC_ASSERT(!misses(result, enclosure_by(arb_function(f, x.lower()), bits + 128)));
        RC_ASSERT(!misses(result, enclosure_by(arb_function(f, x.upper()), bits + 128)));
    });
}

} // namespace

TEST(Mutants, containment_of_exact_values_is_checked) {
    EXPECT_TRUE(misses_a_member(inward_add, exact_sum));
    EXPECT_TRUE(misses_a_member(nearest_div, exact_quotient));
    EXPECT_TRUE(misses_a_member(mul_without_signs, exact_product));
    EXPECT_TRUE(misses_a_member(div_through_zero, exact_quotient));
    EXPECT_FALSE(misses_a_member(add, exact_sum)); // and the real ones pass
    EXPECT_FALSE(misses_a_member(mul, exact_product));
    EXPECT_FALSE(misses_a_member(kvproof::div, exact_quotient));
}

TEST(Mutants, containment_of_arbs_values_is_checked) {
    EXPECT_TRUE(misses_arb(inward_exp, arb_exp));
    EXPECT_TRUE(misses_arb(exp_of_rounded, arb_exp));
    EXPECT_TRUE(misses_arb(erfc_with_swapped_ends, arb_hypgeom_erfc));
    EXPECT_FALSE(misses_arb(kvproof::exp, arb_exp));
    EXPECT_FALSE(misses_arb(kvproof::erfc, arb_hypgeom_erfc));
}

TEST(Mutants, tightness_is_checked) {
    const auto loose = [](Binary op) {
        return is_caught([op] {
            const Interval x = *bounded_interval(), y = *bounded_interval();
            const Bits bits = *any_bits();
            RC_ASSERT(tightest(op(x, y, bits), x.lower_rational() + y.lower_rational(),
                               x.upper_rational() + y.upper_rational(), bits));
        });
    };
    EXPECT_TRUE(loose(loose_add));
    EXPECT_TRUE(loose(inward_add));
    EXPECT_FALSE(loose(add));
    const auto generous = [](Unary op) {
        return is_caught([op] {
            const Interval x = *bounded_interval(5);
            const Bits bits = *any_bits();
            RC_ASSERT(check_upper(op(x, bits), arb_function(arb_exp, x.upper()), bits).best);
        });
    };
    EXPECT_TRUE(generous(generous_exp));
    EXPECT_FALSE(generous(kvproof::exp));
}
