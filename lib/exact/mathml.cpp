#include "lib/exact/mathml.hpp"
#include "lib/exact/mathml_elements.hpp"

#include <algorithm>

namespace kvproof {
namespace mathml {

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '"')
            out += "&quot;";
        else
            out += c;
    }
    return out;
}

} // namespace mathml

namespace {

using namespace mathml;

struct Typeset {
    std::string xml; ///< exactly one element
    int binding;     ///< of the outermost operation: 0 sum, 1 product, 2 power or fraction, 3 atom
};

std::string fenced(const char* left, const std::string& inner, const char* right) {
    return row(operation(left) + inner + operation(right));
}

std::string wrap(const Typeset& inner, int needed) {
    return inner.binding < needed ? fenced("(", inner.xml, ")") : inner.xml;
}

std::string infix(const std::string& left, const char* sign, const std::string& right) {
    return row(left + operation(sign) + right);
}

constexpr const char* minus = "\xE2\x88\x92";
constexpr const char* dot = "\xE2\x8B\x85";

Typeset rational_number(const Rational& value) {
    const Rational size = value < 0 ? Rational(-value) : value;
    const bool whole = denominator(size) == 1;
    const std::string digits =
        whole ? number(numerator(size).str())
              : element("mfrac", number(numerator(size).str()) + number(denominator(size).str()));
    if (value < 0) return {row(operation(minus) + digits), 0};
    return {digits, whole ? 3 : 2};
}

std::string list(const std::vector<Typeset>& arguments) {
    std::string out;
    for (const Typeset& argument : arguments) out += (out.empty() ? "" : operation(",")) + argument.xml;
    return out;
}

/// `probe.FAMILY.CLASS`, or an algorithm's name.
std::string function_name(const std::string& name) {
    constexpr std::string_view probe = "probe.";
    const std::size_t dot_at = name.rfind('.');
    if (!name.starts_with(probe) || dot_at < probe.size()) return upright(name);
    return element("msubsup", upright("risk") + words(name.substr(dot_at + 1)) +
                                  words(name.substr(probe.size(), dot_at - probe.size())));
}

struct MathmlPrinter {
    using Value = Typeset;
    static Value rational(const Rational& value) { return rational_number(value); }
    static Value pi() { return {name_to_mathml("pi"), 3}; }
    static Value e() { return {identifier("e"), 3}; }
    static Value variable(const std::string& name) { return {name_to_mathml(name), 3}; }
    static Value quantity(const std::string& name) { return {name_to_mathml(name), 3}; }
    static Value apply(const Expr& node, const std::vector<Value>& a) {
        switch (node.op()) {
        case Op::neg: return {row(operation(minus) + wrap(a[0], 1)), 0};
        case Op::add: return {infix(a[0].xml, "+", wrap(a[1], 1)), 0};
        case Op::sub: return {infix(a[0].xml, minus, wrap(a[1], 1)), 0};
        case Op::mul: return {infix(wrap(a[0], 1), dot, wrap(a[1], 2)), 1};
        case Op::div: return {element("mfrac", a[0].xml + a[1].xml), 2};
        case Op::pow: return {superscript(wrap(a[0], 3), a[1].xml), 2};
        case Op::exp: return {superscript(identifier("e"), a[0].xml), 2};
        case Op::sqrt: return {element("msqrt", a[0].xml), 3};
        case Op::abs: return {fenced("|", a[0].xml, "|"), 3};
        case Op::floor: return {fenced("\xE2\x8C\x8A", a[0].xml, "\xE2\x8C\x8B"), 3};
        case Op::log: return {row(upright("ln") + fenced("(", a[0].xml, ")")), 3};
        case Op::function: return {row(function_name(node.name()) + fenced("(", list(a), ")")), 3};
        default: return {row(upright(op_name(node.op())) + fenced("(", list(a), ")")), 3};
        }
    }
};

const char* sign_of(Relation relation) {
    switch (relation) {
    case Relation::less: return "<";
    case Relation::less_equal: return "\xE2\x89\xA4";
    case Relation::greater: return ">";
    case Relation::greater_equal: return "\xE2\x89\xA5";
    case Relation::equal: break;
    }
    return "=";
}

std::string bound_element(const Bound& bound) {
    const std::string name = name_to_mathml(bound.name);
    if (!bound.digits.empty()) return infix(name, "\xE2\x89\x88", number(bound.digits));
    const std::string lower = rational_number(bound.lower).xml;
    const std::string upper = rational_number(bound.upper).xml;
    const std::string ends =
        bound.integer
            ? fenced("{", lower + operation(",") + operation("\xE2\x80\xA6") + operation(",") + upper, "}")
            : fenced("[", lower + operation(",") + upper, "]");
    return infix(name, "\xE2\x88\x88", ends);
}

std::string bounds_row(const Formula& formula, const char* word) {
    std::string out = words(word);
    for (std::size_t i = 0; i < formula.bounds.size(); ++i)
        out += (i == 0 ? "" : operation(",")) + bound_element(formula.bounds[i]);
    return row(out + operation(":"));
}

/// Each line is one element.
std::vector<std::string> lines_of(const Formula& formula) {
    std::vector<std::string> out;
    switch (formula.kind) {
    case Formula::Kind::relation: {
        std::string chain;
        for (std::size_t i = 0; i < formula.terms.size(); ++i)
            chain += (i == 0 ? "" : operation(sign_of(formula.relation))) + to_mathml(formula.terms[i]);
        return {row(chain)};
    }
    case Formula::Kind::named: return {words(to_infix(formula))};
    case Formula::Kind::universal: out.push_back(bounds_row(formula, "for all ")); break;
    case Formula::Kind::printed: out.push_back(bounds_row(formula, "printed ")); break;
    case Formula::Kind::part: out.push_back(words("in part:")); break;
    case Formula::Kind::conjunction: break;
    }
    for (const Formula& part : formula.parts)
        for (std::string& line : lines_of(part)) out.push_back(std::move(line));
    return out;
}

std::size_t width_of(const Formula& formula) {
    std::size_t widest = 0;
    if (formula.kind == Formula::Kind::relation || formula.kind == Formula::Kind::named)
        return to_infix(formula).size();
    for (const Formula& part : formula.parts) widest = std::max(widest, width_of(part));
    std::size_t bounds = 0;
    for (const Bound& bound : formula.bounds)
        bounds += bound.name.size() + 5 + (bound.digits.empty() ? 10 : bound.digits.size());
    return std::max(widest, bounds);
}

} // namespace

std::string to_mathml(const Expr& expr) {
    MathmlPrinter printer;
    return fold(expr, printer).xml;
}

std::string to_mathml(const Formula& formula) {
    const std::vector<std::string> lines = lines_of(formula);
    std::string inner;
    if (lines.size() == 1)
        inner = lines.front();
    else
        for (const std::string& line : lines) inner += element("mtr", element("mtd", line));
    if (lines.size() > 1) inner = element("mtable", inner);
    return "<math display=\"block\" xmlns=\"http://www.w3.org/1998/Math/MathML\">" + inner + "</math>";
}

std::size_t widest_line(const Formula& formula) {
    return width_of(formula);
}

} // namespace kvproof
