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

/// Doubles that eight trials of T tokens need: words, logits, noise, cubes; T is rounded up to even.
std::size_t workspace(std::size_t count) {
    return 6 * (count + 1) * strip;
}

/// Blocks 0, ..., blocks - 1 of eight consecutive trials: word w of block p of trial i goes to (w * blocks +
/// p)
/// * 8 + i.
[[gnu::always_inline]] inline void draw(std::uint32_t* __restrict__ words, std::size_t blocks,
                                        const Setting& setting, std::uint64_t first, std::uint16_t stream) {
    const std::size_t n = blocks * strip;
    const std::uint32_t where = (std::uint32_t{random_experiment::remainder} << 16U) | stream;
    for (std::size_t p = 0; p < blocks; ++p)
        for (std::size_t i = 0; i < strip; ++i) {
            words[p * strip + i] = static_cast<std::uint32_t>(first + i);
            words[n + p * strip + i] = static_cast<std::uint32_t>((first + i) >> 32U);
            words[3 * n + p * strip + i] = static_cast<std::uint32_t>(p);
        }
    const auto k0 = static_cast<std::uint32_t>(setting.seed);
    const auto k1 = static_cast<std::uint32_t>(setting.seed >> 32U);
    std::uint32_t* __restrict__ w1 = words + n;
    std::uint32_t* __restrict__ w2 = words + 2 * n;
    std::uint32_t* __restrict__ w3 = words + 3 * n;
    for (std::size_t i = 0; i < n; ++i) {
        std::uint32_t c[4] = {words[i], w1[i], where, w3[i]};
        portable::philox_rounds(c[0], c[1], c[2], c[3], k0, k1);
        words[i] = c[0];
        w1[i] = c[1];
        w2[i] = c[2];
        w3[i] = c[3];
    }
}

/// Eight trials, lane by lane: no operation mixes them, so every lane has the bits of its trial alone. Token
/// t of trial i stands at t * 8 + i. Writes sum |r_i| / A_0^3 and max |r_i| / A_0^3.
struct EightTrials {
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline void run(const Setting* at, std::uint64_t first, double* work,
                                                  double* sums, double* tops) {
        const Setting setting = *at;
        const std::size_t pairs = (setting.tokens + 1) / 2;
        double* logits = work + 2 * pairs * strip;
        double* noises = logits + 2 * pairs * strip;
        double* cubes = noises + 2 * pairs * strip;
        auto* words = reinterpret_cast<std::uint32_t*>(work);
        draw(words, pairs, setting, first, logit_stream);
        normals(words, pairs * strip, logits);
        if (setting.signs) {
            const std::size_t blocks = (setting.tokens + 127) / 128;
            draw(words, blocks, setting, first, noise_stream);
            for (std::size_t t = 0; t < setting.tokens; ++t) {
                const std::uint32_t* word = words + (t % 128 / 32 * blocks + t / 128) * strip;
                for (std::size_t i = 0; i < strip; ++i) noises[t * strip + i] = sign_of(word[i] >> (t % 32));
            }
        } else {
            draw(words, pairs, setting, first, noise_stream);
            between(words, pairs * strip, noises);
        }
        weights<lanes>(setting, logits);
        remainders<lanes>(setting, logits, noises, cubes, sums, tops);
    }

    /// Block p gives the logits of tokens p and p + pairs.
    [[gnu::always_inline]] static inline void normals(const std::uint32_t* __restrict__ words, std::size_t n,
                                                      double* __restrict__ out) {
        for (std::size_t i = 0; i < n; ++i)
            normal_pair(words[i], words[n + i], words[2 * n + i], words[3 * n + i], out[i], out[n + i]);
    }

    [[gnu::always_inline]] static inline void between(const std::uint32_t* __restrict__ words, std::size_t n,
                                                      double* __restrict__ out) {
        for (std::size_t i = 0; i < n; ++i) {
            out[i] = symmetric53(words[i], words[n + i]);
            out[n + i] = symmetric53(words[2 * n + i], words[3 * n + i]);
        }
    }

