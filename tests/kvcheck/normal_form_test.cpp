#include "normal_form.hpp"

#include <gtest/gtest.h>

namespace {

using namespace kvcheck;

/// Whether the terms have one normal form; x, y, n are real variables.
bool equal(const std::string& a, const std::string& b) {
    const Statement statement = read_statement("(forall ((x 1 2) (y 1 2) (n 1 2)) (= " + a + " " + b + "))");
    const std::vector<int>& terms = statement.formula.parts[0].terms;
    return NormalForms(statement).equal(terms[0], terms[1]);
}

TEST(NormalForm, ProvesEqualities) {
    const std::pair<const char*, const char*> pairs[] = {
        {"(* (+ x y) (- x y))", "(- (^ x 2) (^ y 2))"},
        {"(/ (- (^ x 2) 1) (- x 1))", "(+ x 1)"},
        {"(- (/ 2 x) (/ 2 (+ x 1)))", "(/ 2 (* x (+ x 1)))"},
        {"(^ (/ x y) -3)", "(/ (^ y 3) (^ x 3))"},
        {"(^ (sqrt (/ x y)) 2)", "(/ x y)"},
        {"(^ (sqrt (+ 1 (sqrt x))) 4)", "(+ 1 x (* 2 (sqrt x)))"},
        {"(/ 1 (sqrt x))", "(/ (sqrt x) x)"},
        {"(exp 3)", "(^ e 3)"},
        {"(* (exp x) (exp (- x)))", "1"},
        {"(exp (+ x 1))", "(* e (exp x))"},
        {"(exp (/ (* 2 x) y))", "(^ (exp (/ x y)) 2)"},
        {"(^ 2 (- 1 (/ (* 2 y) n)))", "(/ (exp (* (/ 2 n) (- n y) (log 2))) 2)"},
        {"(^ 2 (+ x 1))", "(* 2 (exp (* x (log 2))))"},
        {"(^ 2 (* 2 x))", "(^ (^ 2 x) 2)"},
        {"(log 1)", "0"},
        {"(tanh 2)", "(/ (- (exp 4) 1) (+ 1 (exp 4)))"},
        {"(tanh -2)", "(- (tanh 2))"},
        {"(tanh 0)", "0"},
        {"(* (log (* pi e)) x)", "(* x (log (* pi e)))"},
        {"(+ (max x 0) (max x 0))", "(* 2 (max x 0))"},
        {"(* 0 x)", "0"},
    };
    for (const auto& [a, b] : pairs) EXPECT_TRUE(equal(a, b)) << a << " = " << b;
}

TEST(NormalForm, ProvesNothingElse) {
    const std::pair<const char*, const char*> pairs[] = {
        {"x", "y"},
        {"(* x x)", "x"},
        {"(sqrt 8)", "(* 2 (sqrt 2))"}, // true, but not by normal forms
        {"(sqrt (* x x))", "x"},
        {"(exp x)", "(exp y)"},
        {"(exp 1/2)", "e"},
        {"(^ (exp 1/2) 2)", "e"}, // true, but not by normal forms
        {"(log 2)", "(log 3)"},
        {"(^ 2 x)", "(^ 3 x)"},
        {"(max x y)", "(max y x)"},
        {"(abs x)", "x"},
        {"pi", "e"},
        {"pi", "22/7"},
        {"(+ x 1e-30)", "x"},
        {"(tanh 1/2)", "0"},
        {"(/ x (- y y))", "(/ x (- y y))"}, // undefined
        {"(/ x (- (^ (sqrt y) 2) y))", "1"},
        {"(^ (+ x y n pi e 1) 900)", "(^ (+ x y n pi e 1) 900)"}, // too large
    };
    for (const auto& [a, b] : pairs) EXPECT_FALSE(equal(a, b)) << a << " = " << b;
}

TEST(Formula, RefusesWhatIsOutsideTheGrammar) {
    for (const char* text :
         {"", "(", ")", "(< 1 2))", "(< 1)", "(and)", "(< 1 (sin 2))", "(< 1 x)",
          "(forall ((x 0 1)) (part (< x 2)))", "(forall ((x 1 0)) (< x 2))",
          "(forall ((x 0 1) (x 0 1)) (< x 2))", "(< 1 2.)", "(< 1 .5)", "(< 1 1/0)", "(< 1 lloyd.size.2)",
          "(< 1 lloyd.gain)", "(forall ((n int 1/3 1/2)) (< n 2))", "(and (part (< 1 2)))"}) {
        EXPECT_THROW((void)read_statement(text), BadUsage) << text;
    }
    EXPECT_THROW((void)read_statement(std::string(100000, '(')), BadUsage);
}

} // namespace
