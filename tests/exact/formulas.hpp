#pragma once
// Random expressions and formulas.

#include "lib/exact/evaluate.hpp"
#include "tests/exact/generators.hpp"

#include <string>
#include <vector>

namespace kvproof {

inline void showValue(const Expr& x, std::ostream& out) {
    out << to_machine(x);
}

inline void showValue(const Formula& x, std::ostream& out) {
    out << to_machine(x);
}

namespace test {

struct Grammar {
    std::vector<Op> unary;
    std::vector<Op> binary;
    std::vector<std::string> variables;
    bool leaves_beyond_rationals; // pi, e, quantities
};

inline const Grammar& whole_grammar() {
    static const Grammar all{
        {Op::neg, Op::sqrt, Op::exp, Op::log, Op::erf, Op::erfc, Op::tanh, Op::abs, Op::floor},
        {Op::add, Op::sub, Op::mul, Op::div, Op::pow, Op::min, Op::max},
        {"x", "y"},
        true};
    return all;
}

inline const Grammar& rational_grammar() {
    static const Grammar rational{{Op::neg, Op::abs, Op::floor},
                                  {Op::add, Op::sub, Op::mul, Op::div, Op::pow, Op::min, Op::max},
                                  {"x", "y"},
                                  false};
    return rational;
}

inline Expr leaf(const Grammar& grammar) {
    const long kind = pick(0, grammar.leaves_beyond_rationals ? 6 : 3);
    if (kind <= 1 && !grammar.variables.empty())
        return Expr::variable(grammar.variables[static_cast<std::size_t>(
            pick(0, static_cast<long>(grammar.variables.size()) - 1))]);
    switch (kind) {
    case 4: return Expr::pi();
    case 5: return Expr::e();
    case 6: return Expr::quantity(pick(0, 1) == 0 ? "lloyd.gain.3" : "codebook.x");
    default: return Expr::rational(Rational(pick(-9, 9), pick(1, 5)));
    }
}

/// An expression of at most this depth. Powers of the rational grammar have small integer exponents.
inline Expr expression(const Grammar& grammar, long depth) {
    if (depth == 0 || pick(0, 4) == 0) return leaf(grammar);
    const Expr first = expression(grammar, depth - 1);
    if (pick(0, 3) == 0)
        return Expr::apply(
            grammar.unary[static_cast<std::size_t>(pick(0, static_cast<long>(grammar.unary.size()) - 1))],
            {first});
    if (grammar.leaves_beyond_rationals && pick(0, 9) == 0) {
        std::vector<Expr> arguments = {first, expression(grammar, depth - 1)};
        if (pick(0, 1) == 0) arguments.push_back(leaf(grammar));
        return Expr::function(pick(0, 1) == 0 ? "best" : "waterfill", std::move(arguments));
    }
    const Op op =
        grammar.binary[static_cast<std::size_t>(pick(0, static_cast<long>(grammar.binary.size()) - 1))];
    if (op == Op::pow && !grammar.leaves_beyond_rationals)
        return Expr::apply(op, {first, Expr::rational(Rational(pick(-3, 4)))});
    return Expr::apply(op, {first, expression(grammar, depth - 1)});
}

inline rc::Gen<Expr> any_expression(const Grammar& grammar, long depth) {
    return rc::gen::exec([&grammar, depth] { return expression(grammar, depth); });
}

inline Formula formula(Grammar grammar, long depth) {
    Formula out;
    const long kind = depth == 0 ? 0 : pick(0, 2);
    if (kind == 0) {
        out.relation = static_cast<Relation>(pick(0, 4));
        for (long i = pick(2, 4); i > 0; --i) out.terms.push_back(expression(grammar, 3));
    } else if (kind == 1) {
        out.kind = Formula::Kind::conjunction;
        for (long i = pick(1, 3); i > 0; --i) out.parts.push_back(formula(grammar, depth - 1));
    } else {
        out.kind = Formula::Kind::universal;
        const bool integer = pick(0, 1) == 0; // integers and reals are not mixed in one quantifier
        for (long i = pick(1, 2); i > 0; --i) {
            const Rational lower(pick(-9, 9), integer ? 1 : pick(1, 4));
            out.bounds.push_back(
                {"v" + std::to_string(grammar.variables.size()) + "_'A", integer, lower, lower + pick(0, 5)});
            grammar.variables.push_back(out.bounds.back().name);
        }
        out.parts.push_back(formula(grammar, depth - 1));
    }
    return out;
}

/// A closed formula over everything the grammar has.
inline rc::Gen<Formula> any_formula() {
    return rc::gen::exec([] {
        Grammar closed = whole_grammar();
        closed.variables.clear();
        return formula(closed, 3);
    });
}

} // namespace test
} // namespace kvproof
