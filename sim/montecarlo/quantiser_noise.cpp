// Whether AATC's quantiser obeys the white-noise model (Assumptions 1 and 2) on captured attention, and what
// becomes of D = D_K + D_V where it does not.

#include "lib/error.hpp"
#include "lib/random/random_stream.hpp"
#include "lib/reader/aatc_allocation.hpp"
#include "sim/montecarlo/quantised_tokens.hpp"
#include "sim/montecarlo/rows.hpp"
#include "sim/montecarlo/weight_change.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace kvproof {
namespace {

enum Parameters : std::size_t { bits, code, allocation };
/// Of keys; those of values follow.
enum Errors : std::size_t { bias, square, cube, positive, overload, channels, tokens, error_count };
enum Metrics : std::size_t {
    key_value = 2 * error_count,
    distortion,
    textbook,
    key_distortion,
    value_distortion,
    error,
    predicted,
    cut,
    metric_count
};
enum Streams : std::uint16_t { error_stream, row_stream };

constexpr std::size_t block_trials = 1024;
/// One trial in so many looks at an attention call: that costs a thousand times more than looking at errors.
constexpr std::uint64_t row_every = 64;
/// Of metrics without a proven range: samples beyond it are cut and counted.
constexpr double limit = 4096;
constexpr double none = std::numeric_limits<double>::quiet_NaN();

using Sides = std::array<QuantisedTokens, 2>; // keys, values

/// What the model predicts for one KV head's keys, and one query head's values, of token scale 1.
struct Predictions {
    std::vector<double> keys;   // [L, G, d_h, d_h] covariance before the rotary encoding
    std::vector<double> values; // [L, H] E||delta v W_O||^2
};

struct Setting {
    std::shared_ptr<const QueryRows> rows;
    std::vector<Sides> layers;
    std::optional<Rotary> rotary;
    Predictions measured; // with the mean square error that each channel has
    Predictions assumed;  // with Delta^2/12
};

/// trace(C' M C) for the value covariance M of a head.
double value_power(const std::vector<double>& covariance, const HeadOutput& head, std::size_t d) {
    double out = 0;
    std::vector<double> column(d);
    for (std::size_t j = 0; j < d; ++j) {
        for (std::size_t c = 0; c < d; ++c) column[c] = head.projection[c * d + j];
        for (std::size_t i = 0; i < d; ++i)
            out += column[i] * eightfold_dot(covariance.data() + i * d, column.data(), d);
    }
    return out;
}

/// The samples of one trial.
class Trial {
public:
    Trial(const Setting& setting, const RandomPlace& place, std::size_t at, SampleTable& samples)
        : setting_(setting), place_(place), at_(at), samples_(samples) {
        for (std::size_t m = 0; m < metric_count; ++m) set(m, none);
    }

    void look_at_errors() {
        place_.stream = error_stream;
        RandomStream stream(place_);
        const CaptureShape& shape = setting_.rows->shape();
        const Sides& sides = setting_.layers[static_cast<std::size_t>(stream.below(shape.layers))];
        const auto token = static_cast<std::size_t>(stream.below(shape.tokens));
        std::array<double, 2> drawn{};
        for (std::size_t side = 0; side < 2; ++side) {
            const QuantisedTokens& all = sides[side];
            const auto count = static_cast<int>(all.channels);
            const auto channel = static_cast<std::size_t>(stream.below(count));
            const double e = all.relative[token * all.channels + channel];
            drawn[side] = e;
            const std::size_t first = side * error_count;
            if (!std::isnan(e)) {
                set(first + bias, e);
                set(first + square, 12 * (e * e));
                set(first + cube, e * e * e);
                set(first + positive, e > 0 ? 1 : 0);
                set(first + overload, std::fabs(e) > 0.5 ? 1 : 0);
            }
            if (count > 1) {
                const auto step = static_cast<std::size_t>(1 + stream.below(count - 1));
                set(first + channels,
                    12 * (e * all.relative[token * all.channels + (channel + step) % all.channels]));
            }
            if (shape.tokens > 1) {
                const auto early = static_cast<std::size_t>(stream.below(shape.tokens - 1));
                const double* pair = all.relative.data() + early * all.channels + channel;
                set(first + tokens, 12 * (pair[0] * pair[all.channels]));
            }
        }
        set(key_value, 12 * (drawn[0] * drawn[1]));
    }

