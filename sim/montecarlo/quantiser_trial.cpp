#include "sim/montecarlo/quantiser_trial.hpp"

#include "lib/random/random_stream.hpp"
#include "sim/montecarlo/weight_change.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kvproof {
namespace {

using namespace quantiser_noise_metric;

enum Streams : std::uint16_t { error_stream, row_stream };

constexpr double none = std::numeric_limits<double>::quiet_NaN();

double square_of(const std::vector<double>& x) {
    return eightfold_dot(x.data(), x.data(), x.size());
}

} // namespace

QuantiserTrial::QuantiserTrial(const QuantiserTrialSetting& setting, const RandomPlace& place, std::size_t at,
                               SampleTable& samples)
    : setting_(setting), cache_(*setting.cache), place_(place), at_(at), samples_(samples) {
    for (std::size_t m = 0; m < count; ++m) set(m, none);
}

void QuantiserTrial::look_at_errors() {
    place_.stream = error_stream;
    RandomStream stream(place_);
    const int length = cache_.rows().shape().tokens;
    const QuantisedLayer& sides = cache_.layer(setting_.first_layer + stream.below(setting_.layers));
    const auto token = static_cast<std::size_t>(stream.below(length));
    double product = 12;
    for (std::size_t side = 0; side < 2; ++side) {
        const QuantisedTokens& all = sides[side];
        const std::size_t width = all.channels;
        const auto channel = static_cast<std::size_t>(stream.below(static_cast<int>(width)));
        const double e = all.relative[token * width + channel];
        const std::size_t first = side * error_count;
        product *= e;
        if (!std::isnan(e)) look_at(first, e);
        if (width > 1) {
            const std::size_t step = 1 + static_cast<std::size_t>(stream.below(static_cast<int>(width) - 1));
            set(first + channels, 12 * (e * all.relative[token * width + (channel + step) % width]));
        }
        if (length > 1) {
            const auto early = static_cast<std::size_t>(stream.below(length - 1));
            const double* pair = all.relative.data() + early * width + channel;
            set(first + tokens, 12 * (pair[0] * pair[width]));
        }
    }
    set(key_value, product);
}

void QuantiserTrial::look_at_a_row() {
    place_.stream = row_stream;
    const std::size_t each = cache_.rows().count() / static_cast<std::size_t>(cache_.rows().shape().layers);
    const auto among = static_cast<int>(each) * setting_.layers;
    row_ = cache_.rows().row(each * static_cast<std::size_t>(setting_.first_layer) +
                             static_cast<std::size_t>(RandomStream(place_).below(among)));
    cache_.rows().step(row_, step_);
    std::vector<double> shifts(step_.tokens);
    for (std::size_t i = 0; i < step_.tokens; ++i)
        shifts[i] = eightfold_dot(step_.query.data(), cache_.error(CacheSide::keys, row_, i), step_.dim);
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

void QuantiserTrial::look_at(std::size_t first, double e) {
    set(first + bias, e);
    set(first + square, 12 * (e * e));
    set(first + cube, (e * e) * e);
    set(first + positive, e > 0 ? 1 : 0);
    set(first + overload, std::fabs(e) > half_step ? 1 : 0);
}

/// sum_i w_i delta v_i W_O.
std::vector<double> QuantiserTrial::value_error(const std::vector<double>& weights) const {
    std::vector<double> out(step_.dim);
    for (std::size_t i = 0; i < step_.tokens; ++i) {
        const double* e = cache_.error(CacheSide::values, row_, i);
        for (std::size_t c = 0; c < step_.dim; ++c) out[c] += weights[i] * e[c];
    }
    return projected(cache_.rows().head(row_), out);
}

/// Up to the sample_limit; whether it was beyond.
bool QuantiserTrial::set_ratio(std::size_t metric, double above, double below) {
    if (!(below > 0)) return false;
    set(metric, std::min(above / below, sample_limit));
    return above / below > sample_limit;
}

void QuantiserTrial::compare(double whole, double by_keys, double by_values) {
    const QuantisedCapture::Terms measured = cache_.terms(row_, step_, cache_.measured());
    const QuantisedCapture::Terms assumed = cache_.terms(row_, step_, cache_.assumed());
    const double output = square_of(step_.output);
    bool beyond = set_ratio(distortion, whole, measured.sum());
    beyond = set_ratio(textbook, whole, assumed.sum()) || beyond;
    beyond = set_ratio(key_distortion, by_keys, measured.key) || beyond;
    beyond = set_ratio(value_distortion, by_values, measured.value) || beyond;
    beyond = set_ratio(error, whole, output) || beyond;
    beyond = set_ratio(predicted, measured.sum(), output) || beyond;
    set(cut, beyond ? 1 : 0);
}

} // namespace kvproof
