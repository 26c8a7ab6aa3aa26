#include "lib/exact/polynomial.hpp"

#include <cstdlib>

namespace kvproof::laurent {
namespace {

constexpr std::size_t most_terms = 20000;
constexpr long largest_exponent = 1'000'000'000;

} // namespace

Polynomial constant(const Rational& value) {
    if (value == 0) return {};
    return {{Monomial{}, value}};
}

Polynomial atom(const std::string& name) {
    return {{Monomial{{name, 1}}, Rational(1)}};
}

void add_term(Polynomial& sum, const Monomial& monomial, const Rational& coefficient) {
    if (coefficient == 0) return;
    const auto [at, fresh] = sum.try_emplace(monomial, coefficient);
    if (!fresh && (at->second += coefficient) == 0) sum.erase(at);
    if (sum.size() > most_terms) throw OutOfReach{};
}

Polynomial plus(Polynomial a, const Polynomial& b) {
    for (const auto& [monomial, coefficient] : b) add_term(a, monomial, coefficient);
    return a;
}

Monomial times(Monomial a, const Monomial& b) {
    for (const auto& [name, exponent] : b) {
        long& sum = a[name];
        sum += exponent;
        if (std::labs(sum) > largest_exponent) throw OutOfReach{}; // powers of powers would wrap around
        if (sum == 0) a.erase(name);
    }
    return a;
}

Polynomial times(const Polynomial& a, const Polynomial& b) {
    Polynomial product;
    for (const auto& [m, c] : a)
        for (const auto& [n, d] : b) add_term(product, times(m, n), c * d);
    return product;
}

Polynomial scaled(const Polynomial& a, const Rational& factor) {
    return times(a, constant(factor));
}

std::string text_of(const Polynomial& p) {
    std::string out;
    for (const auto& [monomial, coefficient] : p) {
        out += "+" + to_string(coefficient);
        for (const auto& [name, exponent] : monomial) out += "*" + name + "^" + std::to_string(exponent);
    }
    return "{" + out + "}";
}

std::map<Integer, long> prime_factors(Integer n) {
    std::map<Integer, long> out;
    for (Integer prime = 2; prime * prime <= n; ++prime) {
        if (prime > 10000) throw OutOfReach{};
        for (; n % prime == 0; n /= prime) ++out[prime];
    }
    if (n > 1) ++out[n];
    return out;
}

Polynomial reciprocal(const Polynomial& single) {
    Monomial inverse;
    for (const auto& [name, exponent] : single.begin()->first) inverse[name] = -exponent;
    return {{inverse, 1 / single.begin()->second}};
}

} // namespace kvproof::laurent
