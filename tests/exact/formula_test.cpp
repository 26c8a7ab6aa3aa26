// Formulas as text: what is printed is read back as the same tree, and every fault in a text is refused with
// its place.
#include "tests/exact/formulas.hpp"

#include "lib/error.hpp"

using namespace kvproof;
using namespace kvproof::test;

namespace {

/// What reading the text throws: code and line.
std::pair<ErrorCode, std::string> fault(const std::string& text) {
    try {
        (void)parse_formula(text);
    } catch (const Error& error) {
        return {error.code(), error.what()};
    }
    return {ErrorCode::internal, "nothing was thrown"};
}

std::string repeat(const std::string& text, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += text;
    return out;
}

std::string infix(const std::string& text) {
    return to_infix(parse_expr(text, {"a", "b", "c"}));
}

} // namespace

RC_GTEST_PROP(Formula, what_is_printed_is_read_back, ()) {
    const Formula f = *any_formula();
    RC_ASSERT(parse_formula(to_machine(f)) == f);
}

RC_GTEST_PROP(Formula, terms_are_read_back, ()) {
    const Expr x = *any_expression(whole_grammar(), 6);
    RC_ASSERT(parse_expr(to_machine(x), {"x", "y"}) == x);
    RC_ASSERT(x.size() >= x.depth() + 1);
}

// Equality that were always true would make the tests above worthless.
RC_GTEST_PROP(Formula, another_tree_is_not_equal, ()) {
    const Expr x = *any_expression(whole_grammar(), 4);
    const Expr y = *any_expression(whole_grammar(), 4);
    RC_ASSERT((x == y) == (to_machine(x) == to_machine(y)));
    RC_ASSERT(!(x == Expr::apply(Op::neg, {x})));
}

TEST(Formula, chains_and_long_sums) {
    const Formula chain = parse_formula("(< 1 2 (+ 1 2 3) 9)");
    ASSERT_EQ(chain.terms.size(), 4U);
    EXPECT_EQ(to_machine(chain), "(< 1 2 (+ (+ 1 2) 3) 9)"); // folded to the left
    EXPECT_EQ(to_infix(chain), "1 < 2 < 1 + 2 + 3 < 9");
    EXPECT_EQ(to_machine(parse_expr("(- 7 2 1)")), "(- (- 7 2) 1)");
    EXPECT_EQ(to_machine(parse_expr("(- 7)")), "(- 7)");
    EXPECT_EQ(parse_expr("-7").op(), Op::rational);
    EXPECT_EQ(to_machine(parse_expr("(+ 0.10 007/14)")), "(+ 1/10 1/2)");
}

TEST(Formula, let_replaces_names_by_terms) {
    EXPECT_EQ(
        parse_formula("(let ((p (/ 1 3)) (q (* p p))) (and (< p q) (forall ((n 0 1)) (< n q))))"),
        parse_formula("(and (< (/ 1 3) (* (/ 1 3) (/ 1 3))) (forall ((n 0 1)) (< n (* (/ 1 3) (/ 1 3)))))"));
    EXPECT_EQ(parse_formula("(forall ((n 0 1)) (let ((m (+ n 1))) (< n m)))"),
              parse_formula("(forall ((n 0 1)) (< n (+ n 1)))"));
    EXPECT_EQ(parse_formula("(and (let ((p 1)) (< p 2)) (let ((p 3)) (< p 4)))"), // side by side is fine
              parse_formula("(and (< 1 2) (< 3 4))"));
}

TEST(Formula, lists_what_it_is_about) {
    const Formula f = parse_formula("(and (< a.b 1) (forall ((n int 1 2)) (= n (+ c.d a.b))) (< pi 4))");
    EXPECT_EQ(quantities_of(f), (std::vector<std::string>{"a.b", "c.d"}));
    ASSERT_EQ(relations_of(f).size(), 3U);
    EXPECT_EQ(relations_of(f)[1]->relation, Relation::equal);
}

