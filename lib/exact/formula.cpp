#include "lib/exact/formula.hpp"

#include <algorithm>
#include <array>

namespace kvproof {
namespace {

constexpr std::array<std::pair<std::string_view, Relation>, 5> relations = {{{"<", Relation::less},
                                                                             {"<=", Relation::less_equal},
                                                                             {">", Relation::greater},
                                                                             {">=", Relation::greater_equal},
                                                                             {"=", Relation::equal}}};

template <class PrintTerm>
std::string print_bounds(const Formula& formula, const PrintTerm& print, const char* between = " ") {
    std::string out;
    for (const Bound& bound : formula.bounds) {
        if (!out.empty()) out += between;
        out += print(bound);
    }
    return out;
}

/// Each with a space before it.
std::string parameters_text(const Formula& named) {
    std::string out;
    for (const long parameter : named.parameters) out += " " + std::to_string(parameter);
    for (const std::string& word : named.words) out += " " + word;
    return out;
}

/// Parts of a conjunction: a quantifier would reach over the parts that follow.
std::string to_infix_part(const Formula& part) {
    return part.kind == Formula::Kind::universal ? "(" + to_infix(part) + ")" : to_infix(part);
}

} // namespace

std::string_view relation_name(Relation relation) {
    return std::ranges::find(relations, relation, &std::pair<std::string_view, Relation>::second)->first;
}

std::optional<Relation> relation_named(std::string_view name) {
    const auto* const at = std::ranges::find(relations, name, &std::pair<std::string_view, Relation>::first);
    if (at == relations.end()) return {};
    return at->second;
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
    case Formula::Kind::printed:
        out += "printed (" +
               print_bounds(formula, [](const Bound& b) { return "(" + b.name + " " + b.digits + ")"; });
        out += ") " + to_machine(formula.parts.front());
        break;
    case Formula::Kind::part: out += "part " + to_machine(formula.parts.front()); break;
    case Formula::Kind::named:
        out += formula.name + (formula.subject.empty() ? "" : " " + formula.subject);
        out += parameters_text(formula);
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
            out += (i > 0 ? " and " : "") + to_infix_part(formula.parts[i]);
        break;
    case Formula::Kind::universal:
        out = "for all " + print_bounds(formula, [](const Bound& b) {
                  return b.name + (b.integer ? " = " : " in [") + to_string(b.lower) +
                         (b.integer ? ".." : ", ") + to_string(b.upper) + (b.integer ? "" : "]");
              });
        out += ": " + to_infix(formula.parts.front());
        break;
    case Formula::Kind::printed:
        out = "printed " + print_bounds(
                               formula, [](const Bound& b) { return b.name + " = " + b.digits; }, ", ");
        out += ": " + to_infix(formula.parts.front());
        break;
    case Formula::Kind::part: out = "(in part) " + to_infix(formula.parts.front()); break;
    case Formula::Kind::named:
        out = formula.name + (formula.subject.empty() ? "" : " " + formula.subject);
        out += parameters_text(formula);
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
