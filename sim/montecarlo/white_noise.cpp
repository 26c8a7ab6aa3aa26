// AATC Theorem 1: block outputs of captured attention under noise that obeys Assumptions 1 and 2 exactly.

#include "lib/error.hpp"
#include "lib/random/random_stream.hpp"
#include "sim/montecarlo/capture_noise.hpp"
#include "sim/montecarlo/rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kvproof {
namespace {

enum Parameters : std::size_t { bits, noise, sizes, keys, values, row };
enum Metrics : std::size_t {
    ratio,
    remainder,
    remainder_square,
    first_order,
    of_bound,
    of_printed,
    key_part,
    value_part,
    reach,
    conclusive,
    conclusive_printed,
    violations,
    cut,
    metric_count
};
enum Streams : std::uint16_t { row_stream, key_stream, value_stream, second_key_stream };

constexpr std::size_t block_trials = 128;
/// Of metrics without a proven range: samples beyond it are cut and counted.
constexpr double limit = 4096;
constexpr double none = std::numeric_limits<double>::quiet_NaN();

struct Setting {
    std::shared_ptr<const QueryRows> rows;
    std::vector<NoiseSizes> sizes; // [L, G]
    NoiseLaw law = NoiseLaw::uniform;
    std::optional<std::size_t> row;
    double allowance = 0;
    double most_of_bound = 1; // what a sample of R is of its mean's bound, at most

    [[nodiscard]] const NoiseSizes& sizes_of(const QueryRow& at) const {
        return sizes[static_cast<std::size_t>(at.layer) * static_cast<std::size_t>(rows->shape().kv_heads) +
                     static_cast<std::size_t>(at.kv_head)];
    }
};

class Trials {
public:
    explicit Trials(const Setting& setting) : setting_(setting) {}

    void run(const RandomPlace& place, std::size_t at, SampleTable& samples) {
        const auto set = [&](std::size_t metric, double value) { samples.of(metric)[at] = value; };
        for (std::size_t m = 0; m < metric_count; ++m) set(m, none);
        look_at(setting_.row ? *setting_.row : drawn_row(place));
        set(reach, terms_.reach);
        const double predicted = terms_.main();
        if (predicted == 0) return; // one token, or outputs alike, and no value noise
        set(conclusive, terms_.bound < predicted ? 1 : 0);
        set(conclusive_printed, terms_.printed < predicted ? 1 : 0);

        const RemainderSample first = sample(place, key_stream);
        drawn_error(place, predicted, set);
        const RemainderSample second = sample(place, second_key_stream);
        const double one = first.total() / predicted;
        const double product = one * (second.total() / predicted);
        set(remainder, std::clamp(one, -limit, limit));
        set(remainder_square, std::clamp(product, -limit, limit));
        set(cut,
            samples.of(ratio)[at] == limit || std::fabs(one) > limit || std::fabs(product) > limit ? 1 : 0);
        if (terms_.reach >= least_reach) against_bounds(first, set);
    }

private:
    [[nodiscard]] std::size_t drawn_row(RandomPlace place) const {
        place.stream = row_stream;
        return static_cast<std::size_t>(RandomStream(place).below(static_cast<int>(setting_.rows->count())));
    }

    void look_at(std::size_t index) {
        if (index_ == index) return;
        index_ = index;
        row_ = setting_.rows->row(index);
        setting_.rows->step(row_, step_);
        terms_ = distortion_terms(step_, setting_.rows->head(row_), setting_.sizes_of(row_));
        gains_.resize(step_.dim);
        for (std::size_t c = 0; c < step_.dim; ++c)
            gains_[c] = step_.query[c] * setting_.sizes_of(row_).key_channel[c];
        shifts_.resize(step_.tokens);
    }

    /// Leaves the change that the noise itself makes in plus_.
    RemainderSample sample(RandomPlace place, std::uint16_t stream) {
        const NoiseSizes& own = setting_.sizes_of(row_);
        place.stream = stream;
        DrawnNoise(setting_.law, place, step_.dim, step_.tokens).over_rows(gains_, shifts_);
        for (std::size_t i = 0; i < step_.tokens; ++i) shifts_[i] *= own.key_token[i];
        weight_change(step_, shifts_, 1, plus_);
        weight_change(step_, shifts_, -1, minus_);
        return remainder_sample(step_, own, terms_, plus_, minus_);
    }

    /// sum_i w_i value_token_i delta v_i W_O.
    [[nodiscard]] std::vector<double> value_error(const DrawnNoise& drawn,
                                                  std::vector<double> weights) const {
        const NoiseSizes& own = setting_.sizes_of(row_);
        for (std::size_t i = 0; i < step_.tokens; ++i) weights[i] *= own.value_token[i];
        std::vector<double> out(step_.dim);
        drawn.over_rows(weights, out);
        for (std::size_t c = 0; c < step_.dim; ++c) out[c] *= own.value_channel[c];
        return projected(setting_.rows->head(row_), out);
    }

