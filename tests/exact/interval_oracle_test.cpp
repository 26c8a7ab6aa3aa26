// Intervals against FLINT/Arb and MPFI: the transcendental functions hold the oracle's values, and their ends
// are the correctly rounded ones.
#include "tests/exact/oracle.hpp"

#include <mpfi.h>

#include <algorithm>

using namespace kvproof;
using namespace kvproof::test;

namespace {

using Ours = Interval (*)(const Interval&, Bits);
using Arb = void (*)(arb_t, const arb_t, slong);
using Mpfi = int (*)(mpfi_ptr, mpfi_srcptr);

struct Function {
    const char* name;
    Ours ours;
    Arb arb;
    Mpfi mpfi; // where it has the function
    bool rising;
    bool positive_only;
};

const Function functions[] = {
    {"sqrt", sqrt, arb_sqrt, mpfi_sqrt, true, true},
    {"exp", exp, arb_exp, mpfi_exp, true, false},
    {"log", log, arb_log, mpfi_log, true, true},
    {"erf", erf, arb_hypgeom_erf, nullptr, true, false},
    {"erfc", erfc, arb_hypgeom_erfc, nullptr, false, false},
    {"tanh", tanh, arb_tanh, mpfi_tanh, true, false},
};

/// Arguments within the domain: most near where the function changes, some far out.
Interval argument(bool positive_only) {
    Interval x = pick(0, 3) == 0 ? *bounded_interval(1'000'000) : *bounded_interval(12);
    return positive_only ? abs(x) : x;
}

/// MPFI's interval.
class Peer {
public:
    explicit Peer(Bits bits) { mpfi_init2(value_, bits); }
    explicit Peer(const Interval& x) : Peer(std::max(mpfr_get_prec(x.lower()), mpfr_get_prec(x.upper()))) {
        mpfi_interv_fr(value_, x.lower(), x.upper());
    }
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;
    ~Peer() { mpfi_clear(value_); }
    mpfi_ptr get() { return value_; }
    /// Holds all of ours: both hold the range, and ours is to be the narrower.
    [[nodiscard]] bool contains(const Interval& ours) const {
        return mpfr_lessequal_p(&value_->left, ours.lower()) != 0 &&
               mpfr_greaterequal_p(&value_->right, ours.upper()) != 0;
    }
    /// Has a point in common with ours.
    [[nodiscard]] bool meets(const Interval& ours) const {
        return mpfr_lessequal_p(&value_->left, ours.upper()) != 0 &&
               mpfr_greaterequal_p(&value_->right, ours.lower()) != 0;
    }

private:
    mpfi_t value_;
};

} // namespace

RC_GTEST_PROP(IntervalOracle, functions_against_arb, ()) {
    const Bits bits = *any_bits();
    for (const Function& f : functions) {
        const Interval x = argument(f.positive_only);
        RC_LOG() << f.name << " of ";
        showValue(x, RC_LOG());
        const Interval result = f.ours(x, bits);
        if (f.ours == Ours(log) && x.contains(Rational(0))) {
            RC_ASSERT(result.is_undefined());
            continue;
        }
        RC_ASSERT(!result.is_undefined());
        const EndCheck lower =
            check_lower(result, arb_function(f.arb, f.rising ? x.lower() : x.upper()), bits);
        const EndCheck upper =
            check_upper(result, arb_function(f.arb, f.rising ? x.upper() : x.lower()), bits);
        RC_ASSERT(lower.held);
        RC_ASSERT(upper.held);
        RC_ASSERT(lower.best);
        RC_ASSERT(upper.best);
    }
}

RC_GTEST_PROP(IntervalOracle, functions_against_mpfi, ()) {
    const Bits bits = *any_bits();
    for (const Function& f : functions) {
        if (f.mpfi == nullptr) continue;
        const Interval x = argument(f.positive_only);
        if (f.ours == Ours(log) && x.contains(Rational(0))) continue;
        RC_LOG() << f.name << " of ";
        showValue(x, RC_LOG());
        Peer operand(x);
        Peer theirs(bits);
        f.mpfi(theirs.get(), operand.get());
        RC_ASSERT(theirs.contains(f.ours(x, bits)));
    }
}

RC_GTEST_PROP(IntervalOracle, arithmetic_against_mpfi, ()) {
    const Interval x = *bounded_interval(1'000'000);
    const Interval y = *bounded_interval(1'000'000);
    const Bits bits = *any_bits();
    Peer p(x), q(y), theirs(bits);
    const auto check = [&](const char* name, const Interval& ours) {
        RC_LOG() << name;
        RC_ASSERT(theirs.contains(ours)); // and so their width is no less
        RC_ASSERT(theirs.meets(ours));
    };
    mpfi_add(theirs.get(), p.get(), q.get());
    check("add", add(x, y, bits));
    mpfi_sub(theirs.get(), p.get(), q.get());
    check("sub", sub(x, y, bits));
    mpfi_mul(theirs.get(), p.get(), q.get());
    check("mul", mul(x, y, bits));
    mpfi_sqr(theirs.get(), p.get());
    check("sqr", sqr(x, bits));
    if (!y.contains(Rational(0))) {
        mpfi_div(theirs.get(), p.get(), q.get());
        check("div", div(x, y, bits));
    }
    mpfi_set_prec(theirs.get(), 400);
    mpfi_abs(theirs.get(), p.get());
    check("abs", abs(x));
    mpfi_neg(theirs.get(), p.get());
    check("neg", neg(x));
}

