// Verdicts and their conjunction: no combination of parts earns more than its weakest part.
#include "proofs/decision.hpp"

#include "tests/proofs/decided.hpp"
#include "tests/record/refusal.hpp"

#include <set>
#include <type_traits>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

constexpr Verdict verdicts[] = {Verdict::proved, Verdict::refuted, Verdict::supported, Verdict::undecided};
constexpr Why reasons[] = {Why::none,         Why::precision_cap, Why::case_budget, Why::node_budget,
                           Why::missing_part, Why::missing_input, Why::not_shown,   Why::effort};

TEST(Decision, a_verdict_is_no_truth_value) {
    static_assert(!std::is_convertible_v<Verdict, bool> && !std::is_convertible_v<Verdict, int>);
    static_assert(!std::is_convertible_v<Why, bool>);
    EXPECT_EQ(Decision().verdict, Verdict::undecided); // what nobody has decided
}

TEST(Decision, names_are_read_back) {
    for (const Verdict verdict : verdicts) EXPECT_EQ(parse_verdict(to_string(verdict)), verdict);
    EXPECT_EQ(to_string(Verdict::proved), "proved");
    EXPECT_EQ(to_string(Verdict::refuted), "refuted");
    EXPECT_EQ(to_string(Verdict::supported), "supported");
    EXPECT_EQ(to_string(Verdict::undecided), "undecided");
    for (const char* text : {"", "Proved", "proved ", "proven", "prove"})
        EXPECT_TRUE(
            refuses([&] { (void)parse_verdict(text); }, ErrorCode::bad_registry, {text, "expected proved"}));
    std::set<std::string_view> names;
    for (const Why why : reasons) names.insert(to_string(why));
    EXPECT_EQ(names.size(), std::size(reasons)); // scripts tell them apart
}

Decision with(Verdict verdict, Why why = Why::none) {
    Decision out;
    out.verdict = verdict;
    out.why = why;
    return out;
}

TEST(Decision, refuted_outweighs_undecided_outweighs_supported_outweighs_proved) {
    const std::vector<Verdict> by_weight = {Verdict::proved, Verdict::supported, Verdict::undecided,
                                            Verdict::refuted};
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j)
            EXPECT_EQ(both(with(by_weight[i]), with(by_weight[j])).verdict, by_weight[std::max(i, j)]);
}

TEST(Decision, the_reason_belongs_to_the_part_that_decides) {
    EXPECT_EQ(both(with(Verdict::undecided, Why::node_budget), with(Verdict::refuted)).why, Why::none);
    EXPECT_EQ(both(with(Verdict::refuted), with(Verdict::undecided, Why::node_budget)).why, Why::none);
    EXPECT_EQ(both(with(Verdict::proved), with(Verdict::undecided, Why::not_shown)).why, Why::not_shown);
    EXPECT_EQ(both(with(Verdict::undecided, Why::not_shown), with(Verdict::proved)).why, Why::not_shown);
    EXPECT_EQ(both(with(Verdict::undecided, Why::not_shown), with(Verdict::undecided, Why::effort)).why,
              Why::not_shown);
}

TEST(Decision, evidence_is_joined) {
    Decision first = with(Verdict::proved);
    Decision second = with(Verdict::proved);
    first.cases = 2;
    second.cases = 3;
    first.bits = 64;
    second.bits = 128;
    first.witness = {{"a", {"1"}}};
    second.witness = {{"b", {"2", "3"}}};
    second.exact = Rational(1, 2);
    second.slack = Interval(Rational(3), 8);
    Decision joined = both(first, second);
    EXPECT_EQ(joined.cases, 5U);
    EXPECT_EQ(joined.bits, 128);
    EXPECT_EQ(witness_of(joined, "a"), "1");
    EXPECT_EQ(witness_of(joined, "b"), "2, 3");
    EXPECT_EQ(joined.exact, Rational(1, 2));
    EXPECT_TRUE(joined.slack->contains(Rational(3)));
    first.slack = Interval(Rational(2), 8);
    EXPECT_TRUE(both(first, second).slack->contains(Rational(2)));
    EXPECT_TRUE(both(second, first).slack->contains(Rational(2)));
    // the first number stands, in whichever form it is known
    first.enclosure = Interval(Rational(7), 8);
    joined = both(first, second);
    EXPECT_TRUE(joined.enclosure->contains(Rational(7)));
    EXPECT_FALSE(joined.exact.has_value());
    joined = both(second, first);
    EXPECT_EQ(joined.exact, Rational(1, 2));
    EXPECT_FALSE(joined.enclosure.has_value());
}

} // namespace
