#pragma once
// What the tests of exact arithmetic share: random numbers and intervals, plain ones mixed with hard ones,
// and the checkers of containment and tightness. The checkers are tested themselves, see mutants_test.cpp.

#include "lib/exact/interval.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <ostream>
#include <vector>

namespace kvproof {

/// For the reports of RapidCheck.
inline void showValue(const Interval& x, std::ostream& out) {
    if (x.is_undefined()) {
        out << "undefined";
        return;
    }
    char* text = nullptr;
    mpfr_asprintf(&text, "[%.Ra, %.Ra] of %ld and %ld bits", x.lower(), x.upper(), mpfr_get_prec(x.lower()),
                  mpfr_get_prec(x.upper()));
    out << text;
    mpfr_free_str(text);
}

inline void showValue(const Rational& x, std::ostream& out) {
    out << to_string(x);
}

namespace test {

/// Uniform in least..most, whatever the size RapidCheck has reached.
inline long pick(long least, long most) {
    return *rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::inRange<long>(least, most + 1)));
}

inline Rational power_of_two(long n) {
    return power(Rational(2), n);
}

/// Precisions from the least one to beyond what the proofs start with.
inline rc::Gen<Bits> any_bits() {
    return rc::gen::exec([]() -> Bits {
        constexpr Bits special[] = {2, 3, 24, 53, 64, 128};
        return pick(0, 2) == 0 ? special[pick(0, 5)] : pick(2, 400);
    });
}

/// Small integers, fractions, dyadic numbers of up to 2^+-reach, decimals that no float equals, neighbours of
/// powers of two.
inline rc::Gen<Rational> any_rational(long reach = 1100) {
    return rc::gen::exec([reach]() -> Rational {
        switch (pick(0, 5)) {
        case 0: return Rational(pick(-4, 4));
        case 1: return Rational(pick(-999, 999), pick(1, 999));
        case 2: return Rational(pick(-(1L << 53), 1L << 53)) * power_of_two(pick(-reach, reach));
        case 3: return Rational(pick(-99999, 99999)) * power(Rational(10), pick(-20, 20));
        case 4: return Rational(pick(-1, 1)) + power_of_two(-pick(1, 300)) * Rational(pick(-1, 1));
        default: return Rational(pick(-(1L << 62), 1L << 62), pick(1, 1L << 62));
        }
    });
}

inline Interval ordered(const Rational& a, const Rational& b, Bits bits) {
    return a < b ? Interval::between(a, b, bits) : Interval::between(b, a, bits);
}

/// Bounded intervals: points, wide ones, signed zeros, one-ulp ones, straddling ones, tiny and huge ones.
inline rc::Gen<Interval> bounded_interval(long reach = 1100) {
    return rc::gen::exec([reach]() -> Interval {
        const Bits bits = *any_bits();
        const Rational a = *any_rational(reach);
        Interval out(a, bits);
        switch (pick(0, 8)) {
        case 0: return out;                                                        // one ulp wide, or a point
        case 1: mpfr_set(out.mutable_upper(), out.lower(), MPFR_RNDN); return out; // a point
        case 2:                                                                    // one ulp wide
            if (mpfr_zero_p(out.lower()) != 0) return out; // the number after 0 is 2^-2^30
            mpfr_set(out.mutable_upper(), out.lower(), MPFR_RNDN);
            mpfr_nextabove(out.mutable_upper());
            return out;
        case 3: // zero, its ends signed at will
            mpfr_set_zero(out.mutable_lower(), pick(0, 1) == 0 ? -1 : 1);
            mpfr_set_zero(out.mutable_upper(), pick(0, 1) == 0 ? -1 : 1);
            return out;
        case 4: // an end that is a signed zero
            out = ordered(a, Rational(0), bits);
            if (mpfr_zero_p(out.lower()) != 0)
                mpfr_set_zero(out.mutable_lower(), -1);
            else
                mpfr_set_zero(out.mutable_upper(), -1);
            return out;
        case 5: return Interval::between(-abs(a), abs(*any_rational(reach)), bits); // holds 0
        case 6: return scale_by_power_of_two(out, reach * pick(-1, 1));             // tiny or huge
        default: return ordered(a, *any_rational(reach), bits);
        }
    });
}

