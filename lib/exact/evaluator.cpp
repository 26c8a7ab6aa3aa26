#include "lib/exact/evaluator.hpp"

#include "lib/exact/operation.hpp"

#include <algorithm>

namespace kvproof {
namespace {

/// Whether the node stands for an operation on the values of its arguments; leaves and functions are left to
/// enclose().
bool is_operation(const Expr& expr) {
    return !op_name(expr.op()).empty();
}

bool same_ends(const Interval& x, const Interval& y) {
    return mpfr_equal_p(x.lower(), y.lower()) != 0 && mpfr_equal_p(x.upper(), y.upper()) != 0;
}

} // namespace

std::size_t Evaluator::add(const Expr& expr) {
    Known known;
    return add(expr, known);
}

std::size_t Evaluator::add(const Expr& expr, Known& known) {
    if (const auto at = known.find(expr.node()); at != known.end())
        return at->second; // a subtree in several places
    std::vector<std::size_t> arguments;
    for (const Expr& argument : expr.args()) arguments.push_back(add(argument, known));
    const Key key(expr.op(), expr.args().empty() ? to_machine(expr) : expr.name(), arguments);
    const auto [at, is_new] = numbers_.try_emplace(key, terms_.size());
    if (is_new) terms_.push_back({expr, std::move(arguments), Interval()});
    known.emplace(expr.node(), at->second);
    return at->second;
}

bool Evaluator::is_due(const Term& term) const {
    // Of a function nothing is known of what its arguments' enclosures do not show: it looks at exact values.
    const bool always = term.expr.op() == Op::variable || term.expr.op() == Op::function;
    return term.is_fresh || always ||
           std::ranges::any_of(term.arguments, [this](std::size_t i) { return terms_[i].has_changed; });
}

Interval Evaluator::evaluate(const Term& term, const Box& point) const {
    if (!is_operation(term.expr)) return enclose(term.expr, point, quantities_, bits_);
    const Interval& first = terms_[term.arguments.front()].value;
    return apply_operation(term.expr, first, terms_[term.arguments.back()].value, bits_);
}

void Evaluator::move_to(const Box& point) {
    for (Term& term : terms_) {
        term.has_changed = false;
        if (!is_due(term)) continue;
        Interval value = evaluate(term, point);
        term.has_changed = term.is_fresh || !same_ends(value, term.value); // never the same where undefined
        term.value = std::move(value);
        term.is_fresh = false;
    }
}

} // namespace kvproof
