// Statements about the running reader: each is supported as it stands, and refuted as soon as the reader, its
// policy or the bound is a wrong one. A sample leaves no certificate.
#include "proofs/certificate/writer.hpp"
#include "proofs/draws.hpp"
#include "proofs/readkv/error_bounds.hpp"
#include "proofs/readkv/obstruction.hpp"
#include "proofs/readkv/staged_reads.hpp"
#include "proofs/readkv/stagewise.hpp"
#include "proofs/readkv/synthetic_case.hpp"
#include "proofs/readkv/theorem_1.hpp"
#include "proofs/readkv/theorem_2.hpp"
#include "proofs/results_json.hpp"
#include "proofs/sample.hpp"
#include "tests/proofs/decided.hpp"
#include "tests/record/refusal.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

Sample sample_of(std::uint64_t cases, std::uint64_t seed = 0) {
    return {quantities().code(), seed, cases};
}

/// ReadKV's policy with something done to the weights before, or to the depths after.
class AlteredPolicy final : public DepthPolicy {
public:
    using Weights = std::function<std::vector<double>(const StageItems&)>;
    AlteredPolicy(std::unique_ptr<DepthPolicy> policy, Weights weights, bool rotate)
        : policy_(std::move(policy)), weights_(std::move(weights)), rotate_(rotate) {}

    [[nodiscard]] Schedule choose(const StageItems& items, AllocationWorkspace& workspace) const override {
        const std::vector<double> weights = weights_(items);
        Schedule out = policy_->choose({items.stage, items.heads, weights}, workspace);
        if (rotate_) std::ranges::rotate(out.depths, out.depths.begin() + 1);
        return out;
    }

private:
    std::unique_ptr<DepthPolicy> policy_;
    Weights weights_;
    bool rotate_;
};

std::vector<double> as_they_are(const StageItems& items) {
    return {items.weights.begin(), items.weights.end()};
}

/// As many refinements as ReadKV's, of the next items.
const MakePolicy misplaced = [](const EncodedLayer& layer, const Rates& rates, bool per_head) {
    return std::make_unique<AlteredPolicy>(readkv_policy(layer, rates, per_head), as_they_are, true);
};

MakePolicy uniform(unsigned depth) {
    return [depth](const EncodedLayer&, const Rates&, bool) { return fixed_policy(depth); };
}

/// One item of one stage gets a larger weight where the cache holds a certain bit, read or not.
MakePolicy peeking(Stage stage, Stage at, int token) {
    return [=](const EncodedLayer& layer, const Rates& rates, bool per_head) {
        const auto weights = [stage, at, token, &layer](const StageItems& items) {
            std::vector<double> out = as_they_are(items);
            if (items.stage != stage) return out;
            const CaptureShape& shape = layer.shape();
            std::vector<double> read(static_cast<std::size_t>(std::max(shape.tokens, shape.dim)));
            const int depth = layer.stored_depth();
            if (at == Stage::keys)
                (void)layer.read_key_channel(0, 0, depth, shape.tokens, read.data());
            else
                (void)layer.read_value_token(0, std::min(token, shape.tokens - 1), depth, read.data());
            if (read[0] > 0) std::ranges::reverse(out);
            return out;
        };
        return std::make_unique<AlteredPolicy>(readkv_policy(layer, rates, per_head), weights, false);
    };
}

void expect_refuted(const Decision& decision, const std::string& how) {
    EXPECT_EQ(decision.verdict, Verdict::refuted);
    EXPECT_NE(witness_of(decision, "fails").find(how), std::string::npos) << witness_of(decision, "fails");
    EXPECT_NE(witness_of(decision, "case"), "");
}

TEST(Sampling, staged_reads) {
    const Decision held = reads_are_staged(sample_of(40));
    EXPECT_EQ(held.verdict, Verdict::supported);
    EXPECT_EQ(held.cases, 40U);
    expect_refuted(reads_are_staged(sample_of(40), peeking(Stage::keys, Stage::keys, 0)), "key addresses");
    expect_refuted(reads_are_staged(sample_of(40), peeking(Stage::keys, Stage::values, 0)), "key addresses");
    expect_refuted(reads_are_staged(sample_of(40), peeking(Stage::values, Stage::keys, 0)),
                   "value addresses");
    expect_refuted(reads_are_staged(sample_of(40), peeking(Stage::values, Stage::values, 0)),
                   "value addresses");
    expect_refuted(reads_are_staged(sample_of(40), peeking(Stage::values, Stage::values, 1000)),
                   "value addresses"); // the last token, which is not always visible
}