TEST(Formula, faults_name_their_place) {
    const std::pair<const char*, int> rows[] = {
        {"", 1},                                        // nothing
        {"x", 1},                                       // an atom is no formula
        {")", 1},                                       //
        {"()", 1},                                      //
        {"(< 1 2", 1},                                  // the parenthesis that is not closed
        {"(< 1 (+ 1 2)", 1},                            //
        {"(< 1 2) 3", 9},                               // something follows
        {"(< 1 2))", 8},                                //
        {"(< 1)", 1},                                   // one term
        {"(<> 1 2)", 1},                                // no relation
        {"((< 1 2))", 1},                               //
        {"(and)", 1},                                   //
        {"(and 1)", 6},                                 //
        {"(< 1 x)", 6},                                 // unbound
        {"(< 1 (f 2))", 6},                             // no operation
        {"(< 1 (+ 2))", 6},                             // too few
        {"(< 1 (largest 2))", 6},                       //
        {"(< 1 (sqrt 2 3))", 6},                        // too many
        {"(< 1 (^ 2 3 4))", 6},                         //
        {"(< 1 ((+ 1 2) 3))", 6},                       //
        {"(< 1 2x)", 6},                                // once a bad_number without a place
        {"(< 1 1e99999)", 6},                           //
        {"(< 1 -)", 6},                                 //
        {"(forall ((n 1 2)))", 1},                      // no body
        {"(forall n (< n 1))", 1},                      //
        {"(forall ((n 1)) (< n 1))", 10},               // no upper end
        {"(forall ((n real 1 2)) (< n 1))", 10},        //
        {"(forall ((n 2 1)) (< n 1))", 10},             // empty
        {"(forall ((n int 0.5 1)) (< n 1))", 10},       //
        {"(forall ((n 0 x)) (< n 1))", 15},             //
        {"(forall ((n 0 1) (m int 0 1)) (< n m))", 18}, // two kinds in one quantifier
        {"(forall ((n 0 (+ 1 1))) (< n 1))", 15},       // ends are numbers
        {"(forall ((2 0 1)) (< 2 1))", 11},             // no name
        {"(forall ((a.b 0 1)) (< a.b 1))", 11},         // a quantity's name
        {"(forall (((n) 0 1)) (< n 1))", 11},           //
        {"(let ((a 1 2)) (< a 1))", 7},                 //
        {"(let (a) (< a 1))", 7},                       //
        {"(let ((a b)) (< a 1))", 10},                  //
        {"(let ((a 1)) a)", 14},                        //
    };
    for (const auto& [text, at] : rows) {
        const auto [code, line] = fault(text);
        EXPECT_EQ(code, ErrorCode::bad_formula) << text << ": " << line;
        EXPECT_NE(line.find("character " + std::to_string(at) + ":"), std::string::npos)
            << text << ": " << line;
    }
}

// A let could once rename 5, pi or a certified quantity, and (= 5 6) was read from (let ((5 6)) (= 5 6)) as 6
// = 6.
TEST(Formula, names_with_a_meaning_are_not_bound) {
    for (const char* name : {"5", "-x", "pi", "e", "lloyd.gain.3", "a+b", "x^1*y", "\xc3\xa9"}) {
        const std::string n(name);
        EXPECT_EQ(fault("(let ((" + n + " 6)) (= " + n + " 6))").first, ErrorCode::bad_formula) << n;
        EXPECT_EQ(fault("(forall ((" + n + " 6 6)) (= " + n + " 6))").first, ErrorCode::bad_formula) << n;
        EXPECT_THROW((void)parse_expr("1", {n}), Error) << n;
    }
}

// The x that y abbreviates was once captured by the inner x, and a false statement was read as x = x.
TEST(Formula, a_name_is_bound_once) {
    EXPECT_EQ(fault("(forall ((x 0 1)) (let ((y x)) (forall ((x 5 6)) (= y x))))").first,
              ErrorCode::bad_formula);
    EXPECT_EQ(fault("(forall ((x 0 1) (x 2 3)) (< x 3))").first, ErrorCode::bad_formula);
    EXPECT_EQ(fault("(let ((x 1) (x 2)) (< x 3))").first, ErrorCode::bad_formula);
}

