#pragma once
// FLINT/Arb as an oracle: an independent implementation (other algorithms, midpoint-radius balls). It is used
// in tests only, at a precision well above that of the result under test.

#include "tests/exact/generators.hpp"

#include <arb.h>
#include <arb_hypgeom.h>

#include <functional>

namespace kvproof::test {

class Ball {
public:
    Ball() { arb_init(ball_); }
    /// The exact value of a finite mpfr number.
    explicit Ball(mpfr_srcptr x) : Ball() { arf_set_mpfr(arb_midref(ball_), x); }
    Ball(const Ball&) = delete;
    Ball& operator=(const Ball&) = delete;
    ~Ball() { arb_clear(ball_); }
    arb_ptr get() { return ball_; }
    /// Rounded outward, so that it holds the ball. Arb's exponents are unbounded, those of MPFR are not.
    Interval enclosure(Bits bits) {
        Interval out(bits);
        arb_get_interval_mpfr(out.mutable_lower(), out.mutable_upper(), ball_);
        mpfr_check_range(out.mutable_lower(), 0, MPFR_RNDD);
        mpfr_check_range(out.mutable_upper(), 0, MPFR_RNDU);
        return out;
    }

private:
    arb_t ball_;
};

/// A number by name: its ball at any precision.
using Oracle = std::function<void(arb_ptr, Bits)>;

inline Oracle arb_function(void (*f)(arb_t, const arb_t, slong), mpfr_srcptr x) {
    return [f, x](arb_ptr out, Bits bits) { f(out, Ball(x).get(), bits); };
}

inline Interval enclosure_by(const Oracle& oracle, Bits bits) {
    Ball ball;
    oracle(ball.get(), bits);
    return ball.enclosure(bits);
}

/// The oracle's number rounded to `bits` bits in the given direction: a number that an enclosure must have as
/// its end. Empty where the ball never leaves the neighbourhood of a number of that precision (mostly because
/// the value is one).
inline std::optional<Interval> rounded(const Oracle& oracle, Bits bits, mpfr_rnd_t round) {
    for (Bits working = bits + 64; working < bits + 5000; working *= 3) {
        const Interval truth = enclosure_by(oracle, working);
        Interval out(bits);
        mpfr_set(out.mutable_lower(), truth.lower(), round);
        mpfr_set(out.mutable_upper(), truth.upper(), round);
        if (out.is_point() && out.is_bounded()) return out;
    }
    return {};
}

/// The end that an enclosure has against what it must have. `held` where it is not on the wrong side,
/// `best` where it is the correctly rounded number or the oracle does not say.
struct EndCheck {
    bool held;
    bool best;
};

inline EndCheck check_lower(const Interval& result, const Oracle& oracle, Bits bits) {
    const Interval truth = enclosure_by(oracle, bits + 128);
    const auto expected = rounded(oracle, bits, MPFR_RNDD);
    return {mpfr_lessequal_p(result.lower(), truth.upper()) != 0,
            !expected || mpfr_equal_p(result.lower(), expected->lower()) != 0};
}

inline EndCheck check_upper(const Interval& result, const Oracle& oracle, Bits bits) {
    const Interval truth = enclosure_by(oracle, bits + 128);
    const auto expected = rounded(oracle, bits, MPFR_RNDU);
    return {mpfr_greaterequal_p(result.upper(), truth.lower()) != 0,
            !expected || mpfr_equal_p(result.upper(), expected->upper()) != 0};
}

} // namespace kvproof::test
