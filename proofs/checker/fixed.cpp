#include "fixed.hpp"

#include <algorithm>

namespace kvcheck {

// In the comments an ulp is one unit of the scale that is spoken of. Truncation of a quotient or of a shifted
// product costs less than one ulp.

mpz_class shifted(const mpz_class& x, long bits, bool up) {
    mpz_class y;
    if (bits >= 0) {
        mpz_mul_2exp(y.get_mpz_t(), x.get_mpz_t(), static_cast<mp_bitcnt_t>(bits));
    } else if (up) {
        mpz_cdiv_q_2exp(y.get_mpz_t(), x.get_mpz_t(), static_cast<mp_bitcnt_t>(-bits));
    } else {
        mpz_fdiv_q_2exp(y.get_mpz_t(), x.get_mpz_t(), static_cast<mp_bitcnt_t>(-bits));
    }
    return y;
}

namespace {

mpz_class quotient(const mpz_class& a, const mpz_class& b, bool up) {
    mpz_class q;
    (up ? mpz_cdiv_q : mpz_fdiv_q)(q.get_mpz_t(), a.get_mpz_t(), b.get_mpz_t());
    return q;
}

/// x y / 2^bits, truncated towards 0: unlike a floor it ends at 0 when factors below 1 are multiplied on.
mpz_class product(const mpz_class& x, const mpz_class& y, unsigned bits) {
    mpz_class p = x * y;
    mpz_tdiv_q_2exp(p.get_mpz_t(), p.get_mpz_t(), bits);
    return p;
}

/// The result r, off by at most `error` ulps of a scale finer by `shift` bits, as an interval.
Interval widened(const mpz_class& r, const mpz_class& error, long shift) {
    return {shifted(r - error, -shift, false), shifted(r + error, -shift, true)};
}

long bit_length(const mpz_class& x) {
    return sgn(x) == 0 ? 0 : static_cast<long>(mpz_sizeinbase(x.get_mpz_t(), 2));
}

} // namespace

Interval Fixed::range(const mpq_class& lo, const mpq_class& hi) const {
    return {quotient(lo.get_num() << bits_, lo.get_den(), false),
            quotient(hi.get_num() << bits_, hi.get_den(), true)};
}

Interval Fixed::rescaled(const Interval& x, unsigned from_bits) const {
    const long by = static_cast<long>(bits_) - static_cast<long>(from_bits);
    return {shifted(x.lo, by, false), shifted(x.hi, by, true)};
}

Interval Fixed::abs(const Interval& a) {
    if (sgn(a.lo) >= 0) return a;
    if (sgn(a.hi) <= 0) return negate(a);
    const mpz_class below = -a.lo;
    return {0, std::max(below, a.hi)};
}

Interval Fixed::mul(const Interval& a, const Interval& b) const {
    const auto bits = -static_cast<long>(bits_);
    if (sgn(a.lo) >= 0 && sgn(b.lo) >= 0) {
        return {shifted(a.lo * b.lo, bits, false), shifted(a.hi * b.hi, bits, true)};
    }
    const mpz_class p[] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
    return {shifted(*std::min_element(p, p + 4), bits, false),
            shifted(*std::max_element(p, p + 4), bits, true)};
}

Interval Fixed::div(const Interval& a, const Interval& b) const {
    if (sgn(b.lo) <= 0 && sgn(b.hi) >= 0) throw Undefined{};
    if (sgn(b.hi) < 0) return div(negate(a), negate(b));
    return {quotient(a.lo << bits_, sgn(a.lo) >= 0 ? b.hi : b.lo, false),
            quotient(a.hi << bits_, sgn(a.hi) >= 0 ? b.lo : b.hi, true)};
}

Interval Fixed::power(const Interval& a, long n) const {
    if (n < -65536 || n > 65536) throw Undefined{};
    if (n < 0) return div(integer(1), power(a, -n));
    if (n % 2 == 0 && sgn(a.lo) < 0) return power(abs(a), n);
    if (n % 2 != 0 && sgn(a.hi) <= 0) return negate(power(negate(a), n));
    // Now only an odd power of a range around 0 has a negative end, and an odd power is an odd function.
    const auto end = [this, n](mpz_class x, bool up) {
        const bool negative = sgn(x) < 0;
        const bool outward = up != negative;
        if (negative) x = -x;
        mpz_class y = one_;
        for (long bit = n; bit > 0; bit >>= 1) {
            if (bit & 1) y = shifted(y * x, -static_cast<long>(bits_), outward);
            if (bit > 1) x = shifted(x * x, -static_cast<long>(bits_), outward);
        }
        return negative ? mpz_class(-y) : y;
    };
    return {end(a.lo, false), end(a.hi, true)};
}

Interval Fixed::real_power(const Interval& a, const Interval& b) {
    return exp(mul(b, log(a)));
}

Interval Fixed::floor(const Interval& a) const {
    const auto bits = static_cast<long>(bits_);
    return {shifted(shifted(a.lo, -bits, false), bits, false),
            shifted(shifted(a.hi, -bits, false), bits, false)};
}

Interval Fixed::sqrt(const Interval& a) const {
    if (sgn(a.lo) < 0) throw Undefined{};
    Interval r;
    mpz_class rest;
    r.lo = ::sqrt(mpz_class(a.lo << bits_));
    mpz_sqrtrem(r.hi.get_mpz_t(), rest.get_mpz_t(), mpz_class(a.hi << bits_).get_mpz_t());
    if (sgn(rest) != 0) r.hi += 1;
    return r;
}

/// log 2 = 2 atanh(1/3) = sum over n of 2 / ((2n+1) 3^(2n+1)), from below, off by at most 1 ulp of 2^-bits.
mpz_class Fixed::ln2(unsigned bits) {
    // At 2^-w: the term 2/3^(2n+1) is off by < 9/8 (each division by 9 costs < 1 and shrinks what was lost),
    // its share by < 17/8 for n >= 0, and the tail after a term of 0 by < 2: fewer than 2^30 in all for w <
    // 2^28.
    const unsigned w = bits + 32;
    if (ln2_bits_ < w) {
        mpz_class term = (mpz_class(2) << w) / 3;
        ln2_ = 0;
        for (unsigned n = 0; sgn(term) != 0; ++n, term /= 9) ln2_ += term / (2 * n + 1);
        ln2_bits_ = w;
    }
    return shifted(ln2_, static_cast<long>(bits) - static_cast<long>(ln2_bits_), false);
}

/// pi = 16 atan(1/5) - 4 atan(1/239) (Machin).
Interval Fixed::pi() {
    if (sgn(pi_.hi) != 0) return pi_;
    const unsigned w = bits_ + 48;
    unsigned long terms = 0;
    const auto atan_of_inverse = [w, &terms](unsigned long n) {
        mpz_class power = (mpz_class(1) << w) / n;
        mpz_class sum = 0;
        for (unsigned long k = 0; sgn(power) != 0; ++k, ++terms, power /= n * n) {
            const mpz_class term = power / (2 * k + 1);
            if (k % 2 == 0)
                sum += term;
            else
                sum -= term;
        }
        return sum;
    };
    const mpz_class r = 16 * atan_of_inverse(5) - 4 * atan_of_inverse(239);
    // A power is off by < 25/24 ulps, a term by < 3, the alternating tail by < 2: times 16.
    pi_ = widened(r, 16 * (3 * mpz_class(terms) + 4), 48);
    return pi_;
}

Interval Fixed::exp_at(const mpz_class& x) {
    const auto bits = static_cast<long>(bits_);
    if (x <= -one_ * bits) return {0, 1}; // exp(-bits) < 2^-bits
    // x = k log 2 + t. Any k near x / log 2 will do: 24204406 / 2^24 is near 1 / log 2.
    const mpz_class near = shifted(x, 32 - bits, false) * 24204406 + (mpz_class(1) << 55);
    const long k = shifted(near, -56, false).get_si();
    const long w = bits + std::max(k, 0L) + 40;
    // log 2 with 24 more bits (|k| < 2^18): t is off by at most 2 ulps of 2^-w, and |t| < 1/2.
    mpz_class t = shifted(x, w - bits, false) - shifted(k * ln2(static_cast<unsigned>(w) + 24), -24, false);
    // exp(t) = exp(t / 2^r)^(2^r), at 2^-v with v = w + 2r + 16.
    long r = 8;
    while (r * r < w / 2) ++r;
    const auto v = static_cast<unsigned>(w + 2 * r + 16);
    const mpz_class u = shifted(t, static_cast<long>(v) - w - r, false);
    // |u| < 2^-9 and off by 1 ulp. A term u^n / n! is off by < 4 ulps: what it inherits shrinks by |u|, the
    // factor's error and two truncations add < 3. After N terms the sum is off by < 4N + 8 with the tail.
    mpz_class sum = mpz_class(1) << v;
    mpz_class term = sum;
    unsigned long terms = 0;
    while (sgn(term) != 0) {
        term = product(term, u, v) / ++terms;
        sum += term;
    }
    // A squaring doubles the relative error and adds 2 ulps: after r of them < 2^r (4N + 12) ulps relative,
    // and as the result is below 1.7, < 2^(r+1) (4N + 12) ulps of 2^-v, which is (4N + 12) / 2^(r+15) < 1 ulp
    // of 2^-w.
    for (long i = 0; i < r; ++i) sum = product(sum, sum, v);
    const mpz_class y = shifted(sum, w - static_cast<long>(v), false);
    // Off by 2 ulps from here and 2 * 1.7 from t: 6 < 8.
    Interval result = widened(y, 8, w - k - bits);
    if (sgn(result.lo) < 0) result.lo = 0;
    return result;
}

Interval Fixed::log_at(const mpz_class& x) {
    const auto bits = static_cast<long>(bits_);
    // x = m 2^k with m in [2/3, 4/3); m is cut at 2^-w, w = bits + 64.
    const long w = bits + 64;
    const mpz_class unit = mpz_class(1) << static_cast<mp_bitcnt_t>(w);
    long k = bit_length(x) - bits;
    mpz_class m = shifted(x, w - bits - k, false);
    if (3 * m < 2 * unit) m = shifted(x, w - bits - --k, false);
    // log m = 2 atanh(y), y = (m - 1) / (m + 1), |y| <= 1/5. The cut of m costs y 1 ulp, its division
    // another; a power of y stays off by < 2 ulps (2/25 inherited, 2/5 from y^2, 1 truncated), a term by < 3,
    // the tail by < 3.
    const mpz_class y = ((m - unit) << static_cast<mp_bitcnt_t>(w)) / (m + unit);
    const mpz_class square = product(y, y, static_cast<unsigned>(w));
    mpz_class power = y;
    mpz_class sum = 0;
    unsigned long n = 0;
    for (; sgn(power) != 0; ++n, power = product(power, square, static_cast<unsigned>(w)))
        sum += power / (2 * n + 1);
    const mpz_class r = 2 * sum + k * ln2(static_cast<unsigned>(w));
    return widened(r, 6 * (mpz_class(n) + 2) + std::abs(k) + 1, 64);
}

/// A finer scale for series whose sum may reach exp(square): 1.45 > 1 / log 2 bits more for each unit of it.
Fixed& Fixed::finer(const mpz_class& square) {
    const mpz_class units = shifted(square, -static_cast<long>(bits_), true);
    const auto more = static_cast<unsigned>(units.get_ui() * 3 / 2);
    const unsigned bits = bits_ + 64 + (more + 63) / 64 * 64;
    std::unique_ptr<Fixed>& fixed = finer_[bits];
    if (!fixed) fixed = std::make_unique<Fixed>(bits);
    return *fixed;
}

/// 1 + z/3 + z^2/(3 5) + z^3/(3 5 7) + ... for z >= 0.
Interval Fixed::odd_factorials(const Interval& z) const {
    Interval term = integer(1);
    Interval sum = term;
    for (long n = 1;; ++n) {
        const long odd = 2 * n + 1;
        term = {shifted(term.lo * z.lo, -static_cast<long>(bits_), false) / odd,
                quotient(shifted(term.hi * z.hi, -static_cast<long>(bits_), true), odd, true)};
        sum = add(sum, term);
        // Once z / (2n + 3) <= 1/2 the terms halve at least: the rest is at most the last one.
        if (term.hi <= 1 && 2 * z.hi <= one_ * (odd + 2)) break;
    }
    sum.hi += term.hi;
    return sum;
}

/// erf(x) = 2 x exp(-x^2) (1 + (2x^2)/3 + (2x^2)^2/(3 5) + ...) / sqrt(pi).
Interval Fixed::erf_at(const mpz_class& x) {
    if (sgn(x) < 0) return negate(erf_at(-x));
    const mpz_class square = shifted(x * x, -static_cast<long>(bits_), true);
    if (square > one_ * (bits_ + 1)) return {one_ - 1, one_}; // 1 - erf(x) <= exp(-x^2) < 2^-bits
    Fixed& f = finer(square);
    const Interval at = f.rescaled({x, x}, bits_);
    const Interval z = f.mul(at, at);
    const Interval front = f.div(f.mul(add(at, at), f.exp(negate(z))), f.sqrt(f.pi()));
    return rescaled(f.mul(front, f.odd_factorials(add(z, z))), f.bits());
}

/// phi(x) = exp(-x^2/2) / sqrt(2 pi), Phi(x) = 1/2 + phi(x) (x + x^3/3 + x^5/(3 5) + ...).
Gauss Fixed::gauss_at(const mpz_class& x) {
    if (sgn(x) < 0) {
        const Gauss above = gauss_at(-x);
        return {above.density, sub(integer(1), above.distribution)};
    }
    const mpz_class half_square = shifted(x * x, -static_cast<long>(bits_) - 1, true);
    // Both phi(x) and 1 - Phi(x) are below exp(-x^2/2) < 2^-bits.
    if (half_square > one_ * (bits_ + 1)) return {{0, 1}, {one_ - 1, one_}};
    Fixed& f = finer(half_square);
    const Interval at = f.rescaled({x, x}, bits_);
    const Interval z = f.mul(at, at);
    const Interval two_pi = add(f.pi(), f.pi());
    const Interval density = f.div(f.exp(f.div(negate(z), f.integer(2))), f.sqrt(two_pi));
    const Interval half = {f.one_ / 2, f.one_ / 2};
    const Interval distribution = add(half, f.mul(f.mul(at, density), f.odd_factorials(z)));
    return {rescaled(density, f.bits()), rescaled(distribution, f.bits())};
}

/// tanh(x) = 1 - 2 / (exp(2x) + 1).
Interval Fixed::tanh_at(const mpz_class& x) {
    if (sgn(x) < 0) return negate(tanh_at(-x));
    if (x > one_ * bits_) return {one_ - 1, one_}; // 2 exp(-2x) < 2^-bits
    return sub(integer(1), div(integer(2), add(exp_at(2 * x), integer(1))));
}

// The functions below rise, so that the ends' values enclose.

Interval Fixed::exp(const Interval& a) {
    if (a.hi > one_ << 16) throw Undefined{};
    Interval lower = exp_at(a.lo);
    return a.lo == a.hi ? lower : Interval{lower.lo, exp_at(a.hi).hi};
}

Interval Fixed::log(const Interval& a) {
    if (sgn(a.lo) <= 0) throw Undefined{};
    Interval lower = log_at(a.lo);
    return a.lo == a.hi ? lower : Interval{lower.lo, log_at(a.hi).hi};
}

Interval Fixed::erf(const Interval& a) {
    Interval lower = erf_at(a.lo);
    return a.lo == a.hi ? lower : Interval{lower.lo, erf_at(a.hi).hi};
}

Interval Fixed::tanh(const Interval& a) {
    Interval lower = tanh_at(a.lo);
    return a.lo == a.hi ? lower : Interval{lower.lo, tanh_at(a.hi).hi};
}

Gauss Fixed::gauss(const Interval& x) {
    Gauss lower = gauss_at(x.lo);
    if (x.lo == x.hi) return lower;
    const Gauss upper = gauss_at(x.hi);
    // phi rises up to 0 and falls from there.
    mpz_class top = std::max(lower.density.hi, upper.density.hi);
    if (sgn(x.lo) < 0 && sgn(x.hi) > 0) top = gauss_at(0).density.hi;
    return {{std::min(lower.density.lo, upper.density.lo), top},
            {lower.distribution.lo, upper.distribution.hi}};
}

} // namespace kvcheck
