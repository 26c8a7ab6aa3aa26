// Typeset formulas: well-formed, nothing left out, and read back with the eyes of MathmlReader they are the
// same terms.
#include "lib/exact/mathml.hpp"
#include "tests/exact/formulas.hpp"
#include "tests/exact/mathml_reader.hpp"

#include <map>

using namespace kvproof;
using namespace kvproof::test;

namespace {

/// Values at a point, nothing where a term is undefined or its powers get large.
struct At {
    using Value = std::optional<Rational>;
    Rational x, y;

    static Value rational(const Rational& value) { return value; }
    static Value pi() { return {}; }
    static Value e() { return {}; }
    [[nodiscard]] Value variable(const std::string& name) const { return name == "x" ? x : y; }
    static Value quantity(const std::string& /*name*/) { return {}; }
    static Value apply(const Expr& node, const std::vector<Value>& a) {
        for (const Value& value : a)
            if (!value) return {};
        const Rational& first = *a.front();
        const Rational& last = *a.back();
        switch (node.op()) {
        case Op::neg: return Rational(-first);
        case Op::add: return first + last;
        case Op::sub: return first - last;
        case Op::mul: return first * last;
        case Op::div: return last == 0 ? Value{} : first / last;
        case Op::abs: return first < 0 ? Rational(-first) : first;
        case Op::floor: return Rational(floor(first));
        case Op::min: return std::min(first, last);
        case Op::max: return std::max(first, last);
        case Op::pow: {
            if (denominator(last) != 1 || abs(last) > 40 || (first == 0 && last <= 0)) return {};
            if (numerator(first).str().size() + denominator(first).str().size() > 400) return {};
            return power(first, last.convert_to<long>());
        }
        default: return {};
        }
    }
};

std::optional<Rational> value(const Expr& expr, const Rational& x, const Rational& y) {
    At at{x, y};
    return fold(expr, at);
}

/// How often each leaf name occurs.
void count_names(const Expr& expr, std::map<std::string, int>& names) {
    if (expr.op() == Op::variable || expr.op() == Op::quantity || expr.op() == Op::function)
        ++names[expr.name()];
    for (const Expr& argument : expr.args()) count_names(argument, names);
}

int occurrences(const std::string& text, const std::string& part) {
    int count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
        ++count;
    return count;
}

RC_GTEST_PROP(Mathml, terms_read_back_have_the_same_value, ()) {
    const Expr expr = *any_expression(rational_grammar(), 5);
    const Expr read = MathmlReader::read(to_mathml(expr));
    for (const auto& [x, y] :
         {std::pair(Rational(2, 3), Rational(-5)), std::pair(Rational(7), Rational(1, 2))}) {
        const auto expected = value(expr, x, y);
        if (expected) RC_ASSERT(value(read, x, y) == expected);
    }
}

RC_GTEST_PROP(Mathml, numbers_read_back_are_the_same_number, ()) {
    const Rational number = *any_rational(100);
    RC_ASSERT(value(MathmlReader::read(to_mathml(Expr::rational(number))), 0, 0) == number);
}

/// The names in a formula's terms.
void count_names(const Formula& formula, std::map<std::string, int>& names) {
    for (const Formula* relation : relations_of(formula))
        for (const Expr& term : relation->terms) count_names(term, names);
}

RC_GTEST_PROP(Mathml, every_formula_is_one_well_formed_element_with_all_its_quantities, ()) {
    const Formula formula = *any_formula();
    const TypesetFormula typeset = typeset_formula(formula);
    RC_ASSERT(XmlReader::read(typeset.mathml).tag == "math");
    RC_ASSERT((typeset.lines > 0U && typeset.widest > 0U));
    std::map<std::string, int> names;
    count_names(formula, names);
    for (const auto& [name, count] : names)
        if (name == "lloyd.gain.3" || name == "codebook.x")
            RC_ASSERT(occurrences(typeset.mathml, name_to_mathml(name)) == count);
}

TEST(Mathml, long_statements_are_broken_at_their_signs) {
    std::string sum = "(+";
    for (int i = 1; i <= 60; ++i) sum += " " + std::to_string(1000 + i);
    const Formula formula = parse_formula("(= " + sum + ") 61830)");
    const TypesetFormula typeset = typeset_formula(formula);
    EXPECT_GT(typeset.lines, 4U);
    EXPECT_LE(typeset.widest, 110U);
    for (int i = 1; i <= 60; ++i)
        EXPECT_EQ(occurrences(typeset.mathml, ">" + std::to_string(1000 + i) + "<"), 1);
    EXPECT_EQ(occurrences(typeset.mathml, "<mo>+</mo>"), 59);
    // under a quantifier, indented; beside it, not
    const TypesetFormula scoped = typeset_formula(parse_formula("(and (forall ((x 0 1)) (<= x 1)) (< 1 2))"));
    EXPECT_EQ(occurrences(scoped.mathml, "<mspace"), 1);
    EXPECT_EQ(scoped.lines, 3U);
}

RC_GTEST_PROP(Mathml, every_name_stands_as_often_as_in_the_tree, ()) {
    const Expr expr = *any_expression(whole_grammar(), 4);
    std::map<std::string, int> names;
    count_names(expr, names);
    const std::string mathml = to_mathml(expr);
    for (const auto& [name, count] : names)
        RC_ASSERT(occurrences(mathml, name == "best" || name == "waterfill" ? ">" + name + "<"
                                                                            : name_to_mathml(name)) == count);
}

TEST(Mathml, says_what_the_papers_write) {
    EXPECT_EQ(name_to_mathml("lloyd.gain.3"), "<msub><mi>\xCE\x94</mi><mn>3</mn></msub>");
    EXPECT_EQ(name_to_mathml("sigma_K"), "<msub><mi>\xCF\x83</mi><mtext>K</mtext></msub>");
    EXPECT_EQ(name_to_mathml("m2"), "<msub><mi>m</mi><mn>2</mn></msub>");
    EXPECT_EQ(name_to_mathml("codebook.gain.1"),
              "<msubsup><mi>\xCE\x94</mi><mn>1</mn><mtext>table</mtext></msubsup>");
    EXPECT_EQ(to_mathml(parse_expr("(/ 1 (* 8 pi e))")),
              "<mfrac><mn>1</mn><mrow><mrow><mn>8</mn><mo>\xE2\x8B\x85</mo><mi>\xCF\x80</mi></mrow>"
              "<mo>\xE2\x8B\x85</mo><mi>e</mi></mrow></mfrac>");
    EXPECT_EQ(to_mathml(parse_expr("0.63661974")), "<mn>0.63661974</mn>");
    EXPECT_EQ(to_mathml(parse_expr("1e-30")),
              "<msup><mn>10</mn><mrow><mo>\xE2\x88\x92</mo><mn>30</mn></mrow></msup>");
}

TEST(Mathml, hostile_names_stay_text) {
    for (const std::string name : {"<script>alert(1)</script>", "a&b", "\"><mi>", "x_<b>", "lloyd.<i>.3"}) {
        const Element element = XmlReader::read(name_to_mathml(name));
        EXPECT_NE(element.tag, "script") << name;
        EXPECT_EQ(name_to_mathml(name).find("<script"), std::string::npos);
        EXPECT_EQ(name_to_mathml(name).find("<b>"), std::string::npos);
    }
}

// The reader must notice what it is there to notice: a sum in a product without its brackets is another term.
TEST(Mathml, mutants_without_brackets_are_caught) {
    const Expr product = parse_expr("(* (+ x 1) y)", {"x", "y"});
    std::string mathml = to_mathml(product);
    const std::string open = "<mo>(</mo>";
    const std::string close = "<mo>)</mo>";
    mathml.erase(mathml.find(open), open.size());
    mathml.erase(mathml.find(close), close.size());
    EXPECT_NE(value(MathmlReader::read(mathml), 2, 3), value(product, 2, 3));
    EXPECT_THROW(XmlReader::read("<mi>x</mn>"), std::runtime_error);
    EXPECT_THROW(XmlReader::read("<mi>a>b</mi>"), std::runtime_error);
    EXPECT_THROW(XmlReader::read("<mi>x</mi><mi>y</mi>"), std::runtime_error);
}

} // namespace