    /// o^ - o = (X + sum a_i delta v_i W_O) + (Z + sum delta a_i delta v_i W_O), what is of first order in
    /// the first bracket.
    template <class Set>
    void drawn_error(RandomPlace place, double predicted, const Set& set) const {
        place.stream = value_stream;
        const DrawnNoise drawn(setting_.law, place, step_.tokens, step_.dim);
        std::vector<double> moved(step_.tokens);
        for (std::size_t i = 0; i < step_.tokens; ++i) moved[i] = plus_.of(i);
        const std::vector<double> near = moved_output(step_, plus_.first);
        const std::vector<double> far = moved_output(step_, plus_.rest);
        const std::vector<double> near_values = value_error(drawn, step_.weights);
        const std::vector<double> far_values = value_error(drawn, std::move(moved));
        double error = 0;
        double first = 0;
        double rest = 0;
        for (std::size_t c = 0; c < step_.dim; ++c) {
            const double a = near[c] + near_values[c];
            const double b = far[c] + far_values[c];
            error += (a + b) * (a + b);
            first += a * a;
            rest += b * b;
        }
        set(ratio, std::min(error / predicted, limit));
        if (first + rest > 0) set(first_order, first / (first + rest));
    }

    template <class Set>
    void against_bounds(const RemainderSample& sample, const Set& set) const {
        const double allowed = setting_.allowance;
        const double square = terms_.reach * terms_.reach;
        const double key_unit = terms_.farthest * square * square;
        const double value_unit = square * terms_.omega;
        const double most_key = 11.0 / 12 + allowed;
        double violated = 0;
        if (key_unit > 0) {
            const double part = sample.key / key_unit;
            set(key_part, std::clamp(part, -most_key, most_key));
            if (std::fabs(part) > most_key) violated = 1;
        }
        if (value_unit > 0) {
            const double part = sample.value / value_unit;
            set(value_part, std::clamp(part, -0.5 - allowed, 1 + allowed));
            if (part < -0.5 - allowed || part > 1 + allowed) violated = 1;
        }
        set(violations, violated);
        const double most = setting_.most_of_bound * (1 + 2 * allowed);
        if (terms_.bound > 0) set(of_bound, std::clamp(sample.total() / terms_.bound, -most, most));
        if (terms_.printed > 0) set(of_printed, std::clamp(sample.total() / terms_.printed, -most, most));
    }

