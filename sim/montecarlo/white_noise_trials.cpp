#include "sim/montecarlo/white_noise_trials.hpp"

#include "lib/random/random_stream.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kvproof {
namespace {

using namespace white_noise_metric;

enum Streams : std::uint16_t { row_stream, key_stream, value_stream, second_key_stream };

constexpr double none = std::numeric_limits<double>::quiet_NaN();

} // namespace

void WhiteNoiseTrials::run(const RandomPlace& place, std::size_t at, SampleTable& samples) {
    const auto set = [&](std::size_t metric, double value) { samples.of(metric)[at] = value; };
    for (std::size_t m = 0; m < count; ++m) set(m, none);
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
    set(remainder, std::clamp(one, -sample_limit, sample_limit));
    set(remainder_square, std::clamp(product, -sample_limit, sample_limit));
    set(cut, samples.of(ratio)[at] == sample_limit || std::fabs(one) > sample_limit ||
                     std::fabs(product) > sample_limit
                 ? 1
                 : 0);
    if (terms_.reach >= least_reach) against_bounds(first, set);
}

std::size_t WhiteNoiseTrials::drawn_row(RandomPlace place) const {
    place.stream = row_stream;
    return static_cast<std::size_t>(RandomStream(place).below(static_cast<int>(setting_.rows->count())));
}

void WhiteNoiseTrials::look_at(std::size_t index) {
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
RemainderSample WhiteNoiseTrials::sample(RandomPlace place, std::uint16_t stream) {
    const NoiseSizes& own = setting_.sizes_of(row_);
    place.stream = stream;
    DrawnNoise(setting_.law, place, step_.dim, step_.tokens).over_rows(gains_, shifts_);
    for (std::size_t i = 0; i < step_.tokens; ++i) shifts_[i] *= own.key_token[i];
    weight_change(step_, shifts_, 1, plus_);
    weight_change(step_, shifts_, -1, minus_);
    return remainder_sample(step_, own, terms_, plus_, minus_);
}

/// sum_i w_i value_token_i delta v_i W_O.
std::vector<double> WhiteNoiseTrials::value_error(const DrawnNoise& drawn,
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
void WhiteNoiseTrials::drawn_error(RandomPlace place, double predicted, const Set& set) const {
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
    set(ratio, std::min(error / predicted, sample_limit));
    if (first + rest > 0) set(first_order, first / (first + rest));
}

template <class Set>
void WhiteNoiseTrials::against_bounds(const RemainderSample& sample, const Set& set) const {
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

} // namespace kvproof
