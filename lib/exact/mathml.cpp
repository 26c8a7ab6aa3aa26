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
    std::string xml;   ///< exactly one element
    int binding;       ///< of the outermost operation: 0 sum, 1 product, 2 power or fraction, 3 atom
    std::size_t width; ///< about as many characters
};

std::string fenced(const char* left, const std::string& inner, const char* right) {
    return row(operation(left) + inner + operation(right));
}

Typeset wrap(const Typeset& inner, int needed) {
    if (inner.binding >= needed) return inner;
    return {fenced("(", inner.xml, ")"), 3, inner.width + 2};
}

/// An operation between its two sides.
Typeset infix(const Typeset& left, const char* sign, const Typeset& right, int binding) {
    return {row(left.xml + operation(sign) + right.xml), binding, left.width + right.width + 3};
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
        return Typeset{number(digits), 3, digits.size()};
    }
    constexpr std::size_t short_enough = 6;
    if (digits.size() > short_enough) return {};
    const std::string ten =
        superscript(number("10"), row(operation(minus) + number(std::to_string(*places))));
    constexpr std::size_t ten_width = 4;
    if (digits == "1") return Typeset{ten, 2, ten_width};
    return Typeset{row(number(digits) + operation(dot) + ten), 1, digits.size() + ten_width};
}

Typeset fraction(const Typeset& above, const Typeset& below) {
    return {element("mfrac", above.xml + below.xml), 2, std::max(above.width, below.width)};
}

Typeset whole_number(const Integer& value) {
    const std::string digits = value.str();
    return {number(digits), 3, digits.size()};
}

Typeset positive_number(const Rational& value) {
    if (denominator(value) == 1) return whole_number(numerator(value));
    if (const std::optional<Typeset> short_form = decimal(value)) return *short_form;
    return fraction(whole_number(numerator(value)), whole_number(denominator(value)));
}

Typeset negative(const Typeset& size) {
    const Typeset wrapped = wrap(size, 1);
    return {row(operation(minus) + wrapped.xml), 0, wrapped.width + 1};
}

Typeset rational_number(const Rational& value) {
    return value < 0 ? negative(positive_number(Rational(-value))) : positive_number(value);
}

/// `probe.FAMILY.CLASS`, or an algorithm's name.
std::string function_name(const std::string& name) {
    constexpr std::string_view probe = "probe.";
    const std::size_t dot_at = name.rfind('.');
    if (!name.starts_with(probe) || dot_at < probe.size()) return upright(name);
    return element("msubsup", upright("risk") + words(name.substr(dot_at + 1)) +
                                  words(name.substr(probe.size(), dot_at - probe.size())));
}

/// A name and its arguments.
Typeset call(const std::string& name, std::size_t name_width, const std::vector<Typeset>& arguments) {
    std::string inside;
    std::size_t width = name_width + 2;
    for (const Typeset& argument : arguments) {
        inside += (inside.empty() ? "" : operation(",")) + argument.xml;
        width += argument.width + 1;
    }
    return {row(name + fenced("(", inside, ")")), 3, width};
}

/// Raised and smaller.
Typeset raised(const Typeset& base, const Typeset& exponent) {
    return {superscript(base.xml, exponent.xml), 2, base.width + (exponent.width * 2 + 2) / 3};
}

Typeset named(const std::string& name) {
    return {name_to_mathml(name), 3,
            std::min<std::size_t>(name.size(), name.find('.') == std::string::npos ? name.size() : 8)};
}