/// Bounded intervals mixed with unbounded and undefined ones.
inline rc::Gen<Interval> any_interval(long reach = 1100) {
    return rc::gen::exec([reach]() -> Interval {
        Interval out = *bounded_interval(reach);
        switch (pick(0, 11)) {
        case 0: return Interval::undefined();
        case 1: return Interval::whole();
        case 2: mpfr_set_inf(out.mutable_lower(), -1); return out;
        case 3: mpfr_set_inf(out.mutable_upper(), 1); return out;
        default: return out;
        }
    });
}

/// Numbers of the interval: its finite ends, its middle, a third of the way, 0 if it holds it; far ones where
/// it is unbounded.
inline std::vector<Rational> members(const Interval& x) {
    if (x.is_undefined()) return {Rational(0), Rational(-1)};
    const bool from = mpfr_number_p(x.lower()) != 0;
    const bool to = mpfr_number_p(x.upper()) != 0;
    const Rational far = power_of_two(1200);
    const Rational lower = from ? x.lower_rational()
                           : to ? Rational(x.upper_rational() - far)
                                : Rational(-far);
    const Rational upper = to ? x.upper_rational() : Rational(lower + 2 * far);
    std::vector<Rational> out{lower, upper, (lower + upper) / 2, (2 * lower + upper) / 3};
    if (x.contains(Rational(0))) out.emplace_back(0);
    return out;
}

/// The containment checker. `exact` is the operation on rationals, empty outside its domain. Returns a value
/// on members of x and y that the result misses; a result that is defined although some members lie outside
/// the domain counts as missing them, reported as 0.
template <class Exact>
std::optional<Rational> missed(const Interval& result, const Interval& x, const Interval& y,
                               const Exact& exact) {
    if (result.is_undefined()) return {};
    if (x.is_undefined() || y.is_undefined()) return Rational(0);
    for (const Rational& a : members(x)) {
        for (const Rational& b : members(y)) {
            const std::optional<Rational> value = exact(a, b);
            if (!value) return Rational(0);
            if (!result.contains(*value)) return value;
        }
    }
    return {};
}

/// The same for functions whose values are known by an enclosure only: the result surely misses the number
/// that `truth` encloses. Empty `truth` never arises, so being disjoint is the one way.
inline bool misses(const Interval& result, const Interval& truth) {
    return equal(result, truth) == Truth::no;
}

/// The tightness checker: the ends are numbers of `bits` bits, on the right sides of the range, and the next
/// numbers of that precision are not.
inline bool tightest(const Interval& result, const Rational& lower, const Rational& upper, Bits bits) {
    Interval ends(bits);
    const bool short_enough = mpfr_set(ends.mutable_lower(), result.lower(), MPFR_RNDN) == 0 &&
                              mpfr_set(ends.mutable_upper(), result.upper(), MPFR_RNDN) == 0;
    if (!short_enough || !result.contains(lower) || !result.contains(upper)) return false;
    mpfr_nextabove(ends.mutable_lower());
    mpfr_nextbelow(ends.mutable_upper());
    return mpfr_cmp_q(ends.lower(), lower.backend().data()) > 0 &&
           mpfr_cmp_q(ends.upper(), upper.backend().data()) < 0;
}

/// Equal ends, or both undefined.
inline bool same(const Interval& x, const Interval& y) {
    if (x.is_undefined() || y.is_undefined()) return x.is_undefined() && y.is_undefined();
    return mpfr_equal_p(x.lower(), y.lower()) != 0 && mpfr_equal_p(x.upper(), y.upper()) != 0;
}

} // namespace test
} // namespace kvproof
