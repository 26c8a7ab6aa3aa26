#include "lib/exact/mathml.hpp"
#include "lib/exact/mathml_elements.hpp"

#include <algorithm>
#include <optional>

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

/// The places after the point of a decimal that ends, 0 for an integer; nothing for other rationals.
std::optional<int> decimal_places(const Rational& value) {
    constexpr int most = 60;
    Integer scaled = denominator(value);
    for (int places = 0; places <= most; ++places)
        if (boost::multiprecision::pow(Integer(10), static_cast<unsigned>(places)) % scaled == 0)
            return places;
    return {};
}

/// A decimal as people print it: 0.63661974, or 3 times a power of ten where that is shorter. Nothing where a
/// fraction reads better. The value is positive.
std::optional<Typeset> decimal(const Rational& value) {
    constexpr int simple = 20; // 1/2, 27/20 and the like stay fractions
    constexpr int longest = 15;
    if (denominator(value) <= simple) return {};
    const std::optional<int> places = decimal_places(value);
    if (!places) return {};
    const Rational scaled = value * power(Rational(10), *places);
    std::string digits = numerator(scaled).str();
    const auto count = static_cast<std::size_t>(*places);
    if (*places <= longest && digits.size() <= longest) {
        if (digits.size() <= count) digits.insert(0, count + 1 - digits.size(), '0');
        digits.insert(digits.size() - count, ".");
        return Typeset{number(digits), 3};
    }
    constexpr std::size_t short_enough = 6;
    if (digits.size() > short_enough) return {};
    const std::string ten =
        superscript(number("10"), row(operation(minus) + number(std::to_string(*places))));
    return digits == "1" ? Typeset{ten, 2} : Typeset{row(number(digits) + operation(dot) + ten), 1};
}

Typeset positive_number(const Rational& value) {
    if (denominator(value) == 1) return {number(numerator(value).str()), 3};
    if (const std::optional<Typeset> short_form = decimal(value)) return *short_form;
    return {element("mfrac", number(numerator(value).str()) + number(denominator(value).str())), 2};
}

Typeset rational_number(const Rational& value) {
    if (value >= 0) return positive_number(value);
    return {row(operation(minus) + wrap(positive_number(Rational(-value)), 1)), 0};
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
    case Formula::Kind::universal: out.push_back(bounds_row(formula, "for all\xC2\xA0")); break;
    case Formula::Kind::printed: out.push_back(bounds_row(formula, "printed\xC2\xA0")); break;
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
