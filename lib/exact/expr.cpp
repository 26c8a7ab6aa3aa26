#include "lib/exact/expr.hpp"

#include <algorithm>
#include <limits>

namespace kvproof {
namespace {

struct Printed {
    std::string text;
    int binding; // of the outermost operation: 0 sum, 1 product, 2 power or sign, 3 atom
};

std::string wrap(const Printed& inner, int needed) {
    return inner.binding < needed ? "(" + inner.text + ")" : inner.text;
}

std::string name_of(const Expr& node) {
    return node.op() == Op::function ? node.name() : std::string(op_name(node.op()));
}

struct MachinePrinter {
    using Value = std::string;
    static Value rational(const Rational& value) { return to_string(value); }
    static Value pi() { return "pi"; }
    static Value e() { return "e"; }
    static Value variable(const std::string& name) { return name; }
    static Value quantity(const std::string& name) { return name; }
    static Value apply(const Expr& node, const std::vector<Value>& arguments) {
        std::string out = "(" + name_of(node);
        for (const auto& argument : arguments) out += " " + argument;
        return out + ")";
    }
};

struct InfixPrinter {
    using Value = Printed;
    static Value rational(const Rational& value) {
        const bool simple = value >= 0 && denominator(value) == 1;
        return {to_string(value), simple ? 3 : value >= 0 ? 1 : 0};
    }
    static Value pi() { return {"pi", 3}; }
    static Value e() { return {"e", 3}; }
    static Value variable(const std::string& name) { return {name, 3}; }
    static Value quantity(const std::string& name) { return {name, 3}; }
    static Value apply(const Expr& node, const std::vector<Value>& a) {
        switch (node.op()) {
        case Op::neg: return {"-" + wrap(a[0], 2), 0};
        case Op::add: return {wrap(a[0], 0) + " + " + wrap(a[1], 1), 0};
        case Op::sub: return {wrap(a[0], 0) + " - " + wrap(a[1], 1), 0};
        case Op::mul: return {wrap(a[0], 1) + "*" + wrap(a[1], 2), 1};
        case Op::div: return {wrap(a[0], 1) + "/" + wrap(a[1], 2), 1};
        case Op::pow: return {wrap(a[0], 3) + "^" + wrap(a[1], 3), 2};
        default: break;
        }
        std::string out = name_of(node) + "(" + a[0].text;
        for (std::size_t i = 1; i < a.size(); ++i) out += ", " + a[i].text;
        return {out + ")", 3};
    }
};

void collect_quantities(const Expr& expr, std::vector<std::string>& names) {
    if (expr.op() == Op::quantity && std::ranges::find(names, expr.name()) == names.end())
        names.push_back(expr.name());
    for (const Expr& argument : expr.args()) collect_quantities(argument, names);
}

} // namespace

Expr Expr::rational(Rational value) {
    return Expr(std::make_shared<const Node>(Node{Op::rational, std::move(value), {}, {}}));
}

Expr Expr::variable(std::string name) {
    return Expr(std::make_shared<const Node>(Node{Op::variable, {}, std::move(name), {}}));
}

Expr Expr::quantity(std::string name) {
    return Expr(std::make_shared<const Node>(Node{Op::quantity, {}, std::move(name), {}}));
}

Expr Expr::pi() {
    return Expr(std::make_shared<const Node>(Node{Op::pi, {}, {}, {}}));
}

Expr Expr::e() {
    return Expr(std::make_shared<const Node>(Node{Op::e, {}, {}, {}}));
}

Expr Expr::apply(Op op, std::vector<Expr> args) {
    return inner(op, {}, std::move(args));
}

Expr Expr::function(std::string name, std::vector<Expr> args) {
    return inner(Op::function, std::move(name), std::move(args));
}

Expr Expr::inner(Op op, std::string name, std::vector<Expr> args) {
    std::size_t depth = 0;
    std::size_t size = 1;
    for (const Expr& arg : args) {
        depth = std::max(depth, arg.depth() + 1);
        size = std::min(size + arg.size(), std::numeric_limits<std::size_t>::max() / 2);
    }
    return Expr(std::make_shared<const Node>(Node{op, {}, std::move(name), std::move(args), depth, size}));
}

bool operator==(const Expr& a, const Expr& b) {
    if (a.node_ == b.node_) return true;
    return a.op() == b.op() && a.value() == b.value() && a.name() == b.name() && a.args() == b.args();
}

std::string to_machine(const Expr& expr) {
    MachinePrinter printer;
    return fold(expr, printer);
}

std::string to_infix(const Expr& expr) {
    InfixPrinter printer;
    return fold(expr, printer).text;
}

std::vector<std::string> quantities_of(const Expr& expr) {
    std::vector<std::string> names;
    collect_quantities(expr, names);
    return names;
}

std::string_view op_name(Op op) {
    switch (op) {
    case Op::neg:
    case Op::sub: return "-";
    case Op::add: return "+";
    case Op::mul: return "*";
    case Op::div: return "/";
    case Op::pow: return "^";
    case Op::sqrt: return "sqrt";
    case Op::exp: return "exp";
    case Op::log: return "log";
    case Op::erf: return "erf";
    case Op::erfc: return "erfc";
    case Op::tanh: return "tanh";
    case Op::abs: return "abs";
    case Op::min: return "min";
    case Op::max: return "max";
    case Op::floor: return "floor";
    default: return "";
    }
}

} // namespace kvproof