// Text, chains and abbreviations can each nest; all are refused before the stack or the memory is used up.
TEST(Formula, deep_nesting_is_refused) {
    const auto refused = [](const std::string& text) { return fault(text).first == ErrorCode::bad_formula; };
    EXPECT_TRUE(refused(repeat("(", 1'000'000)));
    EXPECT_TRUE(refused("(< 1 " + repeat("(- ", 1'000'000) + "1" + repeat(")", 1'000'000) + ")"));
    EXPECT_TRUE(refused("(< 1 (+" + repeat(" 1", 900) + "))")); // printed, it nests 899 deep
    EXPECT_TRUE(refused("(< 1 " + repeat("(+ ", 190) + "1" + repeat(repeat(" 1", 900) + ")", 190) + ")"));
    std::string tower = "(let ((a0 2)";
    std::string doubling = tower;
    for (int i = 1; i < 100'000; ++i)
        tower += " (a" + std::to_string(i) + " (- a" + std::to_string(i - 1) + "))";
    for (int i = 1; i < 100; ++i) // a small depth, but 2^100 nodes once written out
        doubling +=
            " (a" + std::to_string(i) + " (+ a" + std::to_string(i - 1) + " a" + std::to_string(i - 1) + "))";
    EXPECT_TRUE(refused(tower + ") (< a99999 1))"));
    EXPECT_TRUE(refused(doubling + ") (< a99 1))"));
}

// The deepest text that is read is also printed and read again.
TEST(Formula, the_deepest_formula_returns) {
    for (int depth : {198, 199, 200}) {
        const std::string text = "(< 1 " + repeat("(- ", depth) + "1" + repeat(")", depth) + ")";
        if (depth == 200) {
            EXPECT_EQ(fault(text).first, ErrorCode::bad_formula);
        } else {
            const Formula f = parse_formula(text);
            EXPECT_EQ(to_machine(f), text);
            EXPECT_EQ(parse_formula(to_machine(f)), f);
        }
    }
    const std::string lets = "(and (let ((x (+" + repeat(" 1", 198) + "))) (< x (- x))))";
    const Formula f = parse_formula(lets);
    EXPECT_EQ(parse_formula(to_machine(f)), f);
    EXPECT_EQ(fault("(and " + lets + ")").first, ErrorCode::bad_formula); // one level more
}

TEST(Formula, infix_has_the_parentheses_it_needs) {
    const std::pair<const char*, const char*> rows[] = {
        {"(- a (- b c))", "a - (b - c)"},
        {"(- (- a b) c)", "a - b - c"},
        {"(/ a (* b c))", "a/(b*c)"},
        {"(* (/ a b) c)", "a/b*c"},
        {"(* a (/ b c))", "a*(b/c)"},
        {"(^ (^ a b) c)", "(a^b)^c"},
        {"(^ a (^ b c))", "a^(b^c)"},
        {"(^ (- a) 2)", "(-a)^2"},
        {"(- (^ a 2))", "-a^2"},
        {"(- (+ a b))", "-(a + b)"},
        {"(- (- a))", "-(-a)"},
        {"(- a (- b))", "a - (-b)"},
        {"(* a -2)", "a*(-2)"},
        {"(^ 1/2 a)", "(1/2)^a"},
        {"(* 1/2 a)", "1/2*a"},
        {"(/ a 1/2)", "a/(1/2)"},
        {"(sqrt (+ a b))", "sqrt(a + b)"},
        {"(max (- a) b)", "max(-a, b)"},
        {"(* (+ a b) (exp c))", "(a + b)*exp(c)"},
    };
    for (const auto& [machine, people] : rows) EXPECT_EQ(infix(machine), people);
    EXPECT_EQ(to_infix(parse_formula("(forall ((n int 1 3)) (and (< n 4) (< n 5)))")),
              "for all n = 1..3: n < 4 and n < 5");
    EXPECT_EQ(to_infix(parse_formula("(and (forall ((x 0 1)) (< x 2)) (< 3 4))")),
              "(for all x in [0, 1]: x < 2) and 3 < 4");
}