TEST(Sampling, theorem_1) {
    const Decision upper = theorem_1_upper(sample_of(20));
    EXPECT_EQ(upper.verdict, Verdict::supported);
    EXPECT_TRUE(upper.slack->contains(Rational(1))); // the bound is attained
    EXPECT_TRUE(upper.slack->is_point());
    expect_refuted(theorem_1_upper(sample_of(0), misplaced), "> bound");
    expect_refuted(theorem_1_upper(sample_of(0), uniform(1)), "L k bits");

    EXPECT_EQ(theorem_1_schedule(sample_of(20)).verdict, Verdict::supported);
    EXPECT_EQ(theorem_1_schedule(sample_of(20)).cases, 15U * 8U * 2U + 20U);
    expect_refuted(theorem_1_schedule(sample_of(0), misplaced), "coordinate");
    expect_refuted(theorem_1_schedule(sample_of(0), uniform(1)), "coordinate");
}

TEST(Sampling, theorem_2) {
    const Decision held = theorem_2_run(sample_of(20));
    EXPECT_EQ(held.verdict, Verdict::supported);
    // the largest error is (p eps_8 + rho)^2, up to the reader's rounding
    const double rho = 1 / (1 + std::exp(10.0));
    const double epsilon = nearest_float64(*quantities().exact("float32.epsilon.8"));
    const double largest = std::pow((1 - rho) * epsilon + rho, 2);
    EXPECT_NEAR(mpfr_get_d(held.slack->lower(), MPFR_RNDN), 9.5e-5 / largest, 1e-9);
    expect_refuted(theorem_2_run(sample_of(0), misplaced), "8 m bits");
    expect_refuted(theorem_2_run(sample_of(0), uniform(7)), "8 m bits");
}

TEST(Sampling, obstruction) {
    EXPECT_EQ(obstruction_run(sample_of(20)).verdict, Verdict::supported);
    EXPECT_EQ(obstruction_run(sample_of(20)).cases, 63U + 20U);
    expect_refuted(obstruction_run(sample_of(0), uniform(3)), "not 2");
    // a code whose second level reconstructs 1 as 3/2 errs by less
    NestedCode nearer = quantities().code();
    nearer.codebook.centroids[2].back() = 1.5F;
    expect_refuted(obstruction_run({nearer, 0, 0}), "> bound");
}

TEST(Sampling, certificates) {
    const Decision plain = bound_holds(sample_of(60), proposition_12);
    const Decision sharp = bound_holds(sample_of(60), sharp_certificate);
    EXPECT_EQ(plain.verdict, Verdict::supported);
    EXPECT_EQ(sharp.verdict, Verdict::supported);
    EXPECT_GT(plain.cases, 60U); // query heads
    const Interval one(Rational(1), 64);
    EXPECT_EQ(less_equal(one, *sharp.slack), Truth::yes);
    EXPECT_EQ(less_equal(*sharp.slack, *plain.slack), Truth::yes);

    const auto without_kappa = [](const Certified& row) {
        return row.centre_norm_sq * row.a_k / 2 + 2 * row.a_v;
    };
    expect_refuted(bound_holds(sample_of(60), without_kappa), "> bound");
    const auto sharp_without_kappa = [](const Certified& row) {
        const double root = std::sqrt(row.attention_bound_sq) + std::sqrt(row.a_v);
        return root * root;
    };
    expect_refuted(bound_holds(sample_of(60), sharp_without_kappa), "> bound");
    const auto without_keys = [](const Certified& row) { return 2 * row.kappa_v * row.a_v; };
    expect_refuted(bound_holds(sample_of(60), without_keys), "> bound");
    const auto missing = [](const Certified&) { return std::nan(""); };
    expect_refuted(bound_holds(sample_of(1), missing), "missing");
}

TEST(Sampling, stagewise) {
    EXPECT_EQ(stages_are_optimal(sample_of(40)).verdict, Verdict::supported);
    expect_refuted(stages_are_optimal(sample_of(40), misplaced), "not optimal");
    expect_refuted(stages_are_optimal(sample_of(40), uniform(8)), "not optimal"); // beyond the budget
    const auto smallest = [](const std::vector<double>& betas) { return *std::ranges::min_element(betas); };
    expect_refuted(stages_are_optimal(sample_of(400), readkv_policy, smallest), "> bound");
}

TEST(Sampling, is_repeated_by_its_seed_and_grows_with_the_effort) {
    const auto text = [](const Decision& decision) { return witness_of(decision, "tightest case"); };
    const Decision first = decided("(reader stagewise 0 20)");
    EXPECT_EQ(text(first), text(decided("(reader stagewise 0 20)")));
    EXPECT_EQ(witness_of(first, "seed"), "0");
    const Decision second = decided("(reader stagewise 7 20)");
    EXPECT_EQ(second.verdict, Verdict::supported);
    EXPECT_NE(text(second), text(first));
    EXPECT_EQ(witness_of(second, "seed"), "7");
    Effort full = small_effort();
    full.full = true;
    EXPECT_EQ(decided("(reader stagewise 0 3)", full).cases, 60U);
}

