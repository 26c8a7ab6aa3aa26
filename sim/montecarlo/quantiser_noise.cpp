// Whether AATC's quantiser obeys the white-noise model (Assumptions 1 and 2) on captured attention, and what
// becomes of D = D_K + D_V where it does not.

#include "lib/error.hpp"
#include "sim/montecarlo/quantiser_trial.hpp"
#include "sim/montecarlo/rows.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof {
namespace {

enum Parameters : std::size_t { bits, code, allocation, layer };

constexpr std::size_t block_trials = 1024;
/// One trial in so many looks at an attention call: that costs a thousand times more than looking at errors.
constexpr std::uint64_t row_every = 64;

/// All relative errors of keys, or of values: how large they get, and what the sampled means should be.
struct Population {
    double least = 0;
    double greatest = 0;
    double mean = 0;
    double power = 0; // of 12 (e/Delta)^2
    double overloads = 0;
    double live = 0;

    [[nodiscard]] double magnitude() const { return std::max(-least, greatest); }
};

Population population(const QuantiserTrialSetting& setting, std::size_t side) {
    Population out;
    for (int l = 0; l < setting.layers; ++l)
        for (const double e : setting.cache->layer(setting.first_layer + l)[side].relative) {
            if (std::isnan(e)) continue;
            out.least = std::min(out.least, e);
            out.greatest = std::max(out.greatest, e);
            out.mean += e;
            out.power += 12 * (e * e);
            out.overloads += std::fabs(e) > half_step ? 1 : 0;
            ++out.live;
        }
    for (double* sum : {&out.mean, &out.power, &out.overloads}) *sum /= std::max(out.live, 1.0);
    return out;
}

void add_errors(Experiment& out, const std::string& side, const Population& all) {
    const double m = all.magnitude() > 0 ? all.magnitude() : 1;
    const double square = 12 * (m * m);
    const auto add = [&](const char* name, MetricKind kind, double lower, double upper, const char* meaning) {
        out.metrics.push_back({side + name, kind, lower, upper, meaning});
    };
    add("_bias", MetricKind::bounded, -m, m, "e / Delta; the model: mean 0, range -1/2 .. 1/2");
    add("_power", MetricKind::bounded, 0, square, "e^2 / (Delta^2/12); the model: mean 1");
    add("_third", MetricKind::bounded, -(m * m) * m, (m * m) * m, "(e / Delta)^3; the model: mean 0");
    add("_positive", MetricKind::proportion, 0, 1, "e > 0; the model: 1/2");
    add("_overload", MetricKind::proportion, 0, 1, "|e| > Delta/2; the model: never");
    add("_channels", MetricKind::bounded, -square, square,
        "12 e e' / (Delta Delta') of two channels of a token; the model: mean 0");
    add("_tokens", MetricKind::bounded, -square, square, "the same of a channel of neighbouring tokens");
    out.references.push_back({side + "_least", all.least, "the least e / Delta of the capture"});
    out.references.push_back({side + "_greatest", all.greatest, "the greatest"});
    out.references.push_back({side + "_bias", all.mean, "the mean over the whole capture (to rounding)"});
    out.references.push_back({side + "_power", all.power, "of e^2 / (Delta^2/12)"});
    out.references.push_back({side + "_overload", all.overloads, "of |e| > Delta/2"});
}

void add_rows(Experiment& out, double most) {
    out.metrics.insert(
        out.metrics.end(),
        {{"key_value", MetricKind::bounded, -most, most, "the same of a key and a value channel of a token"},
         {"distortion", MetricKind::unbounded, 0, sample_limit,
          "||o - o^||^2 / (D_K + D_V), each channel's own E e^2; one trial in 64; the model: mean 1"},
         {"textbook", MetricKind::unbounded, 0, sample_limit, "the same with Delta^2/12 for E e^2"},
         {"key_distortion", MetricKind::unbounded, 0, sample_limit, "||E_K||^2 / D_K: keys alone quantised"},
         {"value_distortion", MetricKind::unbounded, 0, sample_limit,
          "||E_V||^2 / D_V: values alone quantised"},
         {"error", MetricKind::unbounded, 0, sample_limit, "||o - o^||^2 / ||o||^2"},
         {"predicted", MetricKind::unbounded, 0, sample_limit, "(D_K + D_V) / ||o||^2"},
         {"cut", MetricKind::proportion, 0, 1, "one of these six beyond 4096, and cut to it"}});
}

const Capture& calibration_of(const CaptureInputs& files) {
    if (!files.calibration)
        throw Error(ErrorCode::bad_option,
                    "--calibration: found none, expected a file (or self), from which AATC learns");
    const CaptureShape& own = files.capture->shape();
    const CaptureShape& other = files.calibration->shape();
    if (own.layers != other.layers || own.query_heads != other.query_heads ||
        own.kv_heads != other.kv_heads || own.dim != other.dim)
        throw Error(ErrorCode::bad_option,
                    "--calibration: found another model's sizes than --capture has, expected "
                    "the same layers, heads and dimension");
    return *files.calibration;
}

Experiment make_quantiser_noise(const ExperimentInputs& inputs) {
    const Capture& calibration = calibration_of(inputs.files);
    const int count = calibration.shape().layers;
    QuantiserTrialSetting setting{.cache = nullptr, .first_layer = 0, .layers = count};
    if (inputs.number(layer) >= 0) {
        if (inputs.number(layer) >= count)
            throw Error(ErrorCode::bad_option, "--set: layer: found " + inputs.word(layer) +
                                                   ", expected a layer of the capture, below " +
                                                   std::to_string(count));
        setting.first_layer = static_cast<int>(inputs.whole(layer));
        setting.layers = 1;
    }
    setting.cache = std::make_shared<const QuantisedCapture>(
        std::make_shared<const QueryRows>(*inputs.files.capture, &calibration), calibration,
        QuantiserChoice{.bits = static_cast<int>(inputs.whole(bits)),
                        .form = inputs.word(code) == "printed" ? TokenCode::printed : TokenCode::repaired,
                        .equal = inputs.word(allocation) == "equal"});
    const Population keys = population(setting, 0);
    const Population values = population(setting, 1);
    Experiment out;
    out.block = block_trials;
    add_errors(out, "key", keys);
    add_errors(out, "value", values);
    // one rounding more than the products of the largest errors have
    const double most = 12 * (keys.magnitude() * values.magnitude()) * (1 + 0x1p-50);
    add_rows(out, most > 0 ? most : 1);
    out.run = [setting](const TrialRange& range, SampleTable& samples) {
        for (std::size_t i = 0; i < range.count; ++i) {
            const std::uint64_t number = range.first + i;
            QuantiserTrial trial(setting, {range.seed, number, random_experiment::quantiser_noise, 0}, i,
                                 samples);
            trial.look_at_errors();
            if (number % row_every == 0) trial.look_at_a_row();
        }
    };
    return out;
}

} // namespace

/// A trial draws a layer, a token and channels, with replacement: means are over all of the capture. One in
/// 64 draws an attention call too. The ranges of errors are those of the whole capture, which is looked
/// through once.
ExperimentRow quantiser_noise_row() {
    return {.name = "quantiser-noise",
            .summary = "AATC Assumption 1: does its quantiser make white noise of a captured cache?",
            .version = 1,
            .parameters = {{"bits", "4", 1, 12, true, {}, "b of every channel, or their average"},
                           {"code", "printed", 0, 0, false, {"printed", "repaired"}, "form of the quantiser"},
                           {"allocation",
                            "equal",
                            0,
                            0,
                            false,
                            {"equal", "aatc"},
                            "b for all channels, or water-filling over all layers"},
                           {"layer", "-1", -1, 1e9, true, {}, "one layer, or -1: all"}},
            .needs_capture = true,
            .make = make_quantiser_noise};
}

} // namespace kvproof
