// AATC Lemma 1 (appendix A): what softmax leaves beyond second order, against A_0^3 times a constant.

#include "sim/montecarlo/remainder.hpp"
#include "sim/montecarlo/remainder_kernel.hpp"
#include "sim/montecarlo/rows.hpp"

#include <algorithm>
#include <vector>

namespace kvproof {
namespace {

enum Parameters : std::size_t { tokens, spread, size, noise };
enum Metrics : std::size_t { sum, largest, near, sum_violations, largest_violations, printed_violations };

constexpr std::size_t block_trials = 65536;
constexpr double printed_constant = 7;

void draw_here(const RemainderSetting& setting, std::uint64_t first, std::span<double> sums,
               std::span<double> tops) {
    std::vector<double> work(remainder_workspace(setting.tokens));
    for (std::size_t begin = 0; begin < sums.size(); begin += strip) {
        double sum[strip];
        double top[strip];
        remainder_strip(setting, first + begin, work.data(), sum, top);
        const std::size_t count = std::min(strip, sums.size() - begin);
        std::copy_n(sum, count, sums.begin() + static_cast<std::ptrdiff_t>(begin));
        std::copy_n(top, count, tops.begin() + static_cast<std::ptrdiff_t>(begin));
    }
}

void run_remainder(const RemainderSetting& drawn, const RemainderDraw& draw, const TrialRange& range,
                   SampleTable& samples) {
    RemainderSetting setting = drawn;
    setting.seed = range.seed;
    const double allowed = remainder_allowance(setting.tokens);
    const double most_sum = 1.0 / 3 + allowed;
    const double most_largest = 1.0 / 6 + allowed;
    std::vector<double> sums(range.count);
    std::vector<double> tops(range.count);
    draw(setting, range.first, sums, tops);
    for (std::size_t i = 0; i < range.count; ++i) {
        // what leaves the proven range is a violation, counted and then cut
        samples.of(sum)[i] = std::min(sums[i], most_sum);
        samples.of(largest)[i] = std::min(tops[i], most_largest);
        samples.of(near)[i] = sums[i] >= 0.9 / 3 ? 1 : 0;
        samples.of(sum_violations)[i] = sums[i] > most_sum ? 1 : 0;
        samples.of(largest_violations)[i] = tops[i] > most_largest ? 1 : 0;
        samples.of(printed_violations)[i] = sums[i] > printed_constant + allowed ? 1 : 0;
    }
}

Experiment make_remainder(const ExperimentInputs& inputs) {
    return remainder_drawn_by(inputs, draw_here);
}

} // namespace

RemainderSetting remainder_setting(const ExperimentInputs& inputs) {
    return {.tokens = inputs.whole(tokens),
            .spread = inputs.number(spread),
            .size = inputs.number(size),
            .signs = inputs.word(noise) == "signs",
            .seed = 0};
}

Experiment remainder_drawn_by(const ExperimentInputs& inputs, const RemainderDraw& draw) {
    const RemainderSetting setting = remainder_setting(inputs);
    const double allowed = remainder_allowance(setting.tokens);
    Experiment out;
    out.block = block_trials;
    out.metrics = {
        {"sum", MetricKind::bounded, 0, 1.0 / 3 + allowed, "sum_i |r_i| / A_0^3; at most 1/3 (printed: 7)"},
        {"largest", MetricKind::bounded, 0, 1.0 / 6 + allowed, "max_i |r_i| / A_0^3; at most 1/6"},
        {"near", MetricKind::proportion, 0, 1, "sum_i |r_i| is at least 0.9 of A_0^3 / 3"},
        {"sum_violations", MetricKind::proportion, 0, 1, "sum_i |r_i| > A_0^3 / 3"},
        {"largest_violations", MetricKind::proportion, 0, 1, "max_i |r_i| > A_0^3 / 6"},
        {"printed_violations", MetricKind::proportion, 0, 1, "sum_i |r_i| > 7 A_0^3"},
    };
    out.run = [setting, draw](const TrialRange& range, SampleTable& samples) {
        run_remainder(setting, draw, range, samples);
    };
    return out;
}

/// Ranges: sum |r_i| <= A_0^3/3 and |r_i| <= A_0^3/6 (aatc.lemma1.sharp, proofs/coq/SoftmaxTaylor.v), plus
/// the allowance for rounding.
ExperimentRow remainder_row() {
    return {.name = "remainder",
            .summary = "AATC Lemma 1: the softmax remainder beyond second order, over A_0^3",
            .version = 1,
            .parameters = {{"tokens", "64", 2, 4096, true, {}, "T"},
                           {"spread", "1", 0, 100, false, {}, "standard deviation of the normal logits"},
                           {"size", "0.25", 1e-100, 1, false, {}, "A_0"},
                           {"noise",
                            "signs",
                            0,
                            0,
                            false,
                            {"signs", "uniform"},
                            "law of alpha_i: -A_0 or A_0, or uniform between"}},
            .needs_capture = false,
            .make = make_remainder};
}

} // namespace kvproof
