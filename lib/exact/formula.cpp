#include "lib/exact/formula.hpp"

#include "lib/error.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace kvproof {
namespace {

constexpr int deepest_nesting = 200;

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

Syntax read_syntax(std::string_view text, std::size_t& at, int depth) {
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

Expr read_atom(const Syntax& syntax, const Scope& scope) {
    const std::string& atom = syntax.atom;
    if (const auto bound = scope.find(atom); bound != scope.end()) return bound->second;
    if (atom == "pi") return Expr::pi();
    if (atom == "e") return Expr::e();
    const char first = atom[0];
    if (std::isdigit(static_cast<unsigned char>(first)) != 0 || first == '-' || first == '+' || first == '.')
        return Expr::rational(parse_rational(atom));
    if (atom.find('.') != std::string::npos) return Expr::quantity(atom);
    refuse("\"" + atom + "\" is neither a number, a bound variable nor a quantity", syntax.at);
}

Expr read_term(const Syntax& syntax, const Scope& scope) {
    if (syntax.parts.empty()) return read_atom(syntax, scope);
    const std::string& head = syntax.parts.front().atom;
    const auto* const known = std::ranges::find(operations, head, &Operation::name);
    if (known == operations.end()) refuse("\"" + head + "\" is no operation", syntax.at);
    const std::size_t count = syntax.parts.size() - 1;
    if (count < known->least || count > known->most)
        refuse("\"" + head + "\" does not take " + std::to_string(count) + " arguments", syntax.at);
    std::vector<Expr> args;
    for (std::size_t i = 1; i < syntax.parts.size(); ++i) args.push_back(read_term(syntax.parts[i], scope));
    if (known->op == Op::sub && count == 1) return Expr::apply(Op::neg, {args[0]});
    if (count == 1) return Expr::apply(known->op, {args[0]});
    Expr folded = args[0];
    for (std::size_t i = 1; i < args.size(); ++i) folded = Expr::apply(known->op, {folded, args[i]});
    return folded;
}

Rational read_number(const Syntax& syntax) {
    if (syntax.atom.empty()) refuse("expected a number", syntax.at);
    return parse_rational(syntax.atom);
}

Bound read_bound(const Syntax& syntax) {
    const auto& parts = syntax.parts;
    const bool integer = parts.size() == 4 && parts[1].atom == "int";
    if (parts.size() != 3 && !integer)
        refuse("expected (name lower upper) or (name int lower upper)", syntax.at);
    const std::string& name = parts[0].atom;
    if (name.empty() || std::isalpha(static_cast<unsigned char>(name[0])) == 0 ||
        name.find('.') != std::string::npos)
        refuse("\"" + name + "\" cannot name a variable", syntax.at);
    Bound bound{name, integer, read_number(parts[parts.size() - 2]), read_number(parts.back())};
    if (bound.lower > bound.upper) refuse("the range of " + name + " is empty", syntax.at);
    if (integer && (denominator(bound.lower) != 1 || denominator(bound.upper) != 1))
        refuse("the range of " + name + " has ends that are not integers", syntax.at);
    return bound;
}

constexpr std::array<std::pair<std::string_view, Relation>, 5> relations = {{{"<", Relation::less},
                                                                             {"<=", Relation::less_equal},
                                                                             {">", Relation::greater},
                                                                             {">=", Relation::greater_equal},
                                                                             {"=", Relation::equal}}};

std::string_view relation_name(Relation relation) {
    return std::ranges::find(relations, relation, &std::pair<std::string_view, Relation>::second)->first;
}

Formula read_formula(const Syntax& syntax, Scope scope) {
    if (syntax.parts.empty()) refuse("expected a formula, found \"" + syntax.atom + "\"", syntax.at);
    const std::string& head = syntax.parts.front().atom;
    const std::size_t count = syntax.parts.size() - 1;
    Formula out;
    if (const auto* const relation =
            std::ranges::find(relations, head, &std::pair<std::string_view, Relation>::first);
        relation != relations.end()) {
        if (count < 2) refuse("a relation needs two terms", syntax.at);
        out.relation = relation->second;
        for (std::size_t i = 1; i <= count; ++i) out.terms.push_back(read_term(syntax.parts[i], scope));
        return out;
    }
    if (head == "and") {
        if (count < 1) refuse("a conjunction needs a part", syntax.at);
        out.kind = Formula::Kind::conjunction;
        for (std::size_t i = 1; i <= count; ++i) out.parts.push_back(read_formula(syntax.parts[i], scope));
        return out;
    }
    if ((head == "forall" || head == "let") && (count != 2 || syntax.parts[1].parts.empty()))
        refuse("expected (" + head + " (…) formula)", syntax.at);
    if (head == "forall") {
        out.kind = Formula::Kind::universal;
        for (const Syntax& part : syntax.parts[1].parts) {
            out.bounds.push_back(read_bound(part));
            scope.insert_or_assign(out.bounds.back().name, Expr::variable(out.bounds.back().name));
        }
        out.parts.push_back(read_formula(syntax.parts[2], scope));
        return out;
    }
    if (head == "let") {
        for (const Syntax& part : syntax.parts[1].parts) {
            if (part.parts.size() != 2 || part.parts[0].atom.empty()) refuse("expected (name term)", part.at);
            scope.insert_or_assign(part.parts[0].atom, read_term(part.parts[1], scope));
        }
        return read_formula(syntax.parts[2], scope);
    }
    refuse("\"" + head + "\" begins no formula", syntax.at);
}

template <class PrintTerm>
std::string print_bounds(const Formula& formula, const PrintTerm& print) {
    std::string out;
    for (const Bound& bound : formula.bounds) {
        if (!out.empty()) out += " ";
        out += print(bound);
    }
    return out;
}

} // namespace

Formula parse_formula(std::string_view text) {
    return read_formula(read_whole(text), {});
}

Expr parse_expr(std::string_view text, const std::vector<std::string>& variables) {
    Scope scope;
    for (const auto& name : variables) scope.insert_or_assign(name, Expr::variable(name));
    return read_term(read_whole(text), scope);
}

std::string to_machine(const Formula& formula) {
    std::string out = "(";
    switch (formula.kind) {
    case Formula::Kind::relation:
        out += relation_name(formula.relation);
        for (const Expr& term : formula.terms) out += " " + to_machine(term);
        break;
    case Formula::Kind::conjunction:
        out += "and";
        for (const Formula& part : formula.parts) out += " " + to_machine(part);
        break;
    case Formula::Kind::universal:
        out += "forall (" + print_bounds(formula, [](const Bound& b) {
                   return "(" + b.name + (b.integer ? " int " : " ") + to_string(b.lower) + " " +
                          to_string(b.upper) + ")";
               });
        out += ") " + to_machine(formula.parts.front());
        break;
    }
    return out + ")";
}

std::string to_infix(const Formula& formula) {
    std::string out;
    switch (formula.kind) {
    case Formula::Kind::relation:
        for (std::size_t i = 0; i < formula.terms.size(); ++i) {
            if (i > 0) out += " " + std::string(relation_name(formula.relation)) + " ";
            out += to_infix(formula.terms[i]);
        }
        break;
    case Formula::Kind::conjunction:
        for (std::size_t i = 0; i < formula.parts.size(); ++i)
            out += (i > 0 ? " and " : "") + to_infix(formula.parts[i]);
        break;
    case Formula::Kind::universal:
        out = "for all " + print_bounds(formula, [](const Bound& b) {
                  return b.name + (b.integer ? " = " : " in [") + to_string(b.lower) +
                         (b.integer ? ".." : ", ") + to_string(b.upper) + (b.integer ? "" : "]");
              });
        out += ": " + to_infix(formula.parts.front());
        break;
    }
    return out;
}

std::vector<const Formula*> relations_of(const Formula& formula) {
    if (formula.kind == Formula::Kind::relation) return {&formula};
    std::vector<const Formula*> out;
    for (const Formula& part : formula.parts) {
        const auto inner = relations_of(part);
        out.insert(out.end(), inner.begin(), inner.end());
    }
    return out;
}

std::vector<std::string> quantities_of(const Formula& formula) {
    std::vector<std::string> names;
    for (const Formula* relation : relations_of(formula))
        for (const Expr& term : relation->terms)
            for (auto& name : quantities_of(term))
                if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    return names;
}

} // namespace kvproof