    void look_at_a_row() {
        place_.stream = row_stream;
        const auto count = static_cast<int>(setting_.rows->count());
        row_ = setting_.rows->row(static_cast<std::size_t>(RandomStream(place_).below(count)));
        setting_.rows->step(row_, step_);
        const QuantisedTokens& keys = sides()[0];
        std::vector<double> shifts(step_.tokens);
        for (std::size_t i = 0; i < step_.tokens; ++i)
            shifts[i] = eightfold_dot(step_.query.data(), head_error(keys, i), step_.dim);
        WeightChange change;
        weight_change(step_, shifts, 1, change);
        std::vector<double> moved(step_.tokens);
        for (std::size_t i = 0; i < step_.tokens; ++i) moved[i] = change.of(i);
        const std::vector<double> by_keys = moved_output(step_, moved);
        const std::vector<double> by_values = value_error(step_.weights);
        const std::vector<double> together = value_error(moved);
        double whole = 0;
        for (std::size_t c = 0; c < step_.dim; ++c) {
            const double sum = by_keys[c] + (by_values[c] + together[c]);
            whole += sum * sum;
        }
        compare(whole, square_of(by_keys), square_of(by_values));
    }

private:
    void set(std::size_t metric, double value) { samples_.of(metric)[at_] = value; }

    /// Up to the limit; whether it was.
    bool set_ratio(std::size_t metric, double above, double below) {
        if (below > 0) set(metric, std::min(above / below, limit));
        return below > 0 && above / below > limit;
    }

    static double square_of(const std::vector<double>& x) {
        return eightfold_dot(x.data(), x.data(), x.size());
    }

    [[nodiscard]] const Sides& sides() const { return setting_.layers[static_cast<std::size_t>(row_.layer)]; }

    [[nodiscard]] const double* head_error(const QuantisedTokens& side, std::size_t token) const {
        const auto all = static_cast<std::size_t>(setting_.rows->shape().tokens);
        return side.errors.data() + (static_cast<std::size_t>(row_.kv_head) * all + token) * step_.dim;
    }

    /// sum_i w_i delta v_i W_O.
    [[nodiscard]] std::vector<double> value_error(const std::vector<double>& weights) const {
        std::vector<double> out(step_.dim);
        for (std::size_t i = 0; i < step_.tokens; ++i) {
            const double* e = head_error(sides()[1], i);
            for (std::size_t c = 0; c < step_.dim; ++c) out[c] += weights[i] * e[c];
        }
        return projected(setting_.rows->head(row_), out);
    }

    struct Terms {
        double key = 0;
        double value = 0;
    };

    /// D_K and D_V. The query is turned to each key's position, where the errors' covariance is known.
    [[nodiscard]] Terms terms(const Predictions& model) const {
        const std::size_t d = step_.dim;
        const CaptureShape& shape = setting_.rows->shape();
        const double* covariance =
            model.keys.data() + static_cast<std::size_t>(row_.layer * shape.kv_heads + row_.kv_head) * d * d;
        Terms out;
        std::vector<double> turned(d);
        std::vector<double> image(d);
        for (std::size_t i = 0; i < step_.tokens; ++i) {
            const double of_value = step_.weights[i] * sides()[1].token_scale[i];
            out.value += of_value * of_value;
            turned = step_.query;
            setting_.rotary->turn(turned, -static_cast<int>(i));
            std::ranges::fill(image, 0.0);
            for (std::size_t c = 0; c < d; ++c)
                for (std::size_t j = 0; j < d; ++j) image[j] += turned[c] * covariance[c * d + j];
            const double variance = eightfold_dot(turned.data(), image.data(), d);
            const double of_key = step_.weights[i] * sides()[0].token_scale[i];
            out.key += of_key * of_key * step_.distances[i] * variance;
        }
        out.value *= model.values[static_cast<std::size_t>(row_.layer * shape.query_heads + row_.head)];
        return out;
    }

