#pragma once

#include "lib/exact/rational.hpp"

#include <mpfr.h>

#include <memory>
#include <optional>

namespace kvproof {

/// A precision in bits. There is no global default: every operation is told the precision of its result.
using Bits = long;

/// The three answers of a question about enclosures.
enum class Truth { no, unknown, yes };

/// A closed interval of real numbers with MPFR endpoints: an enclosure of one number or of the range of a
/// function. Every operation rounds its lower end down and its upper end up, once, from exact operands, so
/// the result holds every value the operation takes on members of its operands. Ends may be infinite (then
/// they are not members). An *undefined* interval stands for "some argument may lie outside the function's
/// domain"; it is contagious and answers every question with unknown.
class Interval {
public:
    /// The point 0.
    explicit Interval(Bits bits = 2);
    /// The tightest enclosure of a rational with ends of this precision.
    Interval(const Rational& value, Bits bits);
    Interval(const Interval& other);
    /// What has been moved from may only be assigned to or destroyed.
    Interval(Interval&& other) noexcept;
    Interval& operator=(const Interval& other);
    Interval& operator=(Interval&& other) noexcept;
    ~Interval() = default;

    /// The point that a finite binary64 (or binary32) is.
    [[nodiscard]] static Interval from_double(double value);
    /// The point that an MPFR number (not NaN) is, with its precision.
    [[nodiscard]] static Interval point(mpfr_srcptr value);
    /// The tightest enclosure of [lower, upper]; lower <= upper.
    [[nodiscard]] static Interval between(const Rational& lower, const Rational& upper, Bits bits);
    /// An undefined interval.
    [[nodiscard]] static Interval undefined();
    /// (-inf, inf).
    [[nodiscard]] static Interval whole();

    [[nodiscard]] mpfr_srcptr lower() const { return lower_; }
    [[nodiscard]] mpfr_srcptr upper() const { return upper_; }
    /// For code that computes an end by itself: the ends must stay ordered. MPFR does not own their limbs:
    /// mpfr_set_prec, mpfr_clear and a swap with a foreign number are not for them.
    [[nodiscard]] mpfr_ptr mutable_lower() { return lower_; }
    [[nodiscard]] mpfr_ptr mutable_upper() { return upper_; }

    [[nodiscard]] bool is_undefined() const { return mpfr_nan_p(lower_) != 0 || mpfr_nan_p(upper_) != 0; }
    [[nodiscard]] bool is_point() const { return mpfr_equal_p(lower_, upper_) != 0; }
    [[nodiscard]] bool is_bounded() const { return mpfr_number_p(lower_) != 0 && mpfr_number_p(upper_) != 0; }
    [[nodiscard]] bool contains(const Rational& value) const;
    [[nodiscard]] bool contains(const Interval& inner) const;

    /// The exact values of the ends, which must be finite.
    [[nodiscard]] Rational lower_rational() const;
    [[nodiscard]] Rational upper_rational() const;

    /// How many leading bits both ends share: -log2 of the width over the larger magnitude, rounded down; the
    /// precision of the ends for a point; 0 where the enclosure is unbounded or holds zero inside.
    [[nodiscard]] Bits accuracy() const;

private:
    struct Precisions {
        Bits lower;
        Bits upper;
    };
    /// Ends of these precisions, without a value yet.
    explicit Interval(Precisions bits);

    /// Takes the ends over from an interval that is about to be destroyed or assigned to.
    void take(Interval& other) noexcept;

    // The limbs of both ends. Up to this many lie in the object: allocating would double the price of adding.
    static constexpr std::size_t most_inner_limbs = 12;
    mp_limb_t inner_[most_inner_limbs]; // NOLINT(cppcoreguidelines-pro-type-member-init): MPFR writes them
    std::unique_ptr<mp_limb_t[]> outer_;
    mpfr_t lower_;
    mpfr_t upper_;

    friend Interval join_ends(const Interval& x, const Interval& y);
};

[[nodiscard]] Interval add(const Interval& x, const Interval& y, Bits bits);
[[nodiscard]] Interval sub(const Interval& x, const Interval& y, Bits bits);
[[nodiscard]] Interval mul(const Interval& x, const Interval& y, Bits bits);
/// Undefined where y may be zero.
[[nodiscard]] Interval div(const Interval& x, const Interval& y, Bits bits);
[[nodiscard]] Interval neg(const Interval& x);
[[nodiscard]] Interval abs(const Interval& x);
[[nodiscard]] Interval sqr(const Interval& x, Bits bits);
/// Undefined where x may be negative.
[[nodiscard]] Interval sqrt(const Interval& x, Bits bits);
/// Integer power; undefined where the exponent is negative and x may be zero.
[[nodiscard]] Interval pow(const Interval& x, long exponent, Bits bits);
/// Real power of a positive base; undefined where the base may be zero or negative.
[[nodiscard]] Interval pow(const Interval& x, const Interval& exponent, Bits bits);
[[nodiscard]] Interval exp(const Interval& x, Bits bits);
/// Undefined where x may be zero or negative.
[[nodiscard]] Interval log(const Interval& x, Bits bits);
[[nodiscard]] Interval erf(const Interval& x, Bits bits);
[[nodiscard]] Interval erfc(const Interval& x, Bits bits);
[[nodiscard]] Interval tanh(const Interval& x, Bits bits);
[[nodiscard]] Interval pi(Bits bits);
[[nodiscard]] Interval euler_e(Bits bits);
[[nodiscard]] Interval min(const Interval& x, const Interval& y);
[[nodiscard]] Interval max(const Interval& x, const Interval& y);
/// The smallest interval that holds both.
[[nodiscard]] Interval hull(const Interval& x, const Interval& y);
/// The interval with the lower end of x and the upper end of y; for monotone functions evaluated at both
/// ends.
[[nodiscard]] Interval join_ends(const Interval& x, const Interval& y);
/// A point near the middle of a bounded interval. A guess: no promise hangs on it.
[[nodiscard]] Interval midpoint(const Interval& x, Bits bits);
/// Multiplication by 2^n, which is exact.
[[nodiscard]] Interval scale_by_power_of_two(const Interval& x, long n);

/// Whether every member of x is less than every member of y (yes), none is (no), or it depends (unknown).
[[nodiscard]] Truth less(const Interval& x, const Interval& y);
[[nodiscard]] Truth less_equal(const Interval& x, const Interval& y);
/// yes only for two equal points, no for disjoint intervals.
[[nodiscard]] Truth equal(const Interval& x, const Interval& y);

/// The binary32 (binary64) to which every member rounds, ties to even; nothing where the ends round apart.
[[nodiscard]] std::optional<float> shared_float32(const Interval& x);
[[nodiscard]] std::optional<double> shared_float64(const Interval& x);

[[nodiscard]] Truth operator!(Truth t);
[[nodiscard]] Truth operator&(Truth a, Truth b);

} // namespace kvproof
