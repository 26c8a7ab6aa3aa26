// F.7's figures on a capture: scores, diagonals and errors against those of the error certificates (other
// code, other sums, rounded upward), the interactions' signs on hand-made cases, and Kendall's tau.
#include "lib/reader/measure.hpp"
#include "sim/montecarlo/confidence.hpp"
#include "sim/montecarlo/observed_layer.hpp"
#include "sim/montecarlo/task.hpp"

#include "lib/error.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

using namespace kvproof;

namespace {

const std::string folder = std::string(KVPROOF_SOURCE_DIR) + "/tests/data/captures/";

CaptureInputs inputs() {
    return {.capture = std::make_shared<const Capture>(folder + "byte64_test.safetensors"),
            .calibration = std::make_shared<const Capture>(folder + "byte64_calib.safetensors")};
}

TEST(Energies, are_those_of_the_certificates) {
    const CaptureInputs files = inputs();
    const CaptureShape& shape = files.capture->shape();
    const auto d = static_cast<std::size_t>(shape.dim);
    const Transform keys = Transform::hadamard(d, 0, 0);
    const Transform values = Transform::hadamard(d, 0, 1);
    const NestedCode code = gaussian_code(8);
    const CaptureLayer full = files.capture->layer(0);
    const CaptureLayer calibration = files.calibration->layer(0);
    const ReaderSettings settings{keys, values, code, ValueScale::unit, Pool::layer};
    const QueryRows rows = {0, shape.queries / 2, shape.queries - 1};
    const Measured measured = measure(*make_reader("readkv:8,2", shape.layers), {full, &calibration, 0},
                                      settings, rows, true, {}, run_in_order, [] {});
    const ObservedLayer layer(full, calibration, keys, values, code);
    const auto policy = adaptive_policy({2, 2}, code.gain, false);
    const TwoStageReader reader(layer.encoded, *policy, keys, values, ValueScale::unit);
    std::size_t compared = 0;
    for (const int row : rows) {
        const std::vector<double> queries = full.queries_at(row);
        TwoStageCall call;
        reader.run(queries, shape.position(row) + 1, call);
        for (int g = 0; g < shape.kv_heads; ++g) {
            double a_k = 0, a_v = 0, s_k = 0, s_v = 0, logits = 0, outputs = 0, value_term = 0;
            for (const Certified& one : measured.rows) {
                if (one.position != shape.position(row) || shape.kv_head_of(one.head) != g) continue;
                a_k += one.a_k;
                a_v += one.a_v;
                s_k += one.s_k;
                s_v += one.s_v;
                logits += one.logit_error_sq;
                outputs += one.error_sq;
                value_term += one.value_term_sq;
            }
            const auto head = static_cast<std::size_t>(g);
            const Energies of_keys = key_energies(layer, call, head);
            const Energies of_values = value_energies(layer, reader, call, head);
            // sums of at most 10^5 terms, in which cancellation costs 10^2: far below a billionth
            const auto close = [&](double ours, double theirs, const char* what) {
                EXPECT_LE(std::fabs(ours - theirs), 1e-8 * theirs)
                    << what << ", row " << row << ", head " << g;
                ++compared;
            };
            close(of_keys.diagonal, a_k, "A_K");
            close(of_keys.score, s_k, "S_K");
            close(of_keys.error, logits, "||z - z^||^2");
            close(of_values.diagonal, a_v, "A_V");
            close(of_values.score, s_v, "S_V");
            close(of_values.error, value_term, "||E_V' alpha^||^2");
            close(output_error(layer, call, head), outputs, "||o - o^||^2");
        }
    }
    EXPECT_EQ(compared, 7 * rows.size() * static_cast<std::size_t>(shape.kv_heads));
}

TEST(Energies, interactions_have_signs) {
    EXPECT_EQ((Energies{4, 1, 0}.interaction()), 0.75); // residuals that add up
    EXPECT_EQ((Energies{1, 4, 0}.interaction()), -3);   // that cancel
    EXPECT_TRUE(std::isnan(Energies{0, 0, 0}.interaction()));
}

TEST(KendallTau, of_known_rankings) {
    EXPECT_EQ(kendall_tau({1, 2, 3, 4}, {10, 20, 30, 40}), 1);
    EXPECT_EQ(kendall_tau({1, 2, 3, 4}, {4, 3, 2, 1}), -1);
    EXPECT_EQ(kendall_tau({1, 2, 3}, {1, 3, 2}), 1.0 / 3);
    EXPECT_EQ(kendall_tau({1, 1, 2}, {1, 2, 3}), 2.0 / 3); // a tie counts as neither
    EXPECT_TRUE(std::isnan(kendall_tau({1}, {1})));
}

RC_GTEST_PROP(KendallTau, does_not_mind_monotone_maps, (std::vector<std::int16_t> a)) {
    std::vector<double> x(a.begin(), a.end());
    std::vector<double> y = x;
    std::ranges::rotate(y, y.begin() + static_cast<std::ptrdiff_t>(y.size() / 2));
    if (x.size() < 2) return;
    std::vector<double> z = x;
    for (double& entry : z) entry = entry * entry * entry;
    RC_ASSERT(kendall_tau(z, y) == kendall_tau(x, y));
    RC_ASSERT(kendall_tau(y, x) == kendall_tau(x, y));
    for (double& entry : z) entry = -entry;
    RC_ASSERT(kendall_tau(z, y) == -kendall_tau(x, y));
}

TEST(Surrogate, trials_depend_on_their_number_alone) {
    const Task task = make_task("surrogate", {"alternatives=2"}, 1, inputs());
    const Sums whole = run_range(task, 10, 7);
    Sums parts;
    for (std::uint64_t i = 0; i < 7; ++i) parts += run_range(task, 10 + i, 1);
    EXPECT_EQ(parts, whole);
    EXPECT_NE(run_range(task, 11, 7), whole);
}

TEST(Surrogate, the_score_ranks_schedules_and_a_shuffled_one_does_not) {
    const Task task = make_task("surrogate", {}, 0, inputs());
    const Sums sums = run_range(task, 0, 400);
    for (std::size_t m : {6U, 7U}) { // key_agreement, value_agreement
        const Estimate found = estimate(task.experiment.metrics[m], sums.metrics[m]);
        EXPECT_GT(*found.lower, 0) << task.experiment.metrics[m].name;
    }
    // no perturbation: all schedules are ReadKV's own, and nothing can be ranked
    const Task same = make_task("surrogate", {"perturbation=0"}, 0, inputs());
    const Sums none = run_range(same, 0, 4);
    EXPECT_EQ(none.metrics[6].greatest, 0);
    EXPECT_EQ(none.metrics[7].least, 0);
}

TEST(Surrogate, what_is_missing_or_does_not_fit_is_named) {
    const auto line_of = [](const std::vector<std::string>& settings, const CaptureInputs& files) {
        try {
            static_cast<void>(make_task("surrogate", settings, 0, files));
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    CaptureInputs files = inputs();
    EXPECT_EQ(line_of({}, {}), "--capture: found none, expected a file, which surrogate needs");
    EXPECT_EQ(line_of({"W=2", "R=3"}, files), "--set: R: found more than W, expected R <= W");
    const std::string hash = make_task("surrogate", {}, 0, files).hash;
    std::swap(files.capture, files.calibration);
    EXPECT_NE(make_task("surrogate", {}, 0, files).hash, hash); // the files' bytes count
    files.calibration = nullptr;
    EXPECT_EQ(line_of({}, files),
              "--calibration: found none, expected a capture or self, which surrogate needs");
}

} // namespace