struct MathmlPrinter {
    using Value = Typeset;
    static Value rational(const Rational& value) { return rational_number(value); }
    static Value pi() { return named("pi"); }
    static Value e() { return {identifier("e"), 3, 1}; }
    static Value variable(const std::string& name) { return named(name); }
    static Value quantity(const std::string& name) { return named(name); }
    static Value apply(const Expr& node, const std::vector<Value>& a) {
        const auto between = [&](const char* left, const char* right) {
            return Typeset{fenced(left, a[0].xml, right), 3, a[0].width + 2};
        };
        switch (node.op()) {
        case Op::neg: return negative(a[0]);
        case Op::add: return infix(a[0], "+", wrap(a[1], 1), 0);
        case Op::sub: return infix(a[0], minus, wrap(a[1], 1), 0);
        case Op::mul: return infix(wrap(a[0], 1), dot, wrap(a[1], 2), 1);
        case Op::div: return fraction(a[0], a[1]);
        case Op::pow: return raised(wrap(a[0], 3), a[1]);
        case Op::exp: return raised(e(), a[0]);
        case Op::sqrt: return {element("msqrt", a[0].xml), 3, a[0].width + 1};
        case Op::abs: return between("|", "|");
        case Op::floor: return between("\xE2\x8C\x8A", "\xE2\x8C\x8B");
        case Op::log: return call(upright("ln"), 2, a);
        case Op::function: return call(function_name(node.name()), node.name().size(), a);
        default: return call(upright(op_name(node.op())), op_name(node.op()).size(), a);
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

Typeset bound_element(const Bound& bound) {
    const Typeset name = named(bound.name);
    if (!bound.digits.empty())
        return infix(name, "\xE2\x89\x88", {number(bound.digits), 3, bound.digits.size()}, 0);
    const Typeset lower = rational_number(bound.lower);
    const Typeset upper = rational_number(bound.upper);
    const std::string comma = operation(",");
    const std::string ends =
        bound.integer ? fenced("{", lower.xml + comma + operation("\xE2\x80\xA6") + comma + upper.xml, "}")
                      : fenced("[", lower.xml + comma + upper.xml, "]");
    return infix(name, "\xE2\x88\x88", {ends, 3, lower.width + upper.width + 5}, 0);
}

/// Lines are filled to about this width where a statement has places to break at.
constexpr std::size_t full = 90;

/// The lines of a statement: pieces are put into a line until it is full; what follows begins deeper.
class Lines {
public:
    explicit Lines(std::size_t depth) : depth_(depth) {}

    void put(const std::string& xml, std::size_t width) {
        if (!line_.empty() && width_ + width > full) end(2);
        line_ += xml;
        width_ += width;
    }
    /// The next piece begins a line, by so much deeper.
    void end(std::size_t deeper) {
        if (!line_.empty()) lines_.push_back({row(line_), 0, width_});
        line_ = indent(depth_ + deeper);
        width_ = 2 * (depth_ + deeper);
        if (lines_.empty() && deeper == 0 && depth_ == 0) line_.clear();
    }
    std::vector<Typeset> take() {
        if (width_ > 0) lines_.push_back({row(line_), 0, width_});
        return std::move(lines_);
    }

private:
    static std::string indent(std::size_t depth) {
        return depth == 0 ? "" : "<mspace width=\"" + std::to_string(depth) + "em\"></mspace>";
    }
    std::size_t depth_;
    std::string line_;
    std::size_t width_ = 0;
    std::vector<Typeset> lines_;
};

Typeset typeset(const Expr& expr) {
    MathmlPrinter printer;
    return fold(expr, printer);
}

/// A sum in pieces, each with its sign.
void put_sum(const Expr& expr, const std::string& before, Lines& lines) {
    if (expr.op() == Op::add || expr.op() == Op::sub) {
        put_sum(expr.args()[0], before, lines);
        const Typeset last = wrap(typeset(expr.args()[1]), 1);
        lines.put(operation(expr.op() == Op::add ? "+" : minus) + last.xml, last.width + 3);
        return;
    }
    const Typeset whole = typeset(expr);
    lines.put(before + whole.xml, whole.width + (before.empty() ? 0 : 3));
}

std::vector<Typeset> relation_lines(const Formula& relation, std::size_t depth) {
    const std::string sign = operation(sign_of(relation.relation));
    std::string chain;
    std::size_t width = 2 * depth;
    for (std::size_t i = 0; i < relation.terms.size(); ++i) {
        const Typeset term = typeset(relation.terms[i]);
        chain += (i == 0 ? "" : sign) + term.xml;
        width += term.width + 3;
    }
    Lines lines(depth);
    lines.end(0);
    if (width <= full)
        lines.put(row(chain), width - 2 * depth);
    else
        for (std::size_t i = 0; i < relation.terms.size(); ++i) {
            if (i > 0) lines.end(1);
            put_sum(relation.terms[i], i == 0 ? "" : sign, lines);
        }
    return lines.take();
}

std::vector<Typeset> bounds_lines(const Formula& formula, const char* word, std::size_t depth) {
    Lines lines(depth);
    lines.end(0);
    lines.put(words(word), std::string_view(word).size());
    for (std::size_t i = 0; i < formula.bounds.size(); ++i) {
        const Typeset bound = bound_element(formula.bounds[i]);
        lines.put(bound.xml + operation(i + 1 == formula.bounds.size() ? ":" : ","), bound.width + 2);
    }
    return lines.take();
}

/// Each line is one element. What stands under a quantifier is indented.
std::vector<Typeset> lines_of(const Formula& formula, std::size_t depth) {
    std::vector<Typeset> out;
    std::size_t deeper = depth;
    switch (formula.kind) {
    case Formula::Kind::relation: return relation_lines(formula, depth);
    case Formula::Kind::named: {
        const std::string text = to_infix(formula);
        return {{words(text), 3, text.size()}};
    }
    case Formula::Kind::universal:
        out = bounds_lines(formula, "for all\xC2\xA0", depth);
        deeper = depth + 2;
        break;
    case Formula::Kind::printed:
        out = bounds_lines(formula, "printed\xC2\xA0", depth);
        deeper = depth + 2;
        break;
    case Formula::Kind::part: out.push_back({words("in part:"), 3, 8}); break;
    case Formula::Kind::conjunction: break;
    }
    for (const Formula& part : formula.parts)
        for (Typeset& line : lines_of(part, deeper)) out.push_back(std::move(line));
    return out;
}

} // namespace

std::string to_mathml(const Expr& expr) {
    return typeset(expr).xml;
}

TypesetFormula typeset_formula(const Formula& formula) {
    const std::vector<Typeset> lines = lines_of(formula, 0);
    TypesetFormula out;
    out.lines = lines.size();
    std::string inner;
    for (const Typeset& line : lines) {
        out.widest = std::max(out.widest, line.width);
        inner += lines.size() == 1 ? line.xml : element("mtr", element("mtd", line.xml));
    }
    if (lines.size() > 1) inner = "<mtable displaystyle=\"true\">" + inner + "</mtable>";
    out.mathml = "<math display=\"block\" xmlns=\"http://www.w3.org/1998/Math/MathML\">" + inner + "</math>";
    return out;
}

} // namespace kvproof
