#include "lib/exact/mathml.hpp"
#include "lib/exact/mathml_typeset.hpp"

#include <algorithm>

namespace kvproof {
namespace mathml {
namespace {

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

struct MathmlPrinter {
    using Value = Typeset;
    static Value rational(const Rational& value) { return typeset(value); }
    static Value pi() { return typeset_name("pi"); }
    static Value e() { return {identifier("e"), 3, 1}; }
    static Value variable(const std::string& name) { return typeset_name(name); }
    static Value quantity(const std::string& name) { return typeset_name(name); }
    static Value apply(const Expr& node, const std::vector<Value>& a) {
        const auto between = [&](const char* left, const char* right) {
            return Typeset{fenced(left, a[0].xml, right), 3, a[0].width + 2};
        };
        switch (node.op()) {
        case Op::neg: return negative(a[0]);
        case Op::add: return infix(a[0], "+", wrap(a[1], 1), 0);
        case Op::sub: return infix(a[0], minus_sign, wrap(a[1], 1), 0);
        case Op::mul: return infix(wrap(a[0], 1), dot_sign, wrap(a[1], 2), 1);
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

} // namespace

Typeset typeset_name(const std::string& name) {
    return {name_to_mathml(name), 3,
            std::min<std::size_t>(name.size(), name.find('.') == std::string::npos ? name.size() : 8)};
}

Typeset typeset(const Expr& expr) {
    MathmlPrinter printer;
    return fold(expr, printer);
}

} // namespace mathml

std::string to_mathml(const Expr& expr) {
    return mathml::typeset(expr).xml;
}

} // namespace kvproof
