#pragma once

#include "lib/random/philox.hpp"
#include "sim/montecarlo/experiment.hpp"
#include "sim/montecarlo/quantised_capture.hpp"

namespace kvproof {

/// Of quantiser-noise, in the order of its table: these of keys, then of values, then the rest.
namespace quantiser_noise_metric {
enum Errors : std::size_t { bias, square, cube, positive, overload, channels, tokens, error_count };
enum : std::size_t {
    key_value = 2 * error_count,
    distortion,
    textbook,
    key_distortion,
    value_distortion,
    error,
    predicted,
    cut,
    count
};
} // namespace quantiser_noise_metric

/// Delta/2 and the rounding of e/Delta, in which h/Delta <= 2^11 takes part: an error of half a step
/// overloads nothing.
inline constexpr double half_step = 0.5 + 0x1p-40;

/// Where trials look: all layers, or one.
struct QuantiserTrialSetting {
    std::shared_ptr<const QuantisedCapture> cache;
    int first_layer = 0;
    int layers = 0;
};

/// The samples of one trial of quantiser-noise: row `at` of the table.
class QuantiserTrial {
public:
    QuantiserTrial(const QuantiserTrialSetting& setting, const RandomPlace& place, std::size_t at,
                   SampleTable& samples);

    void look_at_errors();
    void look_at_a_row();

private:
    void set(std::size_t metric, double value) { samples_.of(metric)[at_] = value; }
    void look_at(std::size_t first, double e);
    [[nodiscard]] std::vector<double> value_error(const std::vector<double>& weights) const;
    bool set_ratio(std::size_t metric, double above, double below);
    void compare(double whole, double by_keys, double by_values);

    const QuantiserTrialSetting& setting_;
    const QuantisedCapture& cache_;
    RandomPlace place_;
    std::size_t at_;
    SampleTable& samples_;
    QueryRow row_;
    DecodeStep step_;
};

} // namespace kvproof
