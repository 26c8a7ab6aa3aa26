#pragma once

#include "sim/montecarlo/drawn_noise.hpp"
#include "sim/montecarlo/experiment.hpp"
#include "sim/montecarlo/output_remainder.hpp"

#include <memory>
#include <optional>

namespace kvproof {

/// Of white-noise, in the order of its table.
namespace white_noise_metric {
enum : std::size_t {
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
    count
};
} // namespace white_noise_metric

/// What the trials of white-noise are drawn by.
struct WhiteNoiseSetting {
    std::shared_ptr<const QueryRows> rows;
    std::vector<NoiseSizes> sizes; ///< [L, G]
    NoiseLaw law = NoiseLaw::uniform;
    std::optional<std::size_t> row; ///< none: drawn
    double allowance = 0;           ///< remainder_allowance
    double most_of_bound = 1;       ///< what a sample of R is of its mean's bound, at most

    [[nodiscard]] const NoiseSizes& sizes_of(const QueryRow& at) const {
        return sizes[static_cast<std::size_t>(at.layer) * static_cast<std::size_t>(rows->shape().kv_heads) +
                     static_cast<std::size_t>(at.kv_head)];
    }
};

/// Trials one after the other: what belongs to an attention call is kept until another one is looked at.
class WhiteNoiseTrials {
public:
    explicit WhiteNoiseTrials(const WhiteNoiseSetting& setting) : setting_(setting) {}

    /// Fills row `at` of the table with the trial of a place.
    void run(const RandomPlace& place, std::size_t at, SampleTable& samples);

private:
    [[nodiscard]] std::size_t drawn_row(RandomPlace place) const;
    void look_at(std::size_t index);
    RemainderSample sample(RandomPlace place, std::uint16_t stream);
    [[nodiscard]] std::vector<double> value_error(const DrawnNoise& drawn, std::vector<double> weights) const;
    template <class Set>
    void drawn_error(RandomPlace place, double predicted, const Set& set) const;
    template <class Set>
    void against_bounds(const RemainderSample& sample, const Set& set) const;

    const WhiteNoiseSetting& setting_;
    std::optional<std::size_t> index_;
    QueryRow row_;
    DecodeStep step_;
    DistortionTerms terms_;
    std::vector<double> gains_;
    std::vector<double> shifts_;
    WeightChange plus_;
    WeightChange minus_;
};

} // namespace kvproof