    const Setting& setting_;
    std::optional<std::size_t> index_;
    QueryRow row_;
    DecodeStep step_;
    DistortionTerms terms_;
    std::vector<double> gains_;
    std::vector<double> shifts_;
    WeightChange plus_;
    WeightChange minus_;
};

std::vector<Metric> metrics_of(const Setting& setting, double most_reach) {
    const double allowed = setting.allowance;
    const double most = setting.most_of_bound * (1 + 2 * allowed);
    return {
        {"ratio", MetricKind::unbounded, 0, limit,
         "||o - o^||^2 / (D_K + D_V): its mean is that of D over it"},
        {"remainder", MetricKind::unbounded, -limit, limit, "R / (D_K + D_V), R = D - D_K - D_V"},
        {"remainder_square", MetricKind::unbounded, -limit, limit,
         "of two draws for one row: its mean is that of (R / (D_K + D_V))^2"},
        {"first_order", MetricKind::bounded, 0, 1,
         "share of the first order: ||E_1||^2 / (||E_1||^2 + ||E - E_1||^2)"},
        {"of_bound", MetricKind::bounded, -most, most,
         "R over its bound with the sharp constants: mean within 1"},
        {"of_printed_bound", MetricKind::bounded, -most, most,
         "R over the bound with the printed steps' constants"},
        {"key_part", MetricKind::bounded, -11.0 / 12 - allowed, 11.0 / 12 + allowed,
         "what keys give of R, over D_o A_0^4; every sample within 11/12"},
        {"value_part", MetricKind::bounded, -0.5 - allowed, 1 + allowed,
         "what values give of R, over A_0^2 ||W_O||_F^2 sigma_V^2; every sample in -1/2 .. 1"},
        {"A_0", MetricKind::bounded, 0, most_reach, "kappa ||q||_1 sigma_K, q divided by sqrt(d_h)"},
        {"conclusive", MetricKind::proportion, 0, 1,
         "the sharp bound is below D_K + D_V: the theorem says something"},
        {"conclusive_printed", MetricKind::proportion, 0, 1,
         "the bound with the printed steps' constants is"},
        {"violations", MetricKind::proportion, 0, 1, "key_part or value_part outside of its range"},
        {"cut", MetricKind::proportion, 0, 1, "ratio or a remainder beyond 4096, and cut to it"},
    };
}

/// What A_0^2 omega + 11/12 D_o A_0^4, which no sample of R exceeds, is of R's bound at most; the largest
/// A_0.
double look_over(Setting& setting) {
    double most_reach = 0;
    for (std::size_t index = 0; index < setting.rows->count(); ++index) {
        const QueryRow row = setting.rows->row(index);
        const auto [a, s] = reach_of(setting.rows->query(row), setting.sizes_of(row), row.tokens);
        most_reach = std::max(most_reach, a);
        const double least = sharp_constants.spread * s + sharp_constants.cube * (a * a * a);
        if (a > 0) setting.most_of_bound = std::max(setting.most_of_bound, a * a / least);
    }
    setting.most_of_bound *= 1 + 0x1p-40;
    return most_reach > 0 ? most_reach : 1;
}

std::vector<Reference> references_of(const Setting& setting) {
    if (!setting.row) return {};
    const QueryRow row = setting.rows->row(*setting.row);
    DecodeStep step;
    setting.rows->step(row, step);
    const DistortionTerms terms = distortion_terms(step, setting.rows->head(row), setting.sizes_of(row));
    const double predicted = terms.main();
    return {{"A_0", terms.reach, "kappa ||q||_1 sigma_K of the row (nearest, as all of these)"},
            {"key_share", terms.key / predicted, "D_K / (D_K + D_V)"},
            {"bound", terms.bound / predicted, "|R| / (D_K + D_V) is at most this, with the sharp constants"},
            {"printed_bound", terms.printed / predicted, "the same with the printed steps' constants"}};
}

Experiment make_white_noise(const ExperimentInputs& inputs) {
    if (inputs.number(keys) == 0 && inputs.number(values) == 0)
        throw Error(ErrorCode::bad_option,
                    "--set: keys, values: found 0 and 0, expected noise in one of them");
    Setting setting;
    setting.law = inputs.word(noise) == "signs" ? NoiseLaw::signs : NoiseLaw::uniform;
    setting.rows = std::make_shared<const QueryRows>(*inputs.files.capture, inputs.files.calibration.get());
    setting.sizes = noise_sizes(*setting.rows, {.law = setting.law,
                                                .quantiser = inputs.word(sizes) == "quantiser",
                                                .bits = static_cast<int>(inputs.whole(bits)),
                                                .keys = inputs.number(keys),
                                                .values = inputs.number(values)});
    if (inputs.number(row) >= 0) {
        setting.row = inputs.whole(row);
        if (*setting.row >= setting.rows->count())
            throw Error(ErrorCode::bad_option, "--set: row: found " + std::to_string(*setting.row) +
                                                   ", expected a row of the capture, below " +
                                                   std::to_string(setting.rows->count()));
    }
    const CaptureShape& shape = setting.rows->shape();
    setting.allowance =
        remainder_allowance(static_cast<std::size_t>(shape.tokens), static_cast<std::size_t>(shape.dim));
    const double most_reach = look_over(setting);
    Experiment out;
    out.block = block_trials;
    out.metrics = metrics_of(setting, most_reach);
    out.references = references_of(setting);
    out.run = [setting](const TrialRange& range, SampleTable& samples) {
        Trials trials(setting);
        for (std::size_t i = 0; i < range.count; ++i)
            trials.run({range.seed, range.first + i, random_experiment::white_noise, 0}, i, samples);
    };
    return out;
}

} // namespace

/// A trial draws a row of the capture, noise of every key and value that it sees, and the same keys' noise
/// with the other sign. Ranges: key_part and value_part as RemainderSample proves; of_bound from the same two
/// inequalities, A_0^2 over (27/100 s + 5/6 A_0^3) at most as large as in the worst row; A_0 by all rows.
ExperimentRow white_noise_row() {
    return {
        .name = "white-noise",
        .summary = "AATC Theorem 1: D against D_K + D_V under white noise on captured attention",
        .version = 1,
        .parameters =
            {{"bits", "4", 0, 24, true, {}, "b: noise has the deviation Delta/sqrt(12) of AATC's quantiser"},
             {"noise",
              "uniform",
              0,
              0,
              false,
              {"signs", "uniform"},
              "law of an entry: two points, or an interval"},
             {"sizes",
              "quantiser",
              0,
              0,
              false,
              {"quantiser", "equal"},
              "Delta of each token and channel, or keys and values are sigma_K and sigma_V of all"},
             {"keys", "1", 0, 1e6, false, {}, "factor of the key noise (0: none), or sigma_K"},
             {"values", "1", 0, 1e6, false, {}, "factor of the value noise (0: none), or sigma_V"},
             {"row", "-1", -1, 1e9, true, {}, "one row of the capture (layer, head, query), or -1: drawn"}},
        .needs_capture = true,
        .make = make_white_noise};
}

} // namespace kvproof
