#pragma once

#include "lib/exact/rational.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kvproof {

/// What a node of an expression does with its arguments.
enum class Op {
    rational,
    pi,
    e,
    variable,
    quantity,
    neg,
    add,
    sub,
    mul,
    div,
    pow,
    sqrt,
    exp,
    log,
    erf,
    erfc,
    tanh,
    abs,
    min,
    max,
    floor,
    function
};

/// A real expression over rational constants, pi, e, bound variables, named certified quantities such as
/// `lloyd.gain.3` and named functions of rationals such as `waterfill`. It is data: evaluators, the exact
/// decider, printers and certificate writers all read the same tree through fold(). Immutable; copies share
/// their nodes.
class Expr {
public:
    struct Node {
        Op op;
        Rational value;         // Op::rational
        std::string name;       // Op::variable, Op::quantity, Op::function
        std::vector<Expr> args; // one or two; of a function, any number
        std::size_t depth = 0;  // operations on the longest way to a leaf
        std::size_t size = 1;   // nodes, shared ones as often as they occur; never wraps around
    };

    static Expr rational(Rational value);
    static Expr variable(std::string name);
    static Expr quantity(std::string name);
    static Expr pi();
    static Expr e();
    static Expr apply(Op op, std::vector<Expr> args);
    static Expr function(std::string name, std::vector<Expr> args);

    [[nodiscard]] Op op() const { return node_->op; }
    [[nodiscard]] const Rational& value() const { return node_->value; }
    [[nodiscard]] const std::string& name() const { return node_->name; }
    [[nodiscard]] const std::vector<Expr>& args() const { return node_->args; }
    [[nodiscard]] std::size_t depth() const { return node_->depth; }
    [[nodiscard]] std::size_t size() const { return node_->size; }

    /// The node itself, for tables over a tree; whether more than one place refers to it.
    [[nodiscard]] const Node* node() const { return node_.get(); }
    [[nodiscard]] bool is_shared() const { return node_.use_count() > 1; }

    /// Structural equality.
    friend bool operator==(const Expr& a, const Expr& b);

private:
    static Expr inner(Op op, std::string name, std::vector<Expr> args);
    explicit Expr(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
    std::shared_ptr<const Node> node_;
};

namespace detail {

/// A subtree that stands in several places (an abbreviation of `let`) is evaluated once.
template <class Algebra>
typename Algebra::Value fold(const Expr& expr, Algebra& algebra,
                             std::unordered_map<const Expr::Node*, typename Algebra::Value>& shared) {
    switch (expr.op()) {
    case Op::rational: return algebra.rational(expr.value());
    case Op::pi: return algebra.pi();
    case Op::e: return algebra.e();
    case Op::variable: return algebra.variable(expr.name());
    case Op::quantity: return algebra.quantity(expr.name());
    default: break;
    }
    if (expr.is_shared())
        if (const auto known = shared.find(expr.node()); known != shared.end()) return known->second;
    std::vector<typename Algebra::Value> arguments;
    arguments.reserve(expr.args().size());
    for (const Expr& argument : expr.args()) arguments.push_back(fold(argument, algebra, shared));
    typename Algebra::Value value = algebra.apply(expr, arguments);
    if (expr.is_shared()) shared.emplace(expr.node(), value);
    return value;
}

} // namespace detail

/// Evaluates the tree bottom-up in an algebra that offers
///   Value rational(const Rational&), pi(), e(), variable(name), quantity(name),
///   Value apply(const Expr& node, const std::vector<Value>& arguments).
template <class Algebra>
typename Algebra::Value fold(const Expr& expr, Algebra& algebra) {
    std::unordered_map<const Expr::Node*, typename Algebra::Value> shared;
    return detail::fold(expr, algebra, shared);
}

/// The machine form: prefix notation, `(/ 1 (* 8 (* pi e)))`. parse_expr reads it back to an equal tree.
[[nodiscard]] std::string to_machine(const Expr& expr);

/// Infix notation for people, `1/(8*pi*e)`.
[[nodiscard]] std::string to_infix(const Expr& expr);

/// The names of all quantities in the expression, in order of first appearance.
[[nodiscard]] std::vector<std::string> quantities_of(const Expr& expr);

/// The machine name of an operation, "+" for Op::add and so on; empty for leaves and functions.
[[nodiscard]] std::string_view op_name(Op op);

} // namespace kvproof
