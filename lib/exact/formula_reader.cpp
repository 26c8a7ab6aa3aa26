#include "lib/exact/formula.hpp"

#include "lib/error.hpp"
#include "lib/exact/printed.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace kvproof {
namespace {

constexpr std::size_t deepest_nesting = 200;
constexpr std::size_t largest_term = 100000;

/// The reader: a list is a pair of parentheses with parts, an atom is any other run of characters.
struct Syntax {
    std::string atom;          // empty for a list
    std::vector<Syntax> parts; // of a list
    std::size_t at = 0;        // where it begins in the text
};

[[noreturn]] void refuse(const std::string& what, std::size_t at) {
    throw Error(ErrorCode::bad_formula, "formula, character " + std::to_string(at + 1) + ": " + what);
}

void skip_space(std::string_view text, std::size_t& at) {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
}

Syntax read_syntax(std::string_view text, std::size_t& at, std::size_t depth) {
    skip_space(text, at);
    if (depth > deepest_nesting) refuse("nested too deeply", at);
    if (at == text.size()) refuse("it ends where a term is expected", at);
    Syntax out;
    out.at = at;
    if (text[at] == ')') refuse("found ')', expected a term", at);
    if (text[at] != '(') {
        while (at < text.size() && text[at] != '(' && text[at] != ')' &&
               std::isspace(static_cast<unsigned char>(text[at])) == 0)
            out.atom += text[at++];
        return out;
    }
    ++at;
    for (skip_space(text, at); at < text.size() && text[at] != ')'; skip_space(text, at))
        out.parts.push_back(read_syntax(text, at, depth + 1));
    if (at == text.size()) refuse("a parenthesis is not closed", out.at);
    ++at;
    if (out.parts.empty()) refuse("found (), expected a term", out.at);
    return out;
}

Syntax read_whole(std::string_view text) {
    std::size_t at = 0;
    Syntax out = read_syntax(text, at, 0);
    skip_space(text, at);
    if (at != text.size()) refuse("something follows the formula", at);
    return out;
}

using Scope = std::map<std::string, Expr>; // bound variables and let-names

/// A new name: a letter, then letters, digits, _ or '. A name is bound once, so that no term that `let`
/// copies into another scope can change its meaning there.
const std::string& read_name(const Syntax& syntax, const Scope& scope) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    constexpr std::string_view others = "0123456789_'";
    const std::string& name = syntax.atom;
    const bool well_formed =
        !name.empty() && letters.find(name[0]) != std::string_view::npos &&
        std::ranges::all_of(name, [&](char c) {
            return letters.find(c) != std::string_view::npos || others.find(c) != std::string_view::npos;
        });
    if (!well_formed || name == "pi" || name == "e")
        refuse("\"" + name + "\" cannot name a variable", syntax.at);
    if (scope.contains(name)) refuse("\"" + name + "\" is bound already", syntax.at);
    return name;
}

Rational read_number(const Syntax& syntax) {
    if (syntax.atom.empty()) refuse("expected a number", syntax.at);
    try {
        return parse_rational(syntax.atom);
    } catch (const Error& error) {
        refuse(error.what(), syntax.at);
    }
}

struct Operation {
    std::string_view name;
    Op op;
    std::size_t least;
    std::size_t most; // more than two arguments fold to the left
};

constexpr std::size_t any = 1000;
constexpr std::array operations = {
    Operation{"+", Op::add, 2, any},   Operation{"-", Op::sub, 1, any},   Operation{"*", Op::mul, 2, any},
    Operation{"/", Op::div, 2, any},   Operation{"^", Op::pow, 2, 2},     Operation{"sqrt", Op::sqrt, 1, 1},
    Operation{"exp", Op::exp, 1, 1},   Operation{"log", Op::log, 1, 1},   Operation{"erf", Op::erf, 1, 1},
    Operation{"erfc", Op::erfc, 1, 1}, Operation{"tanh", Op::tanh, 1, 1}, Operation{"abs", Op::abs, 1, 1},
    Operation{"min", Op::min, 2, any}, Operation{"max", Op::max, 2, any}, Operation{"floor", Op::floor, 1, 1},
};

/// Functions of rationals, which Quantities compute (docs/formulas.md).
constexpr std::array<std::string_view, 4> functions = {"greedy", "best", "largest", "waterfill"};

/// (probe.FAMILY.CLASS w r), a risk in the probe model, is one too: what stands between the dots is not read
/// here.
bool is_function_name(const std::string& name) {
    return std::ranges::find(functions, name) != functions.end() || name.starts_with("probe.");
}

Expr read_atom(const Syntax& syntax, const Scope& scope) {
    const std::string& atom = syntax.atom;
    if (const auto bound = scope.find(atom); bound != scope.end()) return bound->second;
    if (atom == "pi") return Expr::pi();
    if (atom == "e") return Expr::e();
    const char first = atom[0];
    if (std::isdigit(static_cast<unsigned char>(first)) != 0 || first == '-' || first == '+' || first == '.')
        return Expr::rational(read_number(syntax));
    if (atom.find('.') != std::string::npos) return Expr::quantity(atom);
    refuse("\"" + atom + "\" is neither a number, a bound variable nor a quantity", syntax.at);
}

