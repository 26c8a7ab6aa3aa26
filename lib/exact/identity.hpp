#pragma once

#include "lib/exact/formula.hpp"
#include "lib/exact/interval.hpp"

namespace kvproof {

/// Whether two expressions are equal wherever both are defined, decided by a normal form: a quotient of
/// polynomials with rational coefficients in *atoms*. Atoms are variables, quantities, pi, e, logarithms of
/// primes and of atoms, square roots, and exponentials whose exponents are not constants; tanh is written
/// through exp, exp(n) as e^n, log of products as sums, sqrt(v)^2 as v. Atoms are treated as independent, so
/// yes means equal, and unknown means that this normal form does not show it (never that they differ).
[[nodiscard]] Truth identical(const Expr& left, const Expr& right);

} // namespace kvproof
