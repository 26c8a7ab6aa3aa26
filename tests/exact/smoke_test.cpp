#include "lib/exact/decimal.hpp"
#include "lib/exact/identity.hpp"

#include <gtest/gtest.h>

using namespace kvproof;

TEST(Smoke, constants) {
    EXPECT_EQ(shared_decimal(pi(128), 30), "3.14159265358979323846264338327");
    const Formula f =
        parse_formula("(let ((p (/ 1 (+ 1 (exp -10)))) (r (/ 1 (+ 1 (exp 10))))) (= (- p r) (tanh 5)))");
    EXPECT_EQ(identical(f.terms[0], f.terms[1]), Truth::yes);
    const Formula g = parse_formula("(forall ((n 1 2) (b 0 2)) (= (/ (exp (* (/ 2 n) (- n b) (log 2))) (* 2 "
                                    "pi e)) (/ (^ 2 (- 1 (/ (* 2 b) n))) (* pi e))))");
    EXPECT_EQ(identical(g.parts[0].terms[0], g.parts[0].terms[1]), Truth::yes);
    EXPECT_EQ(identical(parse_expr("(^ (/ 2 (sqrt (* 2 pi))) 2)"), parse_expr("(/ 2 pi)")), Truth::yes);
    std::puts(to_infix(g).c_str());
}
