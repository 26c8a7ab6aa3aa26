// The functions of rationals in formulas: their domain, and the checker's independent code for them.
#include "proofs/functions.hpp"

#include "proofs/checker/functions.hpp"
#include "proofs/quantities.hpp"
#include "tests/allocate/instances.hpp"

using namespace kvproof;
using namespace kvproof::test;

namespace {

const std::vector<std::string> names = {"greedy", "best", "largest", "waterfill"};

std::optional<kvcheck::FunctionValue> checkers(const std::string& name,
                                               const std::vector<Rational>& arguments) {
    std::vector<mpq_class> converted;
    for (const Rational& x : arguments) converted.emplace_back(to_string(x));
    try {
        return kvcheck::function_value(name, converted);
    } catch (const kvcheck::Undefined&) {
        return {};
    }
}

Rational to_rational(const mpq_class& x) {
    return parse_rational(x.get_str());
}

/// Mostly inside the domain.
std::vector<Rational> any_arguments(const std::string& name) {
    std::vector<Rational> out;
    const long depth = pick(1, 3);
    if (name != "largest") out.emplace_back(pick(0, 20) == 0 ? pick(-1, 65) : depth);
    out.emplace_back(pick(0, 20) == 0 ? Rational(pick(-1, 3), 2) : Rational(pick(0, 9)));
    const long items = pick(0, 3);
    if (name == "largest" || name == "waterfill") {
        for (const Rational& a : any_weights(items, items)) out.push_back(a);
        if (name == "largest" && items > 0) out.back() = any_gain();
        if (out.size() < 2) out.emplace_back(1);
        return out;
    }
    for (long i = 0; i < items * depth; ++i) {
        out.push_back(any_gain());
        out.emplace_back(pick(0, 40) == 0 ? 0 : pick(1, 3));
    }
    return out;
}

} // namespace

RC_GTEST_PROP(Functions, prover_and_checker_agree, ()) {
    const std::string& name = names[static_cast<std::size_t>(pick(0, 3))];
    const std::vector<Rational> arguments = any_arguments(name);
    const auto ours = function_value(name, arguments);
    const auto theirs = checkers(name, arguments);
    RC_ASSERT(ours.has_value() == theirs.has_value());
    if (!ours) return;
    const auto exact = ours->exact();
    const auto other = theirs->exact();
    RC_ASSERT(exact.has_value() == other.has_value());
    if (exact) {
        RC_ASSERT(*exact == to_rational(*other));
        return;
    }
    constexpr unsigned fixed_bits = 200;
    const kvcheck::Interval ends = theirs->enclosure(kvcheck::Fixed(fixed_bits));
    const Rational unit = power_of_two(-static_cast<long>(fixed_bits));
    const Interval enclosure =
        Interval::between(to_rational(ends.lo) * unit, to_rational(ends.hi) * unit, 240);
    RC_ASSERT(equal(enclosure, ours->enclose(200)) != Truth::no);
    RC_ASSERT(ours->enclose(200).accuracy() > 190);
}

TEST(Functions, refuse_what_is_out_of_range) {
    const std::vector<std::pair<std::string, std::vector<Rational>>> wrong = {
        {"greedy", {0, 1, 1, 1}},              // W
        {"greedy", {65, 1}},                   //
        {"greedy", {1, -1, 1, 1}},             // B
        {"greedy", {1, Rational(1, 2), 1, 1}}, //
        {"best", {1, 1000001, 1, 1}},          //
        {"best", {2, 1, 1, 1}},                // half an item
        {"best", {1, 1, 1}},                   // a gain without a cost
        {"best", {1, 1, 1, 0}},                // cost
        {"best", {1, 1, 1, 1001}},             //
        {"best", {1, 1, 1, Rational(3, 2)}},   //
        {"largest", {Rational(1, 2), 1}},      //
        {"waterfill", {1, 1, -1}},             // a weight
        {"waterfill", {Rational(1, 2), 1, 1}}, //
    };
    for (const auto& [name, arguments] : wrong) {
        EXPECT_FALSE(function_value(name, arguments).has_value()) << name << " " << arguments.size();
        EXPECT_FALSE(checkers(name, arguments).has_value()) << name << " " << arguments.size();
    }
    std::vector<Rational> many = {1, 3};
    for (int i = 0; i < 19; ++i) many.insert(many.end(), {Rational(1), Rational(1)});
    EXPECT_TRUE(function_value("best", many).has_value());
    many.insert(many.end(), {Rational(1), Rational(1)}); // 2^20 vectors of depths
    EXPECT_FALSE(function_value("best", many).has_value());
    EXPECT_FALSE(checkers("best", many).has_value());
    EXPECT_TRUE(function_value("greedy", many).has_value());
}

TEST(Functions, stand_in_formulas) {
    const CertifiedQuantities quantities;
    const auto truth = [&](const std::string& text, const Box& box = {}) {
        return holds(parse_formula("(forall ((n int 0 9)) " + text + ")").parts.front(), box, quantities,
                     128);
    };
    EXPECT_EQ(truth("(= (greedy 1 2 3 2 2 1 2 1) 3)"), Truth::yes);
    EXPECT_EQ(truth("(= (greedy 1 2 3 2 2 1 2 1) 4)"), Truth::no);
    EXPECT_EQ(truth("(< 2.38 (waterfill 2 1 1 1 1) 2.39)"), Truth::no); // 3 4^(-1/3) = 1.889...
    EXPECT_EQ(truth("(< 1.88 (waterfill 2 1 1 1 1) 1.89)"), Truth::yes);
    EXPECT_EQ(truth("(= (waterfill 1 n 4 1) 13/4)", {{"n", {1, 1}}}), Truth::no); // 4/4 + 1
    EXPECT_EQ(truth("(= (waterfill 1 n 4 1) 2)", {{"n", {1, 1}}}), Truth::yes);
    EXPECT_EQ(truth("(= (waterfill 1 n 4 1) 2)", {{"n", {0, 1}}}), Truth::unknown); // not one number
    EXPECT_EQ(truth("(= (largest 1 pi) pi)"), Truth::unknown);                      // not rational
    EXPECT_EQ(truth("(< (greedy 1 1 -1 0) 9)"), Truth::unknown);                    // outside the domain
}
