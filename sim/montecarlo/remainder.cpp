// AATC Lemma 1 (appendix A): what softmax leaves beyond second order, against A_0^3 times a constant.

#include "lib/error.hpp"
#include "lib/portable/instructions.hpp"
#include "lib/portable/lanes.hpp"
#include "lib/portable/philox.hpp"
#include "lib/random/distributions.hpp"
#include "lib/random/philox.hpp"
#include "sim/montecarlo/rows.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace kvproof {
namespace {

enum Parameters : std::size_t { tokens, spread, size, noise };
enum Metrics : std::size_t { sum, largest, near, sum_violations, largest_violations, printed_violations };
enum Streams : std::uint16_t { logit_stream, noise_stream };

constexpr std::size_t block_trials = 65536;
constexpr double printed_constant = 7;

/// How far the computed r_i E / a_i A_0^3, and with it sum |r_i| / A_0^3, can be from the exact one, for
/// weights and noise as drawn. Let u = 2^-53 and d = (2T + 64) u, which is more than any weighted sum below
/// is off, relatively. In units of A_0: |y| <= 2 and n_2 <= 1 (noise lies in [-1, 1]); y is off by 1.1 d.
/// R = y^3 q(A_0 y), |R| <= 2.4, |dR/dy| <= 4.4: 7 d. n_2: d from the weights, 4.4 d from y^2: with the sums
/// 9 d. N = sum a R: 10 d. In the bracket: n_2 y / 2: 10 d; A_0 n_2 (y^2 - n_2)/4: 13 d; N (1 + x + (x^2 -
/// m_2)/2), the factor at most 5 and off by 8 d: 70 d; sums of terms below 17: d. Together 101 d; a_i / E and
/// the last sum add 4 d of |r_i|; E >= 1 by Jensen's inequality. Less than 128 d.
double allowance(std::size_t count) {
    return 128 * (2 * static_cast<double>(count) + 64) * 0x1p-53;
}

/// 1/(n+3)!: the series of (e^x - 1 - x - x^2/2) / x^3.
template <std::size_t terms>
constexpr std::array<double, terms> tail_series() {
    std::array<double, terms> out{};
    double factorial = 6;
    for (std::size_t n = 0; n < terms; ++n) {
        out[n] = 1 / factorial;
        factorial *= static_cast<double>(n) + 4;
    }
    return out;
}

struct Setting {
    std::size_t tokens;
    double spread;
    double size; // A_0
    bool signs;
    std::uint64_t seed;
};

/// Words of the blocks number `sample` of eight consecutive trials.
[[gnu::always_inline]] inline void draw(std::uint32_t (&words)[4][strip], const Setting& setting,
                                        std::uint64_t first, std::uint16_t stream, std::uint32_t sample) {
    for (std::size_t i = 0; i < strip; ++i) {
        words[0][i] = static_cast<std::uint32_t>(first + i);
        words[1][i] = static_cast<std::uint32_t>((first + i) >> 32U);
        words[2][i] = (std::uint32_t{random_experiment::remainder} << 16U) | stream;
        words[3][i] = sample;
    }
    portable::philox_rounds<static_cast<int>(strip)>(words, static_cast<std::uint32_t>(setting.seed),
                                                     static_cast<std::uint32_t>(setting.seed >> 32U));
}

/// Eight trials, lane by lane: no operation mixes them, so every lane has the bits of its trial alone. `work`
/// holds [3][T][8]; writes sum |r_i| / A_0^3 and max |r_i| / A_0^3.
struct EightTrials {
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline void run(const Setting* at, std::uint64_t first, double* work,
                                                  double* sums, double* tops) {
        const Setting setting = *at;
        const std::size_t n = setting.tokens;
        double* logits = work; // then weights
        double* noises = work + n * strip;
        double* cubes = work + 2 * n * strip;
        std::uint32_t words[4][strip];
        for (std::size_t t = 0; t < n; t += 2) { // work has room for one more
            draw(words, setting, first, logit_stream, static_cast<std::uint32_t>(t / 2));
            double* one = logits + t * strip;
            double* two = t + 1 < n ? one + strip : cubes;
            for (std::size_t i = 0; i < strip; ++i)
                normal_pair(words[0][i], words[1][i], words[2][i], words[3][i], one[i], two[i]);
        }
        if (setting.signs) {
            for (std::size_t t = 0; t < n; ++t) {
                const std::size_t bit = t % 128;
                if (bit == 0) draw(words, setting, first, noise_stream, static_cast<std::uint32_t>(t / 128));
                const std::uint32_t* word = words[bit / 32];
                for (std::size_t i = 0; i < strip; ++i)
                    noises[t * strip + i] = sign_of(word[i] >> (bit % 32));
            }
        } else {
            for (std::size_t t = 0; t < n; t += 2) {
                draw(words, setting, first, noise_stream, static_cast<std::uint32_t>(t / 2));
                double* one = noises + t * strip;
                double* two = t + 1 < n ? one + strip : cubes;
                for (std::size_t i = 0; i < strip; ++i) {
                    one[i] = symmetric53(words[0][i], words[1][i]);
                    two[i] = symmetric53(words[2][i], words[3][i]);
                }
            }
        }
        remainders(setting, logits, noises, cubes, sums, tops);
    }

