#pragma once

// Normal forms: a term as a quotient of polynomials with rational coefficients in atoms. What is an atom, and
// what is replaced, says docs/certificates.md. Equal quotients prove terms equal, different ones prove
// nothing.

#include "formula.hpp"

#include <map>

namespace kvcheck {

/// A product of powers of atoms, ascending by atom. Exponents are positive, but for those inside exp(m/q).
using Monomial = std::vector<std::pair<int, long>>;
using Polynomial = std::map<Monomial, mpq_class>; ///< no zero coefficients

struct Quotient {
    Polynomial above, below; ///< below is not zero
};

class NormalForms {
public:
    explicit NormalForms(const Statement& statement) : nodes_(statement.nodes), forms_(nodes_.size()) {}

    /// Whether both nodes have one normal form. False where one has none, or one of more than 20000 terms.
    [[nodiscard]] bool equal(int a, int b);

private:
    const Quotient& form(int id);
    Quotient computed(int id);
    Quotient atom(const std::string& key, long exponent = 1);
    Quotient root(int id);
    Quotient logarithm(int id);
    Quotient exponential(const Quotient& exponent, int id);
    Quotient hyperbolic_tangent(int id);
    [[nodiscard]] Quotient reduced(Quotient x) const;
    [[nodiscard]] Quotient power(const Quotient& x, const mpz_class& n) const;

    const std::vector<Node>& nodes_;
    std::vector<std::optional<Quotient>> forms_;
    std::map<std::string, int> atoms_;
    std::map<int, Quotient> squares_; ///< of the atoms that are square roots
    std::map<int, mpq_class> log_of_; ///< atom log r: r
    std::map<std::pair<int, int>, bool> answers_;
};

} // namespace kvcheck