    /// Logits to e^(spread (logit - the largest)).
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline void weights(const Setting& setting, double* logits) {
        using L = Lanes<lanes>;
        const std::size_t n = setting.tokens * strip;
        for (std::size_t v = 0; v < strip; v += lanes) {
            typename L::Vector most = L::at(logits + v);
            for (std::size_t i = strip + v; i < n; i += strip)
                most = L::at(logits + i) > most ? L::at(logits + i) : most;
            for (std::size_t i = v; i < n; i += strip)
                L::at(logits + i) = setting.spread * (L::at(logits + i) - most);
        }
        for (std::size_t i = 0; i < n; ++i) logits[i] = portable::exp(logits[i]);
    }

    /// r_i = (a_i / E) [R_i - m_2 x_i / 2 - m_2 (x_i^2 - m_2) / 4 - M (1 + x_i + (x_i^2 - m_2) / 2)], where
    /// x_i = alpha_i - abar, R_i = e^x_i - 1 - x_i - x_i^2/2, M = sum a_l R_l, E = sum a_l e^x_l = 1 + m_2/2
    /// + M: the definition of r_i with everything below third order cancelled by hand (sum a_l x_l = 0).
    /// Every term is of third order, so that a small A_0 costs no digits.
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline void remainders(const Setting& setting, const double* weights,
                                                         double* y, double* cubes, double* sums,
                                                         double* tops) {
        using L = Lanes<lanes>;
        using V = typename L::Vector;
        constexpr auto series = tail_series<21>();     // cut below 2^-60 of 1/6 for |x| <= 2
        constexpr std::size_t vectors = strip / lanes; // side by side, to hide the latency of the series
        const std::size_t n = setting.tokens * strip;
        const double a0 = setting.size;
        V total[vectors] = {};
        V mean[vectors] = {};
        for (std::size_t i = 0; i < n; i += strip)
            for (std::size_t v = 0; v < vectors; ++v) {
                total[v] += L::at(weights + i + v * lanes);
                mean[v] += L::at(weights + i + v * lanes) * L::at(y + i + v * lanes);
            }
        for (std::size_t v = 0; v < vectors; ++v) mean[v] /= total[v];
        V second[vectors] = {};
        V third[vectors] = {};
        for (std::size_t i = 0; i < n; i += strip) {
            V at[vectors];
            V x[vectors];
            V q[vectors];
            for (std::size_t v = 0; v < vectors; ++v) {
                at[v] = L::at(y + i + v * lanes) - mean[v];
                x[v] = a0 * at[v];
                q[v] = x[v] * series[20] + series[19];
            }
            for (std::size_t term = 19; term-- > 0;)
                for (std::size_t v = 0; v < vectors; ++v) q[v] = q[v] * x[v] + series[term];
            for (std::size_t v = 0; v < vectors; ++v) {
                const V square = at[v] * at[v];
                const V cube = square * at[v] * q[v];
                L::at(y + i + v * lanes) = at[v];
                L::at(cubes + i + v * lanes) = cube;
                second[v] += L::at(weights + i + v * lanes) * square;
                third[v] += L::at(weights + i + v * lanes) * cube;
            }
        }
        V sum[vectors] = {};
        V top[vectors] = {};
        for (std::size_t v = 0; v < vectors; ++v) {
            second[v] /= total[v];
            third[v] /= total[v];
        }
        for (std::size_t i = 0; i < n; i += strip)
            for (std::size_t v = 0; v < vectors; ++v) {
                const V at = L::at(y + i + v * lanes);
                const V excess = at * at - second[v];
                const V bracket = L::at(cubes + i + v * lanes) - second[v] * (0.5 * at + 0.25 * a0 * excess) -
                                  third[v] * (1 + a0 * (at + 0.5 * a0 * excess));
                const V r = L::at(weights + i + v * lanes) * (bracket < 0 ? -bracket : bracket);
                sum[v] += r;
                top[v] = r > top[v] ? r : top[v];
            }
        for (std::size_t v = 0; v < vectors; ++v) {
            // E sum of weights
            const V scale = (1 + a0 * a0 * (0.5 * second[v] + a0 * third[v])) * total[v];
            L::at(sums + v * lanes) = sum[v] / scale;
            L::at(tops + v * lanes) = top[v] / scale;
        }
    }
};

void run_remainder(const Setting& drawn, const TrialRange& range, SampleTable& samples) {
    Setting setting = drawn;
    setting.seed = range.seed;
    const double allowed = allowance(setting.tokens);
    const double most_sum = 1.0 / 3 + allowed;
    const double most_largest = 1.0 / 6 + allowed;
    std::vector<double> work(workspace(setting.tokens));
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
