// Rules unsat and game: they prove the number that is the risk and no other, and what they write is what the
// checker accepts.
#include "proofs/certificate/game_limits.hpp"
#include "proofs/certificate/probe_certificates.hpp"
#include "sim/probe/conflicts.hpp"
#include "tests/proofs/decided.hpp"
#include "tests/record/refusal.hpp"

#include <bit>
#include <cmath>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

TEST(ProbeRules, the_risk_is_proved_and_no_other_number) {
    const std::string start = "(probe-risk sparse:3,2 staged:1 2 1 ";
    const Decision decision = decided(start + "1/6)");
    EXPECT_EQ(decision.verdict, Verdict::proved);
    EXPECT_EQ(decision.exact, Rational(1, 6));
    for (const char* other : {"0", "2/3", "1/5", "-1/6"}) {
        const Decision wrong = decided(start + other + ")");
        EXPECT_EQ(wrong.verdict, Verdict::undecided) << other;
        EXPECT_EQ(wrong.why, Why::not_shown) << other;
    }
}

TEST(ProbeRules, a_bracket_is_proved_and_no_other) {
    const std::string start = "(probe-game hypercube:2 oblivious 2 1 ";
    EXPECT_EQ(verdict_of(start + "1/4 1/4)"), Verdict::proved);
    for (const char* other : {"1/4 1/2", "0 1/4", "1/5 1/4"})
        EXPECT_EQ(verdict_of(start + other + ")"), Verdict::undecided) << other;
}

TEST(ProbeRules, a_table_holds_every_class_at_every_budget) {
    const Decision decision = decided("(probe-table hypercube:2 2 3)");
    EXPECT_EQ(decision.verdict, Verdict::proved);
    EXPECT_EQ(decision.cases, 3U * (4 + 5 + 6 + 7)); // w = 0..2; r + 4 classes at r probes
    const auto risks = std::ranges::count_if(
        decision.records, [](const std::string& record) { return record.starts_with("risk "); });
    EXPECT_EQ(static_cast<std::uint64_t>(risks), decision.cases);
}

TEST(ProbeRules, terms_are_the_risks) {
    EXPECT_EQ(verdict_of("(= (probe.hypercube:2.oblivious 2 1) 1/2)"), Verdict::proved);
    EXPECT_EQ(verdict_of("(= (probe.hypercube:2.oblivious 2 1) 1/4)"), Verdict::refuted);
    EXPECT_EQ(verdict_of("(forall ((r int 0 2)) (>= (probe.pointer:2.staged:1 3 r) "
                         "(probe.pointer:2.branching 3 r)))"),
              Verdict::proved);
    EXPECT_EQ(verdict_of("(>= (probe.hypercube:2.oblivious 2 1/2) 0)"), Verdict::undecided);
    EXPECT_EQ(verdict_of("(>= (probe.hypercube:2.oblivious 17 1) 0)"), Verdict::undecided);
}

TEST(ProbeRules, a_formula_with_such_terms_rests_on_the_table) {
    const Formula formula =
        parse_formula("(part (forall ((w int 0 1)) (>= (probe.grid:1,4.branching w 1) 0)))");
    EXPECT_EQ(needed_certificates(formula, false), std::vector<std::string>{"readkv.c.risks"});
    EXPECT_EQ(needed_certificates(parse_formula("(probe-table grid:1,4 1 1)"), false),
              std::vector<std::string>{});
}

TEST(ProbeRules, what_they_cannot_read_is_refused) {
    for (const char* text :
         {"(probe-risk hypercube:2 oblivious 2 1)", "(probe-table hypercube:2 1)",
          "(probe-game hypercube:2 oblivious 2 1 0)", "(probe-risk hypercube:2 (a) 2 1 0)"})
        EXPECT_TRUE(refuses([&] { (void)parse_formula(text); }, ErrorCode::bad_formula, {})) << text;
    for (const char* text : {"(probe-risk hypercube:2 oblivious 17 1 0)", "(probe-table hypercube:2 1 -1)"})
        EXPECT_TRUE(refuses([&] { (void)decided(text); }, ErrorCode::bad_formula, {"budget"})) << text;
    for (const char* text : {"(probe-risk cube:2 oblivious 1 1 0)", "(probe-risk hypercube:2 sighted 1 1 0)",
                             "(>= (probe.cube:2.oblivious 1 1) 0)"})
        EXPECT_TRUE(refuses([&] { (void)decided(text); }, ErrorCode::bad_option, {})) << text;
    EXPECT_TRUE(
        refuses([] { (void)decided("(>= (probe.x 1 1) 0)"); }, ErrorCode::unknown_quantity, {"probe.x"}));
}

