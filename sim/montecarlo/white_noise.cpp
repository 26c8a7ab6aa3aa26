// AATC Theorem 1: block outputs of captured attention under noise that obeys Assumptions 1 and 2 exactly.

#include "lib/error.hpp"
#include "sim/montecarlo/capture_noise.hpp"
#include "sim/montecarlo/rows.hpp"
#include "sim/montecarlo/white_noise_trials.hpp"

#include <algorithm>

namespace kvproof {
namespace {

enum Parameters : std::size_t { bits, noise, sizes, keys, values, row };

constexpr std::size_t block_trials = 128;

std::vector<Metric> metrics_of(const WhiteNoiseSetting& setting, double most_reach) {
    const double allowed = setting.allowance;
    const double most = setting.most_of_bound * (1 + 2 * allowed);
    return {
        {"ratio", MetricKind::unbounded, 0, sample_limit,
         "||o - o^||^2 / (D_K + D_V): its mean is that of D over it"},
        {"remainder", MetricKind::unbounded, -sample_limit, sample_limit,
         "R / (D_K + D_V), R = D - D_K - D_V"},
        {"remainder_square", MetricKind::unbounded, -sample_limit, sample_limit,
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
double look_over(WhiteNoiseSetting& setting) {
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

std::vector<Reference> references_of(const WhiteNoiseSetting& setting) {
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
    WhiteNoiseSetting setting;
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
        WhiteNoiseTrials trials(setting);
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