Expr read_operation(const Syntax& syntax, const Scope& scope);

/// Chains and `let` build terms deeper and larger than their text: they are bounded like the text, so that
/// what is read can be printed, read again and evaluated on a stack of ordinary size.
Expr read_term(const Syntax& syntax, const Scope& scope) {
    Expr out = syntax.parts.empty() ? read_atom(syntax, scope) : read_operation(syntax, scope);
    if (out.depth() > deepest_nesting) refuse("nested too deeply", syntax.at);
    if (out.size() > largest_term) refuse("the term is too large", syntax.at);
    return out;
}

Expr read_operation(const Syntax& syntax, const Scope& scope) {
    const std::string& head = syntax.parts.front().atom;
    const bool is_function = is_function_name(head);
    const auto* const known = std::ranges::find(operations, head, &Operation::name);
    if (known == operations.end() && !is_function) refuse("\"" + head + "\" is no operation", syntax.at);
    const std::size_t count = syntax.parts.size() - 1;
    if (is_function ? count < 2 : count < known->least || count > known->most)
        refuse("\"" + head + "\" does not take " + std::to_string(count) + " arguments", syntax.at);
    std::vector<Expr> args;
    for (std::size_t i = 1; i < syntax.parts.size(); ++i) args.push_back(read_term(syntax.parts[i], scope));
    if (is_function) return Expr::function(head, std::move(args));
    if (known->op == Op::sub && count == 1) return Expr::apply(Op::neg, {args[0]});
    if (count == 1) return Expr::apply(known->op, {args[0]});
    Expr folded = args[0];
    for (std::size_t i = 1; i < args.size(); ++i) folded = Expr::apply(known->op, {folded, args[i]});
    return folded;
}

Bound read_bound(const Syntax& syntax, const Scope& scope) {
    const auto& parts = syntax.parts;
    const bool integer = parts.size() == 4 && parts[1].atom == "int";
    if (parts.size() != 3 && !integer)
        refuse("expected (name lower upper) or (name int lower upper)", syntax.at);
    const std::string& name = read_name(parts[0], scope);
    Bound bound{name, integer, read_number(parts[parts.size() - 2]), read_number(parts.back())};
    if (bound.lower > bound.upper) refuse("the range of " + name + " is empty", syntax.at);
    if (integer && (denominator(bound.lower) != 1 || denominator(bound.upper) != 1))
        refuse("the range of " + name + " has ends that are not integers", syntax.at);
    return bound;
}

/// (name digits), a variable that stands for whatever was rounded to these digits.
Bound read_printed(const Syntax& syntax, const Scope& scope) {
    if (syntax.parts.size() != 2) refuse("expected (name digits)", syntax.at);
    const std::string& name = read_name(syntax.parts[0], scope);
    const Rational value = read_number(syntax.parts[1]);
    const std::string& digits = syntax.parts[1].atom;
    try {
        const Rational half = half_unit(digits);
        return {name, false, value - half, value + half, digits};
    } catch (const Error& error) {
        refuse(error.what(), syntax.parts[1].at);
    }
}

constexpr std::array<std::pair<std::string_view, std::size_t>, 5> named_statements = {
    {{"lloyd-tree", 2}, {"lloyd-symmetric", 1}, {"lloyd-max", 2}, {"pending", 0}, {"reader", 2}}};

/// Statements about risks in the probe model, and how many words follow: families and classes are not read
/// here, numbers stay as written.
constexpr std::array<std::pair<std::string_view, std::size_t>, 3> risk_statements = {
    {{"probe-risk", 5}, {"probe-table", 3}, {"probe-game", 6}}};

Formula read_risk(const Syntax& syntax, std::size_t words) {
    Formula out;
    out.kind = Formula::Kind::named;
    out.name = syntax.parts.front().atom;
    for (std::size_t i = 1; i < syntax.parts.size(); ++i) out.words.push_back(syntax.parts[i].atom);
    if (out.words.size() != words || std::ranges::find(out.words, "") != out.words.end())
        refuse("\"" + out.name + "\" takes " + std::to_string(words) + " words", syntax.at);
    return out;
}

