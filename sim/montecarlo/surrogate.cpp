// ReadKV F.7: how well the scores that ReadKV allocates by track the errors they stand for, on captures.

#include "lib/error.hpp"
#include "lib/portable/exp.hpp"
#include "lib/random/random_stream.hpp"
#include "sim/montecarlo/observed_layer.hpp"
#include "sim/montecarlo/rows.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof {
namespace {

enum Parameters : std::size_t { depth, rate, transform, alternatives, perturbation, key_level, value_level };
enum Metrics : std::size_t {
    key_interaction,
    key_above,
    value_interaction,
    value_above,
    worse_one_or_all,
    worse_none_or_all,
    key_agreement,
    value_agreement,
};
enum Streams : std::uint16_t { place_stream, key_stream, value_stream };

constexpr std::size_t block_trials = 32;
constexpr int deepest = 8;

struct Setting {
    std::vector<std::shared_ptr<const ObservedLayer>> layers;
    CaptureShape shape;
    Transform keys;
    Transform values;
    std::unique_ptr<DepthPolicy> multilevel;
    std::unique_ptr<DepthPolicy> one_or_all;  // {1, W} in both stages
    std::unique_ptr<DepthPolicy> none_or_all; // {0, W}
    int alternatives;
    double perturbation;
    double key_level;
    double value_level;
};

/// ReadKV's rule on weights that are changed by these factors in one stage.
class ChangedWeights : public DepthPolicy {
public:
    ChangedWeights(const DepthPolicy& rule, Stage stage, std::vector<double> factors)
        : rule_(rule), stage_(stage), factors_(std::move(factors)) {}

    [[nodiscard]] Schedule choose(const StageItems& items, AllocationWorkspace& workspace) const override {
        if (items.stage != stage_) return rule_.choose(items, workspace);
        std::vector<double> weights(items.weights.begin(), items.weights.end());
        for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= factors_[i];
        return rule_.choose({items.stage, items.heads, weights}, workspace);
    }

private:
    const DepthPolicy& rule_;
    Stage stage_;
    std::vector<double> factors_;
};

/// One observation of F.7: a query row and a physical KV head.
class Observation {
public:
    Observation(const Setting& setting, const TrialRange& range, std::uint64_t trial)
        : setting_(setting), seed_(range.seed), trial_(trial) {
        RandomStream stream(place(place_stream));
        layer_ =
            setting.layers[static_cast<std::size_t>(stream.below(static_cast<int>(setting.layers.size())))]
                .get();
        const int row = stream.below(setting.shape.queries);
        kv_head_ = static_cast<std::size_t>(stream.below(setting.shape.kv_heads));
        tokens_ = setting.shape.position(row) + 1;
        queries_ = layer_->layer.queries_at(row);
    }

    void measure(SampleTable& samples, std::size_t at) {
        const TwoStageReader own = reader(*setting_.multilevel);
        TwoStageCall call;
        own.run(queries_, tokens_, call);
        const Energies keys = key_energies(*layer_, call, kv_head_);
        const Energies values = value_energies(*layer_, own, call, kv_head_);
        const double error = output_error(*layer_, call, kv_head_);
        samples.of(key_interaction)[at] = cut_below(keys.interaction());
        samples.of(key_above)[at] = above(keys.interaction(), setting_.key_level);
        samples.of(value_interaction)[at] = cut_below(values.interaction());
        samples.of(value_above)[at] = above(values.interaction(), setting_.value_level);
        samples.of(worse_one_or_all)[at] = error_of(*setting_.one_or_all) > error ? 1 : 0;
        samples.of(worse_none_or_all)[at] = error_of(*setting_.none_or_all) > error ? 1 : 0;
        samples.of(key_agreement)[at] = agreement(Stage::keys, keys);
        samples.of(value_agreement)[at] = agreement(Stage::values, values);
    }

private:
    [[nodiscard]] RandomPlace place(std::uint16_t stream) const {
        return {.seed = seed_, .trial = trial_, .experiment = random_experiment::surrogate, .stream = stream};
    }

    static double cut_below(double share) { return std::isnan(share) ? share : std::max(share, -1.0); }
    static double above(double share, double level) {
        return std::isnan(share) ? share : (share > level ? 1 : 0);
    }

    [[nodiscard]] TwoStageReader reader(const DepthPolicy& policy) const {
        return {layer_->encoded, policy, setting_.keys, setting_.values, ValueScale::unit};
    }

    [[nodiscard]] double error_of(const DepthPolicy& policy) const {
        TwoStageCall call;
        reader(policy).run(queries_, tokens_, call);
        return output_error(*layer_, call, kv_head_);
    }

    /// Score against true error over ReadKV's own schedule and others of the same budget: from its weights
    /// times e^(s x), x normal, s growing to `perturbation`. In the value stage all have the same keys.
    [[nodiscard]] double agreement(Stage stage, const Energies& own) const {
        const bool of_keys = stage == Stage::keys;
        RandomStream stream(place(of_keys ? key_stream : value_stream));
        const int items = setting_.shape.kv_heads * (of_keys ? setting_.shape.dim : tokens_);
        std::vector<double> scores = {own.score};
        std::vector<double> errors = {own.error};
        for (int i = 1; i <= setting_.alternatives; ++i) {
            const double s = setting_.perturbation * i / setting_.alternatives;
            std::vector<double> factors(static_cast<std::size_t>(items));
            for (double& factor : factors) factor = portable::exp(s * stream.normal());
            const ChangedWeights policy(*setting_.multilevel, stage, factors);
            const TwoStageReader other = reader(policy);
            TwoStageCall call;
            other.run(queries_, tokens_, call);
            const Energies found = of_keys ? key_energies(*layer_, call, kv_head_)
                                           : value_energies(*layer_, other, call, kv_head_);
            scores.push_back(found.score);
            errors.push_back(found.error);
        }
        return kendall_tau(scores, errors);
    }