RC_GTEST_PROP(ProbeRules, terms_and_certified_risks_agree, ()) {
    // two engines: the term tries every encoder, the statement asks the solver where that is cheaper
    const std::string family = *rc::gen::element<std::string>("hypercube:2", "labels:0012,0102", "pointer:2");
    const std::string access =
        *rc::gen::element<std::string>("oblivious", "query-independent", "staged:1", "staged:2", "branching");
    const std::string budget =
        std::to_string(*rc::gen::inRange(0, 4)) + " " + std::to_string(*rc::gen::inRange(0, 4));
    const Family made = make_family(family);
    const Decision term = decided("(>= (probe." + family + "." + access + " " + budget + ") 0)");
    RC_ASSERT(term.verdict == Verdict::proved);
    int proved = 0;
    for (const Rational& value : thresholds(made)) {
        const std::string number = to_string(value);
        const bool is_risk = verdict_of("(probe-risk " + family + " " + access + " " + budget + " " + number +
                                        ")") == Verdict::proved;
        RC_ASSERT(is_risk == (verdict_of("(= (probe." + family + "." + access + " " + budget + ") " + number +
                                         ")") == Verdict::proved));
        proved += is_risk ? 1 : 0;
    }
    RC_ASSERT(proved == 1);
}

TEST(ProbeRules, a_known_witness_needs_no_search) {
    const Family family = make_family("pointer:2");
    const AccessClass staged = parse_access_class("staged:1");
    const auto risk = deterministic_risk(family, staged, 3, 2, {.engine = RiskEngine::sat});
    ASSERT_EQ(risk.witness.kind, LowerKind::unsat);
    const StopRequest now = [] { return true; };
    EXPECT_FALSE(risk_certificate(family, staged, 2, risk.protocol, nullptr, now));
    const auto known = risk_certificate(family, staged, 2, risk.protocol, &risk.witness, now);
    const auto searched = risk_certificate(family, staged, 2, risk.protocol);
    ASSERT_TRUE(known && searched);
    EXPECT_EQ(known->certificate.text, searched->certificate.text);
    EXPECT_EQ(known->claim, "probe.risk(pointer:2;staged:1;3;2;1/4)");
}

/// Leaves of all the trees that are tried, batch by batch.
double leaves_by_listing(unsigned free, int probes, int batches) {
    if (probes == 0) return 1;
    double out = 0;
    const int most = std::min(probes, std::popcount(free));
    for (unsigned batch = free; batch != 0; batch = (batch - 1) & free) {
        const int size = std::popcount(batch);
        const bool last = batches == 1 || most == std::popcount(free);
        if (last ? size != most : size > most - std::min(batches, most) + 1) continue;
        out += std::ldexp(last ? 1 : leaves_by_listing(free & ~batch, probes - size, batches - 1), size);
    }
    return out;
}

TEST(GameLimits, count_what_is_tried) {
    int near = 0;
    for (const char* name : {"hypercube:2", "hypercube:3", "pointer:2", "sparse:3,2", "attention:2"}) {
        const Family family = make_family(name);
        Bracket uniform;
        uniform.lower_rule = LowerRule::own_class;
        uniform.prior.weights.assign(static_cast<std::size_t>(family.sources * family.queries), 1);
        const int all_cuts = (1 << (family.sources - 1)) - 1;
        for (int bits = 2; bits <= 7; ++bits)
            for (int probes = 1; probes < bits; ++probes)
                for (int batches = 1; batches <= probes; ++batches) {
                    const int cuts = std::min(bits, all_cuts);
                    double sets = 1;
                    for (int i = 0; i < cuts; ++i) sets *= static_cast<double>(all_cuts - i) / (i + 1);
                    const double work = std::round(sets) * family.queries *
                                        leaves_by_listing((1U << static_cast<unsigned>(cuts)) - 1,
                                                          std::min(probes, cuts), batches);
                    const double most = 1 << 28;
                    if (work > most / 2 && work < 2 * most) ++near;
                    EXPECT_EQ(is_checkable(family, {true, batches}, bits, probes, uniform), work <= most)
                        << name << " " << bits << " " << probes << " " << batches << " " << work / most;
                }
    }
    EXPECT_GE(near, 2);
}

TEST(GameLimits, are_those_of_the_page) {
    const auto bracket = [](const Family& family) {
        Bracket out;
        out.lower_rule = LowerRule::own_class;
        out.prior.weights.assign(static_cast<std::size_t>(family.sources * family.queries), 1);
        return out;
    };
    const Family cube = make_family("hypercube:3");
    const AccessClass staged = {true, 1};
    EXPECT_TRUE(is_checkable(cube, staged, 3, 1, bracket(cube)));
    EXPECT_FALSE(is_checkable(cube, staged, 4, 1, bracket(cube)));
    EXPECT_TRUE(is_checkable(cube, {false, 1}, 4, 1, bracket(cube))); // partitions
    EXPECT_TRUE(is_checkable(cube, staged, 4, 4, bracket(cube)));     // a full read
    Bracket nothing = bracket(cube);
    nothing.lower_rule = LowerRule::nothing;
    EXPECT_TRUE(is_checkable(cube, staged, 4, 1, nothing));
    nothing.lower_rule = LowerRule::full_read;
    EXPECT_FALSE(is_checkable(cube, staged, 3, 1, nothing));
    Bracket one_query = bracket(cube);
    for (std::size_t i = 0; i < one_query.prior.weights.size(); ++i)
        if (i % 6 != 2) one_query.prior.weights[i] = 0;
    EXPECT_TRUE(is_checkable(cube, staged, 4, 1, one_query));
}

} // namespace