    /// r_i = (a_i / E) [R_i - m_2 x_i / 2 - m_2 (x_i^2 - m_2) / 4 - M (1 + x_i + (x_i^2 - m_2) / 2)], where
    /// x_i = alpha_i - abar, R_i = e^x_i - 1 - x_i - x_i^2/2, M = sum a_l R_l, E = sum a_l e^x_l = 1 + m_2/2
    /// + M: the definition of r_i with everything below third order cancelled by hand (sum a_l x_l = 0).
    /// Every term is of third order, so that a small A_0 costs no digits.
    [[gnu::always_inline]] static inline void remainders(const Setting& setting, double* weights, double* y,
                                                         double* cubes, double* sums, double* tops) {
        constexpr auto series = tail_series<21>(); // cut below 2^-60 of 1/6 for |x| <= 2
        const std::size_t n = setting.tokens;
        const double a0 = setting.size;
        double most[strip];
        for (std::size_t i = 0; i < strip; ++i) most[i] = weights[i];
        for (std::size_t t = 1; t < n; ++t)
            for (std::size_t i = 0; i < strip; ++i)
                most[i] = weights[t * strip + i] > most[i] ? weights[t * strip + i] : most[i];
        double total[strip] = {};
        double mean[strip] = {};
        for (std::size_t t = 0; t < n; ++t)
            for (std::size_t i = 0; i < strip; ++i) {
                const double weight = portable::exp(setting.spread * (weights[t * strip + i] - most[i]));
                weights[t * strip + i] = weight;
                total[i] += weight;
                mean[i] += weight * y[t * strip + i];
            }
        for (std::size_t i = 0; i < strip; ++i) mean[i] /= total[i];
        double second[strip] = {};
        double third[strip] = {};
        for (std::size_t t = 0; t < n; ++t)
            for (std::size_t i = 0; i < strip; ++i) {
                const double at = y[t * strip + i] - mean[i];
                const double x = a0 * at;
                double q = series[20];
                for (std::size_t term = 20; term-- > 0;) q = q * x + series[term];
                const double square = at * at;
                const double cube = square * at * q;
                y[t * strip + i] = at;
                cubes[t * strip + i] = cube;
                second[i] += weights[t * strip + i] * square;
                third[i] += weights[t * strip + i] * cube;
            }
        double factor[strip]; // 1 / E sum of weights
        for (std::size_t i = 0; i < strip; ++i) {
            second[i] /= total[i];
            third[i] /= total[i];
            const double e = 1 + a0 * a0 * (0.5 * second[i] + a0 * third[i]);
            factor[i] = 1 / (e * total[i]);
            sums[i] = 0;
            tops[i] = 0;
        }
        for (std::size_t t = 0; t < n; ++t)
            for (std::size_t i = 0; i < strip; ++i) {
                const double at = y[t * strip + i];
                const double excess = at * at - second[i];
                const double bracket = cubes[t * strip + i] - second[i] * (0.5 * at + 0.25 * a0 * excess) -
                                       third[i] * (1 + a0 * (at + 0.5 * a0 * excess));
                const double product = weights[t * strip + i] * bracket;
                const double r = portable::from_bits(portable::bits_of(product) & ~(std::uint64_t{1} << 63U));
                sums[i] += r;
                tops[i] = r > tops[i] ? r : tops[i];
            }
        for (std::size_t i = 0; i < strip; ++i) {
            sums[i] *= factor[i];
            tops[i] *= factor[i];
        }
    }
};

void run_remainder(const Setting& drawn, const TrialRange& range, SampleTable& samples) {
    Setting setting = drawn;
    setting.seed = range.seed;
    const double allowed = allowance(setting.tokens);
    const double most_sum = 1.0 / 3 + allowed;
    const double most_largest = 1.0 / 6 + allowed;
    std::vector<double> work(3 * setting.tokens * strip + strip);
    const Instructions instructions = best_instructions();
    for (std::size_t begin = 0; begin < range.count; begin += strip) {
        double sums[strip];
        double tops[strip];
        run_kernel<EightTrials>(instructions, static_cast<const Setting*>(&setting), range.first + begin,
                                work.data(), static_cast<double*>(sums), static_cast<double*>(tops));
        for (std::size_t i = 0; i < std::min(strip, range.count - begin); ++i) {
            // what leaves the proven range is a violation, counted and then cut
            samples.of(sum)[begin + i] = std::min(sums[i], most_sum);
            samples.of(largest)[begin + i] = std::min(tops[i], most_largest);
            samples.of(near)[begin + i] = sums[i] >= 0.9 / 3 ? 1 : 0;
            samples.of(sum_violations)[begin + i] = sums[i] > most_sum ? 1 : 0;
            samples.of(largest_violations)[begin + i] = tops[i] > most_largest ? 1 : 0;
            samples.of(printed_violations)[begin + i] = sums[i] > printed_constant + allowed ? 1 : 0;
        }
    }
}

Experiment make_remainder(const ExperimentInputs& inputs) {
    const Setting setting{.tokens = inputs.whole(tokens),
                          .spread = inputs.number(spread),
                          .size = inputs.number(size),
                          .signs = inputs.word(noise) == "signs",
                          .seed = 0};
    const double allowed = allowance(setting.tokens);
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
    out.run = [setting](const TrialRange& range, SampleTable& samples) {
        run_remainder(setting, range, samples);
    };
    return out;
}

} // namespace

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