RC_GTEST_PROP(IntervalOracle, arithmetic_against_arb, ()) {
    const Interval x = *bounded_interval(1'000'000);
    const Interval y = *bounded_interval(1'000'000);
    const Bits bits = *any_bits();
    const auto truth = [&](auto arb, mpfr_srcptr a, mpfr_srcptr b) {
        Ball out;
        arb(out.get(), Ball(a).get(), Ball(b).get(), bits + 64);
        return out.enclosure(bits + 64);
    };
    for (mpfr_srcptr a : {x.lower(), x.upper()}) {
        for (mpfr_srcptr b : {y.lower(), y.upper()}) {
            RC_ASSERT(!misses(add(x, y, bits), truth(arb_add, a, b)));
            RC_ASSERT(!misses(sub(x, y, bits), truth(arb_sub, a, b)));
            RC_ASSERT(!misses(mul(x, y, bits), truth(arb_mul, a, b)));
            if (!y.contains(Rational(0))) RC_ASSERT(!misses(div(x, y, bits), truth(arb_div, a, b)));
        }
    }
}

// x^y is monotone in either argument: the best ends are the extremes of the correctly rounded corners.
RC_GTEST_PROP(IntervalOracle, real_powers_against_arb, ()) {
    const Interval x = abs(*bounded_interval(12));
    const Interval y = *bounded_interval(8);
    const Bits bits = *any_bits();
    const Interval result = pow(x, y, bits);
    if (x.contains(Rational(0))) {
        RC_ASSERT(result.is_undefined());
        return;
    }
    std::optional<Interval> expected;
    bool known = true;
    for (mpfr_srcptr a : {x.lower(), x.upper()}) {
        for (mpfr_srcptr b : {y.lower(), y.upper()}) {
            const Oracle oracle = [a, b](arb_ptr out, Bits working) {
                arb_pow(out, Ball(a).get(), Ball(b).get(), working);
            };
            RC_ASSERT(!misses(result, enclosure_by(oracle, bits + 64)));
            const auto down = rounded(oracle, bits, MPFR_RNDD);
            const auto up = rounded(oracle, bits, MPFR_RNDU);
            known = known && down && up;
            if (!known) continue;
            const Interval corner = join_ends(*down, *up);
            expected = expected ? hull(*expected, corner) : corner;
        }
    }
    if (known) RC_ASSERT(same(result, *expected));
}

TEST(IntervalOracle, pi_and_e_at_many_precisions) {
    for (Bits bits = 2; bits <= 2000; bits += bits < 130 ? 1 : 97) {
        const Oracle arb_pi_number = [](arb_ptr out, Bits working) { arb_const_pi(out, working); };
        const Oracle arb_e_number = [](arb_ptr out, Bits working) { arb_const_e(out, working); };
        for (const auto& [ours, oracle] :
             {std::pair{pi(bits), arb_pi_number}, std::pair{euler_e(bits), arb_e_number}}) {
            const auto down = rounded(oracle, bits, MPFR_RNDD);
            const auto up = rounded(oracle, bits, MPFR_RNDU);
            ASSERT_TRUE(down && up);
            EXPECT_TRUE(same(ours, join_ends(*down, *up))) << bits;
        }
    }
}

// Where a ball cannot tell the value from the number beside it, the enclosure must still reach beyond it:
// exp(x) > 1 for the tiniest x > 0, erf and tanh stay below 1, and so on.
TEST(IntervalOracle, values_too_near_to_a_float_for_balls) {
    const Interval tiny = scale_by_power_of_two(Interval(Rational(1), 2), -1'000'000);
    const Interval huge = scale_by_power_of_two(Interval(Rational(1), 2), 1'000'000);
    const Interval one(Rational(1), 53);
    const auto just_above = [](const Interval& x, const Interval& base) {
        Interval next(base);
        mpfr_nextabove(next.mutable_upper());
        return mpfr_equal_p(x.lower(), base.lower()) != 0 && mpfr_equal_p(x.upper(), next.upper()) != 0;
    };
    const auto just_below = [](const Interval& x, const Interval& base) {
        Interval next(base);
        mpfr_nextbelow(next.mutable_lower());
        return mpfr_equal_p(x.upper(), base.upper()) != 0 && mpfr_equal_p(x.lower(), next.lower()) != 0;
    };
    EXPECT_TRUE(just_above(exp(tiny, 53), one));
    EXPECT_TRUE(just_below(exp(neg(tiny), 53), one));
    EXPECT_TRUE(just_below(erf(huge, 53), one));
    EXPECT_TRUE(just_below(tanh(huge, 53), one));
    EXPECT_TRUE(just_below(tanh(tiny, 53), scale_by_power_of_two(one, -1'000'000)));
    EXPECT_TRUE(just_below(erfc(tiny, 53), one));
    EXPECT_TRUE(just_below(erfc(neg(huge), 53), Interval(Rational(2), 53)));
    EXPECT_TRUE(just_above(pow(Interval(Rational(2), 53), tiny, 53), one));
    // Over- and underflow: the true value lies between the last number and the infinite or zero end.
    const Interval overflown = exp(huge, 53);
    EXPECT_TRUE(mpfr_inf_p(overflown.upper()) != 0 && mpfr_number_p(overflown.lower()) != 0);
    const Interval underflown = erfc(huge, 53);
    EXPECT_TRUE(mpfr_zero_p(underflown.lower()) != 0 && mpfr_zero_p(underflown.upper()) == 0);
}
