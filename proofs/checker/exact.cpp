#include "exact.hpp"

#include <algorithm>
#include <string>

namespace kvcheck {

mpz_class floor_of(const mpq_class& x) {
    mpz_class q;
    mpz_fdiv_q(q.get_mpz_t(), x.get_num_mpz_t(), x.get_den_mpz_t());
    return q;
}

mpz_class ceiling_of(const mpq_class& x) {
    mpz_class q;
    mpz_cdiv_q(q.get_mpz_t(), x.get_num_mpz_t(), x.get_den_mpz_t());
    return q;
}

namespace {

Range product(const Range& a, const Range& b) {
    if (a.is_point() && b.is_point()) {
        const mpq_class p = a.lo * b.lo;
        return {p, p};
    }
    const mpq_class p[] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
    return {*std::min_element(p, p + 4), *std::max_element(p, p + 4)};
}

Range inverse(const Range& a) {
    if (sgn(a.lo) <= 0 && sgn(a.hi) >= 0) throw Undefined{};
    return {1 / a.hi, 1 / a.lo};
}

mpq_class power(const mpq_class& x, unsigned long n) {
    mpq_class y; // powers of coprime numbers are coprime
    mpz_pow_ui(y.get_num_mpz_t(), x.get_num_mpz_t(), n);
    mpz_pow_ui(y.get_den_mpz_t(), x.get_den_mpz_t(), n);
    return y;
}

Range power(const Range& a, const mpz_class& n) {
    if (::abs(n) > 65536) throw Undefined{};
    if (sgn(n) < 0) return inverse(power(a, -n));
    const unsigned long m = n.get_ui();
    Range r = {power(a.lo, m), power(a.hi, m)};
    if (m % 2 == 0) {
        if (m > 0 && sgn(a.lo) < 0 && sgn(a.hi) > 0) return {0, std::max(r.lo, r.hi)};
        if (sgn(a.hi) <= 0) std::swap(r.lo, r.hi);
    }
    return r;
}

Range absolute(const Range& a) {
    if (sgn(a.lo) >= 0) return a;
    const mpq_class below = -a.lo;
    if (sgn(a.hi) <= 0) return {-a.hi, below};
    return {0, std::max(below, a.hi)};
}

bool is_digits(std::string_view text) {
    if (text.empty() || (text.size() > 1 && text[0] == '0')) return false;
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

constexpr std::size_t longest_number = 2000;

} // namespace

std::optional<Range> apply(Op op, const Range& a, const Range& b) {
    switch (op) {
    case Op::add: return Range{a.lo + b.lo, a.hi + b.hi};
    case Op::subtract: return Range{a.lo - b.hi, a.hi - b.lo};
    case Op::multiply: return product(a, b);
    case Op::divide: return product(a, inverse(b));
    case Op::negate: return Range{-a.hi, -a.lo};
    case Op::abs: return absolute(a);
    case Op::min: return Range{std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    case Op::max: return Range{std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
    case Op::floor: return Range{floor_of(a.lo), floor_of(a.hi)};
    case Op::power:
        if (!b.is_point() || b.lo.get_den() != 1) return std::nullopt;
        return power(a, b.lo.get_num());
    default: return std::nullopt;
    }
}

mpq_class rounded_to_binary32(const mpq_class& x) {
    if (sgn(x) == 0) return x;
    if (sgn(x) < 0) return -rounded_to_binary32(-x);
    // 2^e <= x < 2^(e+1); a normal number is an integer multiple of 2^(e-23), a subnormal one of 2^-149.
    long e = static_cast<long>(mpz_sizeinbase(x.get_num_mpz_t(), 2)) -
             static_cast<long>(mpz_sizeinbase(x.get_den_mpz_t(), 2));
    const auto scale = [](const mpq_class& y, long bits) {
        mpq_class z;
        if (bits >= 0)
            mpq_mul_2exp(z.get_mpq_t(), y.get_mpq_t(), static_cast<mp_bitcnt_t>(bits));
        else
            mpq_div_2exp(z.get_mpq_t(), y.get_mpq_t(), static_cast<mp_bitcnt_t>(-bits));
        return z;
    };
    if (scale(1, e) > x) --e;
    const long unit = std::max(e - 23, -149L);
    const mpq_class units = scale(x, -unit);
    mpz_class n = floor_of(units);
    const mpq_class rest = units - n;
    const mpq_class half(1, 2);
    if (rest > half || (rest == half && n % 2 != 0)) n += 1;
    mpq_class result = scale(n, unit);
    if (result >= scale(1, 128)) throw Undefined{};
    return result;
}

std::optional<mpz_class> read_integer(std::string_view text) {
    const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
    if (text.size() > longest_number || !is_digits(digits) || text == "-0") return std::nullopt;
    return mpz_class(std::string(text), 10);
}

std::optional<mpq_class> read_rational(std::string_view text) {
    if (text.size() > longest_number) return std::nullopt;
    const std::size_t slash = text.find('/');
    const std::optional<mpz_class> p = read_integer(text.substr(0, slash));
    if (!p) return std::nullopt;
    if (slash == std::string_view::npos) return mpq_class(*p);
    const std::optional<mpz_class> q = read_integer(text.substr(slash + 1));
    if (!q || *q <= 1 || gcd(*p, *q) != 1) return std::nullopt;
    return mpq_class(*p, *q);
}

std::optional<mpz_class> read_scaled(std::string_view text) {
    if (text.size() > longest_number) return std::nullopt;
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    if (!text.starts_with("0x")) return std::nullopt;
    text.remove_prefix(2);
    if (text.empty() || (text[0] == '0' && (text.size() > 1 || negative))) return std::nullopt;
    if (text.find_first_not_of("0123456789abcdef") != std::string_view::npos) return std::nullopt;
    const mpz_class magnitude(std::string(text), 16);
    return negative ? mpz_class(-magnitude) : magnitude;
}

} // namespace kvcheck