    void compare(double whole, double by_keys, double by_values) {
        const Terms measured = terms(setting_.measured);
        const Terms assumed = terms(setting_.assumed);
        const double output = square_of(step_.output);
        bool beyond = set_ratio(distortion, whole, measured.key + measured.value);
        beyond = set_ratio(textbook, whole, assumed.key + assumed.value) || beyond;
        beyond = set_ratio(key_distortion, by_keys, measured.key) || beyond;
        beyond = set_ratio(value_distortion, by_values, measured.value) || beyond;
        beyond = set_ratio(error, whole, output) || beyond;
        beyond = set_ratio(predicted, measured.key + measured.value, output) || beyond;
        set(cut, beyond ? 1 : 0);
    }

    const Setting& setting_;
    RandomPlace place_;
    std::size_t at_;
    SampleTable& samples_;
    QueryRow row_;
    DecodeStep step_;
};

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

Population population(const std::vector<Sides>& layers, std::size_t side) {
    Population out;
    for (const Sides& sides : layers)
        for (const double e : sides[side].relative) {
            if (std::isnan(e)) continue;
            out.least = std::min(out.least, e);
            out.greatest = std::max(out.greatest, e);
            out.mean += e;
            out.power += 12 * (e * e);
            out.overloads += std::fabs(e) > 0.5 ? 1 : 0;
            ++out.live;
        }
    for (double* sum : {&out.mean, &out.power, &out.overloads}) *sum /= std::max(out.live, 1.0);
    return out;
}

void add_metrics_of(std::vector<Metric>& out, const std::string& side, const Population& all) {
    const double m = all.magnitude() > 0 ? all.magnitude() : 1;
    out.insert(
        out.end(),
        {{side + "_bias", MetricKind::bounded, all.least, all.greatest > all.least ? all.greatest : 1,
          "e / Delta; the model: mean 0, range -1/2 .. 1/2"},
         {side + "_power", MetricKind::bounded, 0, 12 * (m * m), "e^2 / (Delta^2/12); the model: mean 1"},
         {side + "_third", MetricKind::bounded, -(m * m * m), m * m * m, "(e / Delta)^3; the model: mean 0"},
         {side + "_positive", MetricKind::proportion, 0, 1, "e > 0; the model: 1/2"},
         {side + "_overload", MetricKind::proportion, 0, 1, "|e| > Delta/2; the model: never"},
         {side + "_channels", MetricKind::bounded, -12 * (m * m), 12 * (m * m),
          "12 e e' / (Delta Delta') of two channels of a token; the model: mean 0"},
         {side + "_tokens", MetricKind::bounded, -12 * (m * m), 12 * (m * m),
          "the same of one channel of neighbouring tokens"}});
}

std::vector<Metric> metrics_of(const Population& keys, const Population& values) {
    std::vector<Metric> out;
    add_metrics_of(out, "key", keys);
    add_metrics_of(out, "value", values);
    const double most = std::max(12 * (keys.magnitude() * values.magnitude()), 1.0);
    out.insert(
        out.end(),
        {{"key_value", MetricKind::bounded, -most, most, "the same of a key and a value channel of a token"},
         {"distortion", MetricKind::unbounded, 0, limit,
          "||o - o^||^2 / (D_K + D_V), each channel's own E e^2; one trial in 64; the model: mean 1"},
         {"textbook", MetricKind::unbounded, 0, limit, "the same with Delta^2/12 for E e^2"},
         {"key_distortion", MetricKind::unbounded, 0, limit, "||E_K||^2 / D_K: keys alone quantised"},
         {"value_distortion", MetricKind::unbounded, 0, limit, "||E_V||^2 / D_V: values alone quantised"},
         {"error", MetricKind::unbounded, 0, limit, "||o - o^||^2 / ||o||^2"},
         {"predicted", MetricKind::unbounded, 0, limit, "(D_K + D_V) / ||o||^2"},
         {"cut", MetricKind::proportion, 0, 1, "one of these six beyond 4096, and cut to it"}});
    return out;
}

void add_references(std::vector<Reference>& out, const std::string& side, const Population& all) {
    out.push_back({side + "_least", all.least, "the least e / Delta of the capture"});
    out.push_back({side + "_greatest", all.greatest, "the greatest"});
    out.push_back({side + "_bias", all.mean, "the mean over the whole capture (to rounding)"});
    out.push_back({side + "_power", all.power, "of e^2 / (Delta^2/12)"});
    out.push_back({side + "_overload", all.overloads, "of |e| > Delta/2"});
}

struct Learnt {
    std::vector<AatcLatents> layers;
    std::vector<std::vector<std::uint8_t>> bits;
};

/// Bits of all channels: `average` each, or AATC's water-filling over all layers.
void share_out(Learnt& learnt, double average, bool equal) {
    std::vector<AatcLayerChannels> layers;
    for (const AatcLatents& latents : learnt.layers) {
        AatcLayerChannels channels{latents.variance, latents.weight, {}};
        for (const double scale : latents.scale) channels.live.push_back(scale > 0);
        layers.push_back(std::move(channels));
        learnt.bits.emplace_back(latents.scale.size(), static_cast<std::uint8_t>(average));
    }
    if (equal) return;
    AatcRule rule;
    rule.average = rational_from(average);
    learnt.bits = aatc_bits(layers, rule);
}

void predict(Predictions& out, const Setting& setting, std::size_t layer, const Learnt& keys,
             const Learnt& values, std::vector<double> QuantisedTokens::*power) {
    const CaptureShape& shape = setting.rows->shape();
    const Sides& sides = setting.layers[layer];
    for (int g = 0; g < shape.kv_heads; ++g) {
        const std::vector<double> own =
            head_covariance(sides[0], keys.layers[layer], sides[0].*power, g, shape.dim);
        out.keys.insert(out.keys.end(), own.begin(), own.end());
    }
    for (int h = 0; h < shape.query_heads; ++h) {
        const int g = shape.kv_head_of(h);
        const QueryRow row{
            .layer = static_cast<int>(layer), .head = h, .kv_head = g, .query = 0, .tokens = 0};
        out.values.push_back(
            value_power(head_covariance(sides[1], values.layers[layer], sides[1].*power, g, shape.dim),
                        setting.rows->head(row), static_cast<std::size_t>(shape.dim)));
    }
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
    const std::string name = "quantiser-noise";
    const Capture& calibration = calibration_of(inputs.files);
    const TokenCode form = inputs.word(code) == "printed" ? TokenCode::printed : TokenCode::repaired;
    const bool equal = inputs.word(allocation) == "equal";
    auto setting = std::make_shared<Setting>();
    setting->rows = std::make_shared<const QueryRows>(*inputs.files.capture, &calibration);
    setting->rotary = required_rotary(calibration, name);
    Learnt keys;
    Learnt values;
    for (int l = 0; l < calibration.shape().layers; ++l) {
        const CaptureLayer layer = calibration.layer(l);
        const Projections projections = required_projections(calibration, l, name);
        keys.layers.push_back(aatc_keys(layer, projections, *setting->rotary, 1));
        values.layers.push_back(aatc_values(layer, projections, 1));
    }
    share_out(keys, inputs.number(bits), equal);
    share_out(values, inputs.number(bits), equal);
    for (std::size_t l = 0; l < keys.layers.size(); ++l) {
        const CaptureLayer& layer = setting->rows->layer(static_cast<int>(l));
        setting->layers.push_back(
            {quantise_tokens(layer, CacheSide::keys, keys.layers[l], keys.bits[l], form, *setting->rotary),
             quantise_tokens(layer, CacheSide::values, values.layers[l], values.bits[l], form,
                             *setting->rotary)});
        predict(setting->measured, *setting, l, keys, values, &QuantisedTokens::power);
        predict(setting->assumed, *setting, l, keys, values, &QuantisedTokens::assumed);
    }
    const Population all_keys = population(setting->layers, 0);
    const Population all_values = population(setting->layers, 1);
    Experiment out;
    out.block = block_trials;
    out.metrics = metrics_of(all_keys, all_values);
    add_references(out.references, "key", all_keys);
    add_references(out.references, "value", all_values);
    out.run = [setting](const TrialRange& range, SampleTable& samples) {
        for (std::size_t i = 0; i < range.count; ++i) {
            const std::uint64_t number = range.first + i;
            Trial trial(*setting, {range.seed, number, random_experiment::quantiser_noise, 0}, i, samples);
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
                            "b for all channels, or water-filling over all layers"}},
            .needs_capture = true,
            .make = make_quantiser_noise};
}

} // namespace kvproof