Formula read_named(const Syntax& syntax) {
    Formula out;
    out.kind = Formula::Kind::named;
    out.name = syntax.parts.front().atom;
    const auto* const risk =
        std::ranges::find(risk_statements, out.name, &std::pair<std::string_view, std::size_t>::first);
    if (risk != risk_statements.end()) return read_risk(syntax, risk->second);
    const auto* const known =
        std::ranges::find(named_statements, out.name, &std::pair<std::string_view, std::size_t>::first);
    if (known == named_statements.end()) refuse("\"" + out.name + "\" begins no formula", syntax.at);
    std::size_t first = 1;
    if (out.name == "pending" || out.name == "reader") {
        if (syntax.parts.size() < 2 || syntax.parts[1].atom.empty())
            refuse("\"" + out.name + "\" takes the name of its subject", syntax.at);
        out.subject = syntax.parts[1].atom;
        first = 2;
    }
    if (syntax.parts.size() != first + known->second)
        refuse("\"" + out.name + "\" takes " + std::to_string(known->second) + " integers", syntax.at);
    for (std::size_t i = first; i < syntax.parts.size(); ++i) {
        const Rational value = read_number(syntax.parts[i]);
        if (denominator(value) != 1 || value < 0 || value > 1000000)
            refuse("expected a small integer", syntax.parts[i].at);
        out.parameters.push_back(static_cast<long>(numerator(value)));
    }
    return out;
}

/// Relations and conjunctions of them.
bool is_plain(const Formula& formula) {
    return formula.kind == Formula::Kind::relation ||
           (formula.kind == Formula::Kind::conjunction && std::ranges::all_of(formula.parts, is_plain));
}

bool holds_printed(const Formula& formula) {
    return formula.kind == Formula::Kind::printed || std::ranges::any_of(formula.parts, holds_printed);
}

Formula read_formula(const Syntax& syntax, Scope scope) {
    if (syntax.parts.empty()) refuse("expected a formula, found \"" + syntax.atom + "\"", syntax.at);
    const std::string& head = syntax.parts.front().atom;
    const std::size_t count = syntax.parts.size() - 1;
    Formula out;
    if (const auto relation = relation_named(head)) {
        if (count < 2) refuse("a relation needs two terms", syntax.at);
        out.relation = *relation;
        for (std::size_t i = 1; i <= count; ++i) out.terms.push_back(read_term(syntax.parts[i], scope));
        return out;
    }
    if (head == "and") {
        if (count < 1) refuse("a conjunction needs a part", syntax.at);
        out.kind = Formula::Kind::conjunction;
        for (std::size_t i = 1; i <= count; ++i) out.parts.push_back(read_formula(syntax.parts[i], scope));
        return out;
    }
    if ((head == "forall" || head == "printed" || head == "let") &&
        (count != 2 || syntax.parts[1].parts.empty()))
        refuse("expected (" + head + " (…) formula)", syntax.at);
    if (head == "forall") {
        out.kind = Formula::Kind::universal;
        for (const Syntax& part : syntax.parts[1].parts) {
            out.bounds.push_back(read_bound(part, scope));
            if (out.bounds.back().integer != out.bounds.front().integer)
                refuse("integers and reals are bound by quantifiers of their own", part.at);
            scope.insert_or_assign(out.bounds.back().name, Expr::variable(out.bounds.back().name));
        }
        out.parts.push_back(read_formula(syntax.parts[2], scope));
        return out;
    }
    if (head == "printed") {
        out.kind = Formula::Kind::printed;
        for (const Syntax& part : syntax.parts[1].parts) {
            out.bounds.push_back(read_printed(part, scope));
            scope.insert_or_assign(out.bounds.back().name, Expr::variable(out.bounds.back().name));
        }
        out.parts.push_back(read_formula(syntax.parts[2], scope));
        if (!is_plain(out.parts.front())) refuse("under \"printed\" stand relations and \"and\"", syntax.at);
        return out;
    }
    if (head == "let") {
        for (const Syntax& part : syntax.parts[1].parts) {
            if (part.parts.size() != 2) refuse("expected (name term)", part.at);
            const std::string& name = read_name(part.parts[0], scope);
            scope.insert_or_assign(name, read_term(part.parts[1], scope));
        }
        return read_formula(syntax.parts[2], scope);
    }
    if (head == "part") {
        if (count != 1) refuse("expected (part formula)", syntax.at);
        out.kind = Formula::Kind::part;
        out.parts.push_back(read_formula(syntax.parts[1], scope));
        return out;
    }
    return read_named(syntax);
}

/// How deeply the parentheses of the machine form nest, apart from bounds.
std::size_t nesting(const Formula& formula) {
    std::size_t deepest = 0;
    for (const Expr& term : formula.terms) deepest = std::max(deepest, term.depth());
    for (const Formula& part : formula.parts) deepest = std::max(deepest, nesting(part));
    return deepest + 1;
}

} // namespace

Formula parse_formula(std::string_view text) {
    Formula out = read_formula(read_whole(text), {});
    if (nesting(out) > deepest_nesting) refuse("nested too deeply", 0);
    if (std::ranges::any_of(out.parts, holds_printed)) refuse("\"printed\" stands outermost", 0);
    return out;
}

Expr parse_expr(std::string_view text, const std::vector<std::string>& variables) {
    Scope scope;
    for (const auto& name : variables)
        scope.insert_or_assign(read_name({name, {}, 0}, scope), Expr::variable(name));
    return read_term(read_whole(text), scope);
}

} // namespace kvproof
