#include "lib/exact/identity.hpp"

#include "lib/error.hpp"
#include "lib/exact/polynomial.hpp"

#include <map>
#include <optional>

namespace kvproof {
namespace {

using namespace laurent;

constexpr long largest_power = 200;

/// A quotient of polynomials; a divisor of one term is never kept.
struct Fraction {
    Polynomial top;
    Polynomial bottom;
};

/// A divisor of one term moves into the numerator.
Fraction fraction(Polynomial top, Polynomial bottom) {
    if (bottom.empty()) throw OutOfReach{};
    if (bottom.size() == 1) return {times(top, reciprocal(bottom)), constant(1)};
    return {std::move(top), std::move(bottom)};
}

bool is_polynomial(const Fraction& x) {
    return x.bottom.size() == 1 && x.bottom.begin()->first.empty();
}

/// The algebra that turns an expression into its normal form. Square-root atoms are remembered with what they
/// are the root of, so that their even powers can be replaced.
class NormalForm {
public:
    using Value = Fraction;

    static Value rational(const Rational& value) { return {constant(value), constant(1)}; }
    static Value pi() { return {atom("pi"), constant(1)}; }
    static Value e() { return {atom("e"), constant(1)}; }
    // marked: a variable may be named e, which must not become the number e
    static Value variable(const std::string& name) { return {atom("?" + name), constant(1)}; }
    static Value quantity(const std::string& name) { return {atom("?" + name), constant(1)}; }

    Value apply(const Expr& node, const std::vector<Value>& a) {
        switch (node.op()) {
        case Op::neg: return {scaled(a[0].top, -1), a[0].bottom};
        case Op::add: return sum(a[0], a[1]);
        case Op::sub: return sum(a[0], {scaled(a[1].top, -1), a[1].bottom});
        case Op::mul: return product(a[0], a[1]);
        case Op::div: return product(a[0], fraction(a[1].bottom, a[1].top));
        case Op::pow: return raised(a[0], a[1]);
        case Op::sqrt: return root(a[0]);
        case Op::exp: return exponential(a[0]);
        case Op::log: return logarithm(a[0]);
        case Op::tanh: return hyperbolic_tangent(a[0]);
        default: throw OutOfReach{};
        }
    }

    Polynomial reduce_roots(Polynomial p) const {
        for (bool changed = true; changed;) {
            changed = false;
            Polynomial next;
            for (const auto& [monomial, coefficient] : p) {
                Polynomial term = constant(coefficient);
                Monomial rest;
                for (const auto& [name, exponent] : monomial) {
                    const auto radicand = roots_.find(name);
                    const long whole =
                        radicand == roots_.end() ? 0 : whole_squares(exponent, radicand->second);
                    if (whole == 0) {
                        rest[name] = exponent;
                        continue;
                    }
                    const Polynomial& factor = whole < 0 ? reciprocal(radicand->second) : radicand->second;
                    for (long i = 0; i < std::labs(whole); ++i) term = times(term, factor);
                    if (exponent != 2 * whole) rest[name] = exponent - 2 * whole;
                    changed = true;
                }
                next = plus(next, times(term, Polynomial{{rest, Rational(1)}}));
            }
            p = std::move(next);
        }
        return p;
    }

private:
    /// How many factors of the radicand to take out of root^exponent. What is left is root^0 or root^1 where
    /// the radicand is a single term (so that 2/sqrt(2) and sqrt(2) become one), else at most one factor of
    /// the root.
    static long whole_squares(long exponent, const Polynomial& radicand) {
        if (radicand.size() == 1) return exponent >= 0 ? exponent / 2 : -((1 - exponent) / 2);
        if (exponent <= -2) throw OutOfReach{};
        return exponent / 2;
    }

    Fraction sum(const Fraction& x, const Fraction& y) const {
        if (x.bottom == y.bottom) return fraction(plus(x.top, y.top), x.bottom);
        return fraction(plus(times(x.top, y.bottom), times(y.top, x.bottom)), times(x.bottom, y.bottom));
    }

    Fraction product(const Fraction& x, const Fraction& y) const {
        return fraction(reduce_roots(times(x.top, y.top)), reduce_roots(times(x.bottom, y.bottom)));
    }

    Fraction raised(const Fraction& base, const Fraction& exponent) {
        const bool constant_exponent = is_polynomial(exponent) && exponent.top.size() <= 1 &&
                                       (exponent.top.empty() || exponent.top.begin()->first.empty());
        if (constant_exponent) {
            const Rational value =
                exponent.top.empty()
                    ? Rational(0)
                    : Rational(exponent.top.begin()->second / exponent.bottom.begin()->second);
            if (denominator(value) == 1) {
                if (abs(value) > largest_power) throw OutOfReach{};
                const auto n = static_cast<long>(numerator(value));
                const Fraction factor = n < 0 ? fraction(base.bottom, base.top) : base;
                Fraction out = rational(1);
                for (long i = 0; i < std::labs(n); ++i) out = product(out, factor);
                return out;
            }
        }
        return exponential(product(exponent, logarithm(base))); // x^y = exp(y log x), x > 0
    }

