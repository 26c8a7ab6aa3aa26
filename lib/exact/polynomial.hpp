#pragma once

#include "lib/exact/rational.hpp"

#include <map>
#include <string>

/// Laurent polynomials in named atoms with rational coefficients: what identical() computes with.
namespace kvproof::laurent {

/// Exponents of atoms, which are known by their canonical text; exponents may be negative, zero is never
/// stored.
using Monomial = std::map<std::string, long>;
/// Zero coefficients are never stored, so equal polynomials are equal maps.
using Polynomial = std::map<Monomial, Rational>;

/// Thrown by any of these where a result would have more than 20000 terms, an exponent beyond 10^9, or a
/// factor that trial division by small primes does not find.
struct OutOfReach {};

[[nodiscard]] Polynomial constant(const Rational& value);
[[nodiscard]] Polynomial atom(const std::string& name);
void add_term(Polynomial& sum, const Monomial& monomial, const Rational& coefficient);
[[nodiscard]] Polynomial plus(Polynomial a, const Polynomial& b);
[[nodiscard]] Monomial times(Monomial a, const Monomial& b);
[[nodiscard]] Polynomial times(const Polynomial& a, const Polynomial& b);
[[nodiscard]] Polynomial scaled(const Polynomial& a, const Rational& factor);
/// Of a polynomial of one term.
[[nodiscard]] Polynomial reciprocal(const Polynomial& single);
/// A canonical text, so that equal arguments give equal atoms.
[[nodiscard]] std::string text_of(const Polynomial& p);
/// Trial division; n >= 1.
[[nodiscard]] std::map<Integer, long> prime_factors(Integer n);

} // namespace kvproof::laurent