TEST(Sampling, what_no_statement_is_named_after_is_refused) {
    EXPECT_TRUE(refuses([] { (void)decided("(reader nothing 0 1)"); }, ErrorCode::bad_formula, {"nothing"}));
    for (const char* text : {"(reader)", "(reader staged2)", "(reader staged2 0)", "(reader staged2 0 1 2)",
                             "(reader (a b) 0 1)", "(reader staged2 0 1/2)", "(reader staged2 -1 1)"})
        EXPECT_TRUE(refuses([&] { (void)parse_formula(text); }, ErrorCode::bad_formula, {})) << text;
}

TEST(Sampling, leaves_no_certificate) {
    for (const Claim& claim : registry()) {
        if (claim.rule != "sampling") continue;
        const Context context{quantities(), Effort()};
        const Result result = verify_claim(claim, context);
        EXPECT_EQ(result.decision.verdict, Verdict::supported) << claim.id;
        const CertificateSet certificates = certificates_of({result}, context);
        EXPECT_TRUE(certificates.empty()) << claim.id;
        const auto json = nlohmann::json::parse(results_json({result}, certificates, false))["claims"][0];
        EXPECT_TRUE(json["certificate"].is_null()) << claim.id;
        EXPECT_TRUE(json["sha256"].is_null()) << claim.id;
        EXPECT_EQ(json["rule"], "sampling");
    }
}

/// What is refuted leaves none either: there is no relation that fails.
TEST(Sampling, a_refuted_sample_is_reported_without_a_certificate) {
    Claim claim = select_claims({"readkv.obstruction.reader.run"}).front();
    Codebook<float> table = float32_codebook(8);
    table.centroids[2].back() = 1.5F;
    const CertifiedQuantities user(std::move(table));
    const Context context{user, Effort()};
    const Result result = verify_claim(claim, context, "mine.json");
    EXPECT_EQ(result.decision.verdict, Verdict::refuted);
    EXPECT_EQ(result.scope, "file:mine.json"); // the reader stores with the user's table
    EXPECT_TRUE(certificates_of({result}, context).empty());
    claim.formula = "(and (< 1 2) (reader obstruction 0 1))";
    EXPECT_TRUE(certificates_of({verify_claim(claim, context)}, context).empty());
}

TEST(Sampling, a_shallow_table_lacks_what_the_theorems_need) {
    const CertifiedQuantities user(float32_codebook(3));
    for (const char* id : {"readkv.thm1.*.reader", "readkv.thm2.run.reader", "readkv.obstruction.reader.run"})
        for (const Claim& claim : select_claims({id}))
            EXPECT_EQ(verify_claim(claim, {user, Effort()}).decision.why, Why::missing_input) << claim.id;
    const Claim staged = select_claims({"readkv.s3.staged2"}).front();
    EXPECT_EQ(verify_claim(staged, {user, Effort()}).decision.verdict, Verdict::supported);
}

TEST(Draws, are_philoxs_words_and_normal) {
    Draws draws(3, 5, 7);
    const RandomPlace place{
        .seed = 3, .trial = 5, .experiment = random_experiment::reader_cases, .stream = 7};
    for (std::uint32_t i = 0; i < 12; ++i) EXPECT_EQ(draws.word(), random_block(place, i / 4)[i % 4]);
    double sum = 0;
    double squares = 0;
    double fourths = 0;
    constexpr int count = 40000;
    for (int i = 0; i < count; ++i) {
        const double x = draws.normal();
        sum += x;
        squares += x * x;
        fourths += x * x * x * x;
    }
    EXPECT_NEAR(sum / count, 0, 0.02); // four standard errors
    EXPECT_NEAR(squares / count, 1, 0.03);
    EXPECT_NEAR(fourths / count, 3, 0.2);
}

TEST(SyntheticCase, every_size_and_setting_occurs) {
    std::set<int> dims;
    std::set<int> tokens;
    std::set<int> depths;
    std::set<bool> identity;
    std::set<bool> hidden;
    std::size_t constant = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
        const SyntheticCase drawn = synthetic_case(sample_of(0), i);
        dims.insert(drawn.layer.shape.dim);
        tokens.insert(drawn.layer.shape.tokens);
        depths.insert(drawn.setup.code.depth());
        identity.insert(drawn.setup.keys.is_identity());
        hidden.insert(drawn.visible < drawn.layer.shape.tokens);
        constant += static_cast<std::size_t>(
            std::ranges::count_if(drawn.calibration.values.scale, [](double s) { return s < 1e-12; }));
    }
    EXPECT_EQ(dims, (std::set<int>{2, 4, 8, 16, 64}));
    EXPECT_EQ(tokens, (std::set<int>{1, 2, 3, 4, 5, 8, 13, 21, 34}));
    EXPECT_EQ(depths.size(), 8U);
    EXPECT_EQ(identity.size(), 2U);
    EXPECT_EQ(hidden.size(), 2U);
    EXPECT_GT(constant, 0U);
}

} // namespace