    Fraction root(const Fraction& x) {
        if (!is_polynomial(x)) throw OutOfReach{};
        const Polynomial radicand = scaled(x.top, 1 / x.bottom.begin()->second);
        if (const auto split = root_of_constant(radicand)) return {*split, constant(1)};
        return {root_atom(radicand), constant(1)};
    }

    Polynomial root_atom(const Polynomial& radicand) {
        const std::string name = "sqrt" + text_of(radicand);
        roots_.insert_or_assign(name, radicand);
        return atom(name);
    }

    /// The root of a positive constant made of primes, pi and e is the product of their roots.
    std::optional<Polynomial> root_of_constant(const Polynomial& radicand) {
        if (radicand.size() != 1 || radicand.begin()->second <= 0) return {};
        Monomial factors = radicand.begin()->first;
        for (const auto& [name, exponent] : factors)
            if (name != "pi" && name != "e") return {};
        const Rational& coefficient = radicand.begin()->second;
        Polynomial out = constant(1);
        const auto take = [&](const Polynomial& base, long exponent) {
            const Polynomial factor = exponent < 0 ? reciprocal(root_atom(base)) : root_atom(base);
            for (long i = 0; i < std::labs(exponent); ++i) out = times(out, factor);
        };
        for (const auto& [name, exponent] : factors) take(atom(name), exponent);
        for (const long sign : {1L, -1L})
            for (const auto& [prime, count] :
                 prime_factors(sign > 0 ? numerator(coefficient) : denominator(coefficient)))
                take(constant(Rational(prime)), sign * count);
        return reduce_roots(out);
    }

    /// exp of a sum is the product over its terms: exp((p/q) m) = exp(m/q)^p.
    static Fraction exponential(const Fraction& x) {
        if (!is_polynomial(x)) throw OutOfReach{};
        Polynomial out = constant(1);
        for (const auto& [monomial, coefficient] : x.top) {
            const Rational value = coefficient / x.bottom.begin()->second;
            if (abs(numerator(value)) > largest_power) throw OutOfReach{};
            const auto p = static_cast<long>(numerator(value));
            const Integer q = denominator(value);
            out = times(out, exponential_of_term(monomial, p, q));
        }
        return {out, constant(1)};
    }

    static Polynomial exponential_of_term(const Monomial& monomial, long p, const Integer& q) {
        if (monomial.empty() && q == 1) return {{Monomial{{"e", p}}, Rational(1)}};
        const bool single = monomial.size() == 1 && monomial.begin()->second == 1 && q == 1;
        if (single && monomial.begin()->first.starts_with("log ")) { // exp(p log x) = x^p
            const std::string inner = monomial.begin()->first.substr(4);
            if (std::isdigit(static_cast<unsigned char>(inner[0])) != 0)
                return constant(power(Rational(Integer(inner)), p));
            return {{Monomial{{inner, p}}, Rational(1)}};
        }
        const Polynomial unit{{monomial, Rational(Integer(1), q)}};
        return {{Monomial{{"exp" + text_of(unit), p}}, Rational(1)}};
    }

    /// log of a product of primes, pi and e.
    static Fraction logarithm(const Fraction& x) {
        if (x.top.size() != 1 || x.bottom.size() != 1) throw OutOfReach{};
        const Rational factor = x.top.begin()->second / x.bottom.begin()->second;
        if (factor <= 0) throw OutOfReach{};
        Polynomial out = plus(log_integer(numerator(factor), 1), log_integer(denominator(factor), -1));
        for (const auto& [name, exponent] :
             times(x.top.begin()->first, reciprocal(x.bottom).begin()->first)) {
            if (name == "e")
                add_term(out, {}, Rational(exponent));
            else if (name == "pi") // positive; other atoms may not be
                add_term(out, Monomial{{"log pi", 1}}, Rational(exponent));
            else
                throw OutOfReach{};
        }
        return {out, constant(1)};
    }

    static Polynomial log_integer(const Integer& n, long sign) {
        Polynomial out;
        for (const auto& [prime, count] : prime_factors(n))
            add_term(out, Monomial{{"log " + prime.str(), 1}}, Rational(sign * count));
        return out;
    }

    Fraction hyperbolic_tangent(const Fraction& x) const {
        const Fraction twice = exponential({scaled(x.top, 2), x.bottom});
        const Fraction top = sum(twice, rational(-1));
        const Fraction bottom = sum(twice, rational(1));
        return product(top, fraction(bottom.bottom, bottom.top));
    }

    std::map<std::string, Polynomial> roots_;
};

} // namespace

Truth identical(const Expr& left, const Expr& right) {
    try {
        NormalForm form;
        const Fraction x = fold(left, form);
        const Fraction y = fold(right, form);
        const Polynomial difference = plus(times(x.top, y.bottom), scaled(times(y.top, x.bottom), -1));
        return form.reduce_roots(difference).empty() ? Truth::yes : Truth::unknown;
    } catch (const OutOfReach&) {
        return Truth::unknown;
    }
}

} // namespace kvproof
