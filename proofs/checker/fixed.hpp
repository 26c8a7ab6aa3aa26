#pragma once

// Enclosures by fixed-point numbers: an Interval holds two integers, read as multiples of 2^-bits. Every
// operation rounds its lower end down and its upper end up, so that the true value, for whatever operands lie
// in the given intervals, lies in the result. Outside its domain an operation throws Undefined.

#include <gmpxx.h>

#include <map>
#include <memory>

namespace kvcheck {

/// An operation left its domain, or a quantity is not determined.
struct Undefined {};

struct Interval {
    mpz_class lo, hi;
};

/// The density and the distribution function of the standard normal law at one point.
struct Gauss {
    Interval density, distribution;
};

[[nodiscard]] mpz_class shifted(const mpz_class& x, long bits, bool up); ///< x 2^bits, rounded to an integer

class Fixed {
public:
    explicit Fixed(unsigned bits) : bits_(bits), one_(mpz_class(1) << bits) {}
    [[nodiscard]] unsigned bits() const { return bits_; }

    [[nodiscard]] Interval range(const mpq_class& lo, const mpq_class& hi) const;
    [[nodiscard]] Interval integer(long n) const { return {one_ * n, one_ * n}; }
    /// x, at another scale.
    [[nodiscard]] Interval rescaled(const Interval& x, unsigned from_bits) const;

    [[nodiscard]] static Interval add(const Interval& a, const Interval& b) {
        return {a.lo + b.lo, a.hi + b.hi};
    }
    [[nodiscard]] static Interval sub(const Interval& a, const Interval& b) {
        return {a.lo - b.hi, a.hi - b.lo};
    }
    [[nodiscard]] static Interval negate(const Interval& a) { return {-a.hi, -a.lo}; }
    [[nodiscard]] static Interval abs(const Interval& a);
    [[nodiscard]] Interval mul(const Interval& a, const Interval& b) const;
    [[nodiscard]] Interval div(const Interval& a, const Interval& b) const;  // 0 must not lie in b
    [[nodiscard]] Interval power(const Interval& a, long n) const;           // a product of factors
    [[nodiscard]] Interval real_power(const Interval& a, const Interval& b); // exp(b log a), a > 0
    [[nodiscard]] Interval floor(const Interval& a) const;
    [[nodiscard]] Interval sqrt(const Interval& a) const; // a >= 0
    [[nodiscard]] Interval exp(const Interval& a);        // a <= 2^16
    [[nodiscard]] Interval log(const Interval& a);        // a > 0
    [[nodiscard]] Interval erf(const Interval& a);
    [[nodiscard]] Interval tanh(const Interval& a);
    [[nodiscard]] Interval pi();
    [[nodiscard]] Interval e() { return exp(integer(1)); }
    /// phi and Phi at x, an interval so narrow that the ends' values describe it.
    [[nodiscard]] Gauss gauss(const Interval& x);

private:
    [[nodiscard]] Interval exp_at(const mpz_class& x);
    [[nodiscard]] Interval log_at(const mpz_class& x);
    [[nodiscard]] Interval erf_at(const mpz_class& x);
    [[nodiscard]] Interval tanh_at(const mpz_class& x);
    [[nodiscard]] Gauss gauss_at(const mpz_class& x);
    [[nodiscard]] Interval odd_factorials(const Interval& z) const;
    [[nodiscard]] mpz_class ln2(unsigned bits);
    [[nodiscard]] Fixed& finer(const mpz_class& square);

    unsigned bits_;
    mpz_class one_;
    mpz_class ln2_; // at the scale ln2_bits_
    unsigned ln2_bits_ = 0;
    Interval pi_{0, 0};
    std::map<unsigned, std::unique_ptr<Fixed>> finer_;
};

} // namespace kvcheck
