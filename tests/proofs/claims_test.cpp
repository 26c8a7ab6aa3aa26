// Every claim of the default effort ends as the registry records it, and the evidence says so.
#include "proofs/results_json.hpp"

#include "lib/error.hpp"
#include "tests/codec/enclosures.hpp"
#include "tests/proofs/decided.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

const std::vector<Result>& all_results() {
    static const std::vector<Result> results = [] {
        std::vector<Result> out;
        for (const Claim& claim : registry()) out.push_back(verify_claim(claim, {quantities(), Effort()}));
        return out;
    }();
    return results;
}

const Result& result_of(const std::string& id) {
    return *std::ranges::find(all_results(), id, [](const Result& result) { return result.claim.id; });
}

TEST(Claims, end_as_recorded) {
    for (const Result& result : all_results()) {
        EXPECT_TRUE(result.as_recorded()) << result.claim.id;
        EXPECT_EQ(result.decision.why == Why::effort, result.claim.full_effort) << result.claim.id;
        const bool undecided = result.decision.verdict == Verdict::undecided;
        const bool edge = result.decision.why == Why::rounding_edge;
        EXPECT_EQ(undecided, result.decision.why != Why::none && !edge) << result.claim.id;
        EXPECT_TRUE(!edge || result.decision.verdict == Verdict::supported) << result.claim.id;
    }
}

TEST(Claims, the_evidence_fits_the_verdict) {
    for (const Result& result : all_results()) {
        const Decision& decision = result.decision;
        if (decision.verdict == Verdict::proved || decision.verdict == Verdict::supported) {
            EXPECT_GT(decision.cases, 0U) << result.claim.id;
            // a proved bound has a slack of at least 1
            if (decision.slack) {
                EXPECT_NE(less(*decision.slack, Interval(Rational(1), 2)), Truth::yes) << result.claim.id;
            }
            EXPECT_EQ(witness_of(decision, "fails"), "") << result.claim.id;
        }
        if (decision.verdict == Verdict::refuted) {
            EXPECT_NE(witness_of(decision, "fails"), "") << result.claim.id;
            EXPECT_NE(witness_of(decision, "left"), "") << result.claim.id;
            EXPECT_NE(result.claim.note, "") << result.claim.id; // a defect of a paper is explained
        }
    }
}

TEST(Claims, numbers_that_are_known_from_elsewhere) {
    const auto begins = [](const std::string& id, const std::string& digits) {
        return enclosure_text(result_of(id).decision, 20).starts_with(digits);
    };
    EXPECT_TRUE(begins("readkv.thm1.ratio155", "157.0450"));
    EXPECT_TRUE(begins("readkv.thm1.ratio155507", "155.507"));
    EXPECT_TRUE(begins("readkv.thm1.instance", "4.9076590534"));
    EXPECT_TRUE(begins("readkv.lemma7.epsilon8.exact", "0.00965429684"));
    EXPECT_TRUE(begins("readkv.lemma7.q2.exact", "1.51041760849"));
    EXPECT_FALSE(begins("readkv.lemma7.q2.exact", "1.5104175806"));
    EXPECT_TRUE(begins("readkv.thm1.slack", "2.53029"));
    EXPECT_EQ(slack_text({}, 9), "-");
    EXPECT_EQ(enclosure_text({}, 9), "-");
    Decision wide;
    wide.enclosure = Interval::between(Rational(-1), Rational(2), 8);
    EXPECT_EQ(enclosure_text(wide, 9), "[-1, 2]");
}

TEST(Claims, the_summary_counts_them) {
    const Summary summary = summarise(all_results());
    EXPECT_EQ(summary.proved + summary.refuted + summary.supported + summary.undecided, registry().size());
    EXPECT_EQ(summary.differing, 0U);
    const auto refuted_of = [](const char* paper) {
        return std::ranges::count_if(all_results(), [&](const Result& result) {
            return result.claim.id.starts_with(paper) && result.decision.verdict == Verdict::refuted;
        });
    };
    EXPECT_EQ(refuted_of("readkv."),
              6); // Lemma 7's first two gains in two readings each, Q_2(1), and F.7 in binary32
    EXPECT_EQ(refuted_of("aatc.quantiser."), 4);         // overload at b = 0, 1 and from 2 on, and a mean
    EXPECT_EQ(refuted_of("aatc.eq28."), 2);              // min-max scaling, and AATC's own quantiser
    EXPECT_EQ(refuted_of("aatc.table.compression."), 4); // KIVI at one bit; AATC at one and two bits
    EXPECT_EQ(refuted_of("aatc.thm1."), 1);              // the per-token bound of (16)
    EXPECT_EQ(refuted_of("aatc.eq5."), 1);               // one variance for all tokens
    EXPECT_EQ(refuted_of("aatc.b."), 3);                 // appendix B's errors, their mean, and its sigma
    EXPECT_EQ(refuted_of("paper.audit."), 9);
    std::vector<Result> altered = {result_of("readkv.thm1.coefficient")};
    altered[0].decision.verdict = Verdict::refuted;
    EXPECT_EQ(summarise(altered).differing, 1U);
    EXPECT_EQ(summarise(altered).refuted, 1U);
}

