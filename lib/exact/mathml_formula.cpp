#include "lib/exact/mathml.hpp"
#include "lib/exact/mathml_typeset.hpp"

#include <algorithm>

namespace kvproof {
namespace {

using namespace mathml;

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
    const Typeset name = typeset_name(bound.name);
    if (!bound.digits.empty())
        return infix(name, "\xE2\x89\x88", {number(bound.digits), 3, bound.digits.size()}, 0);
    const Typeset lower = typeset(bound.lower);
    const Typeset upper = typeset(bound.upper);
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

/// A sum in pieces, each with its sign.
void put_sum(const Expr& expr, const std::string& before, Lines& lines) {
    if (expr.op() == Op::add || expr.op() == Op::sub) {
        put_sum(expr.args()[0], before, lines);
        const Typeset last = wrap(typeset(expr.args()[1]), 1);
        lines.put(operation(expr.op() == Op::add ? "+" : minus_sign) + last.xml, last.width + 3);
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