    const Setting& setting_;
    std::uint64_t seed_;
    std::uint64_t trial_;
    const ObservedLayer* layer_ = nullptr;
    std::size_t kv_head_ = 0;
    int tokens_ = 0;
    std::vector<double> queries_; // [H, d_h]
};

void require_calibration(const CaptureInputs& files) {
    files.capture->require_queries();
    if (!files.calibration)
        throw Error(ErrorCode::bad_option,
                    "--calibration: found none, expected a capture or self, which surrogate needs");
    const CaptureShape& a = files.capture->shape();
    const CaptureShape& b = files.calibration->shape();
    if (a.layers != b.layers || a.kv_heads != b.kv_heads || a.dim != b.dim)
        throw Error(ErrorCode::bad_capture, files.calibration->source() +
                                                ": found other layers, KV heads or d_h than in " +
                                                files.capture->source());
}

Experiment make_surrogate(const ExperimentInputs& inputs) {
    require_calibration(inputs.files);
    const CaptureShape& shape = inputs.files.capture->shape();
    const auto d = static_cast<std::size_t>(shape.dim);
    const auto levels = static_cast<int>(inputs.whole(depth));
    const Rational mean_depth = parse_rational(inputs.word(rate));
    if (mean_depth > levels)
        throw Error(ErrorCode::bad_option, "--set: R: found more than W, expected R <= W");
    const bool hadamard = inputs.word(transform) == "hadamard";
    const NestedCode code = cut(gaussian_code(deepest), levels);
    const Rates rates{mean_depth, mean_depth};
    auto setting = std::make_shared<Setting>(Setting{
        .layers = {},
        .shape = shape,
        .keys = hadamard ? Transform::hadamard(d, 0, 0) : Transform::identity(d),
        .values = hadamard ? Transform::hadamard(d, 0, 1) : Transform::identity(d),
        .multilevel = adaptive_policy(rates, code.gain, false),
        .one_or_all = two_level_policy(1, rates, code.gain, TwoLevelScope::both),
        .none_or_all = two_level_policy(0, rates, code.gain, TwoLevelScope::both),
        .alternatives = static_cast<int>(inputs.whole(alternatives)),
        .perturbation = inputs.number(perturbation),
        .key_level = inputs.number(key_level),
        .value_level = inputs.number(value_level),
    });
    for (int layer = 0; layer < shape.layers; ++layer)
        setting->layers.push_back(std::make_shared<const ObservedLayer>(
            inputs.files.capture->layer(layer), inputs.files.calibration->layer(layer), setting->keys,
            setting->values, code));
    Experiment out;
    out.block = block_trials;
    out.metrics = {
        {"key_interaction", MetricKind::bounded, -1, 1,
         "signed share of cross-channel terms in sum_h ||z - z^||^2, cut at -1"},
        {"key_above", MetricKind::proportion, 0, 1, "that share is above key_level: is its median?"},
        {"value_interaction", MetricKind::bounded, -1, 1,
         "signed share of cross-token terms in sum_h ||E_V' alpha^||^2, cut at -1"},
        {"value_above", MetricKind::proportion, 0, 1, "that share is above value_level: is its median?"},
        {"worse_1W", MetricKind::proportion, 0, 1, "depths {1, W} in both stages err more than ReadKV's"},
        {"worse_0W", MetricKind::proportion, 0, 1, "depths {0, W} in both stages err more than ReadKV's"},
        {"key_agreement", MetricKind::bounded, -1, 1,
         "Kendall's tau of key score and squared logit error over schedules"},
        {"value_agreement", MetricKind::bounded, -1, 1,
         "Kendall's tau of value score and squared value error over schedules"},
    };
    out.run = [setting](const TrialRange& range, SampleTable& samples) {
        for (std::size_t i = 0; i < range.count; ++i)
            Observation(*setting, range, range.first + i).measure(samples, i);
    };
    return out;
}

} // namespace

/// One trial draws a layer, a query row and a KV head, each uniformly and with replacement, so that the means
/// are those of the capture. Budgets are pooled over the KV heads of a layer, as in F.7. F.7's own 24 rows a
/// document are not given; it uses no rank correlation: tau is ours. Ranges: an interaction is at most 1, as
/// the diagonal is not negative, and is cut at -1; tau by definition.
ExperimentRow surrogate_row() {
    return {.name = "surrogate",
            .summary = "ReadKV F.7: allocation scores against the errors they stand for",
            .version = 1,
            .parameters = {{"W", "8", 2, 8, true, {}, "stored depth"},
                           {"R", "2", 1, 8, false, {}, "mean depth read, of keys and of values"},
                           {"transform", "hadamard", 0, 0, false, {"hadamard", "identity"}, "U_K and U_V"},
                           {"alternatives", "7", 1, 1000, true, {}, "schedules beside ReadKV's own, a stage"},
                           {"perturbation", "2", 0, 100, false, {}, "largest deviation of their log weights"},
                           {"key_level", "0.021", -1e9, 1, false, {}, "a share; F.7's median on Qwen3B"},
                           {"value_level", "0.646", -1e9, 1, false, {}, "a share; F.7's median on Qwen3B"}},
            .needs_capture = true,
            .make = make_surrogate};
}

} // namespace kvproof