TEST(Claims, a_users_table_is_held_against_the_claims_about_the_table) {
    Codebook<float> table = float32_codebook(8);
    table.centroids[2][3] = std::nextafter(table.centroids[2][3], 9.0F);
    table.centroids[8][200] += 0.001F;
    const CertifiedQuantities user(std::move(table));
    const auto verify = [&](const std::string& id) {
        return verify_claim(result_of(id).claim, {user, Effort()}, "mine.json");
    };
    EXPECT_EQ(verify("readkv.lemma7.q2.float32").decision.verdict, Verdict::refuted);
    EXPECT_EQ(verify("readkv.lemma7.q2.float32").scope, "file:mine.json");
    EXPECT_FALSE(verify("readkv.lemma7.q2.float32").as_recorded());
    EXPECT_EQ(verify("readkv.lemma7.gain.8.codebook").decision.verdict, Verdict::refuted);
    EXPECT_EQ(verify("readkv.lemma7.gain.3.codebook").decision.verdict, Verdict::proved);
    EXPECT_EQ(verify("readkv.lemma7.gain.8.exact").decision.verdict, Verdict::proved); // not about a table
    EXPECT_EQ(verify("readkv.lemma7.gain.8.exact").scope, "exact");
}

TEST(Claims, a_shallower_table_lacks_what_deeper_claims_need) {
    const CertifiedQuantities user(float32_codebook(2));
    const auto verify = [&](const std::string& id) {
        return verify_claim(result_of(id).claim, {user, Effort()}, "f");
    };
    EXPECT_EQ(verify("readkv.lemma7.q2.float32").decision.verdict, Verdict::proved);
    const Result result = verify("readkv.lemma7.gain.8.float32");
    EXPECT_EQ(result.decision.verdict, Verdict::undecided);
    EXPECT_EQ(result.decision.why, Why::missing_input);
    EXPECT_NE(witness_of(result.decision, "missing").find("gain.8"), std::string::npos);
    // in the built-in table a missing quantity is a defect, not an input
    Claim wrong = result.claim;
    wrong.formula = "(< float32.epsilon.9 1)";
    EXPECT_THROW((void)verify_claim(wrong, {quantities(), Effort()}), Error);
}

TEST(Claims, full_effort_is_left_undecided_by_default) {
    const Result& deep = result_of("readkv.lloyd.tree.depth12");
    EXPECT_EQ(deep.decision.why, Why::effort);
    EXPECT_TRUE(deep.as_recorded());
    EXPECT_EQ(deep.decision.cases, 0U);
}

TEST(Claims, results_as_json_hold_exact_strings) {
    const std::vector<Result> two = {result_of("readkv.lemma7.gain.1.exact"),
                                     result_of("readkv.lemma7.gain.1.float32")};
    const auto json = nlohmann::json::parse(results_json(two, {}, false));
    EXPECT_EQ(json["summary"]["refuted"], 1);
    EXPECT_EQ(json["summary"]["proved"], 1);
    const auto& refuted = json["claims"][0];
    EXPECT_EQ(refuted["verdict"], "refuted");
    EXPECT_TRUE(refuted["why"].is_null());
    const Rational lower = parse_rational(refuted["enclosure"]["lower"].get<std::string>());
    const Rational upper = parse_rational(refuted["enclosure"]["upper"].get<std::string>());
    EXPECT_LE(lower, upper);
    EXPECT_LT(upper - lower, power(Rational(10), -35));
    const Interval truth = quantities().enclose("lloyd.gain.1", 300);
    EXPECT_TRUE(lower <= truth.lower_rational() && truth.upper_rational() <= upper); // rounded outward
    const auto& exact = json["claims"][1]["enclosure"];
    EXPECT_EQ(exact["lower"], exact["upper"]);
    EXPECT_EQ(exact["lower"], "10680707/16777216");
    EXPECT_FALSE(refuted.contains("seconds"));
    EXPECT_TRUE(nlohmann::json::parse(results_json(two, {}, true))["claims"][0].contains("seconds"));
}

} // namespace
