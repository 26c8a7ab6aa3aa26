#pragma once
// The trials of `kvproof montecarlo remainder` (AATC Lemma 1), one trial a thread: every sum runs over the
// tokens in ascending order, so a trial has the bits of the vectorised loop in sim/montecarlo, at any width.

#include "gpu/group/group.hpp"
#include "gpu/montecarlo/remainder_trials.hpp"
#include "gpu/random/random_block.hpp"
#include "lib/portable/exp_tail.hpp"
#include "lib/random/distributions.hpp"
#include "lib/random/philox.hpp"

#include <cstdint>

namespace kvproof::gpu {

/// Streams of a trial.
enum RemainderStream : std::uint32_t { logit_stream, noise_stream };

/// Block `sample` of a stream of a trial.
[[nodiscard]] KVPROOF_DEVICE RandomWords remainder_words(const RemainderTrials& trials, std::uint64_t trial,
                                                         RemainderStream stream, std::uint32_t sample) {
    constexpr std::uint32_t experiment = random_experiment::remainder;
    return random_block({trials.seed, trial, experiment << 16U | stream}, sample);
}

/// One token's y = noise - mean in units of A_0, its square, and y^3 times the tail of the exponential.
struct RemainderTerm {
    double at;
    double square;
    double cube;

    KVPROOF_DEVICE RemainderTerm(double noise, double mean, double a0) : at(noise - mean) {
        constexpr portable::ExpTail<21> series;
        const double x = a0 * at;
        double q = series.at[20];
        KVPROOF_UNROLL(20)
        for (int term = 19; term >= 0; --term) q = q * x + series.at[term];
        square = at * at;
        cube = square * at * q;
    }

    /// |r_i| E / a_i A_0^3, where everything below third order has cancelled (sim/montecarlo says how).
    [[nodiscard]] KVPROOF_DEVICE double magnitude(double second, double third, double a0) const {
        const double excess = square - second;
        const double bracket =
            cube - second * (0.5 * at + 0.25 * a0 * excess) - third * (1 + a0 * (at + 0.5 * a0 * excess));
        return bracket < 0 ? -bracket : bracket;
    }
};

/// Noise of -1 or 1 by one bit a token: two terms serve all tokens, and 128 tokens one block of words.
class SignNoise {
public:
    KVPROOF_DEVICE SignNoise(const RemainderTrials& trials, std::uint64_t trial)
        : trials_(trials), trial_(trial) {}

    /// Tokens are asked for in ascending order, from 0 on.
    KVPROOF_DEVICE double at(std::uint32_t token) {
        if (token % 128 == 0) words_ = remainder_words(trials_, trial_, noise_stream, token / 128);
        const std::uint32_t which = token % 128 / 32; // not an index: registers have none
        const std::uint32_t low = which == 0 ? words_.word[0] : words_.word[1];
        const std::uint32_t high = which == 2 ? words_.word[2] : words_.word[3];
        return sign_of((which < 2 ? low : high) >> (token % 32));
    }

    struct Terms {
        double a0;
        RemainderTerm minus;
        RemainderTerm plus;
        KVPROOF_DEVICE Terms(double mean, double size)
            : a0(size), minus(-1, mean, size), plus(1, mean, size) {}
        [[nodiscard]] KVPROOF_DEVICE const RemainderTerm& of(double noise) const {
            return noise < 0 ? minus : plus;
        }
    };

private:
    const RemainderTrials& trials_;
    std::uint64_t trial_;
    RandomWords words_ = {};
};

/// Noise between -1 and 1: tokens p and p + pairs share block p.
class UniformNoise {
public:
    KVPROOF_DEVICE UniformNoise(const RemainderTrials& trials, std::uint64_t trial)
        : trials_(trials), trial_(trial), pairs_((trials.tokens + 1) / 2) {}

    KVPROOF_DEVICE double at(std::uint32_t token) const {
        const bool first = token < pairs_;
        const RandomWords w = remainder_words(trials_, trial_, noise_stream, first ? token : token - pairs_);
        return symmetric53(first ? w.word[0] : w.word[2], first ? w.word[1] : w.word[3]);
    }

    struct Terms {
        double mean;
        double a0;
        KVPROOF_DEVICE Terms(double m, double size) : mean(m), a0(size) {}
        [[nodiscard]] KVPROOF_DEVICE RemainderTerm of(double noise) const {
            return RemainderTerm(noise, mean, a0);
        }
    };

private:
    const RemainderTrials& trials_;
    std::uint64_t trial_;
    std::uint32_t pairs_;
};

/// One trial. `weights` is memory for T numbers, `stride` apart. Writes sum_i |r_i| / A_0^3 and max_i |r_i| /
/// A_0^3.
template <class Noise>
KVPROOF_DEVICE void remainder_trial(const RemainderTrials& trials, std::uint64_t trial, double* weights,
                                    std::uint32_t stride, double& sum, double& top) {
    const std::uint32_t pairs = (trials.tokens + 1) / 2;
    double most = 0;
    for (std::uint32_t p = 0; p < pairs; ++p) {
        const RandomWords w = remainder_words(trials, trial, logit_stream, p);
        double first = 0;
        double second = 0;
        normal_pair(w.word[0], w.word[1], w.word[2], w.word[3], first, second);
        weights[std::size_t{p} * stride] = first;
        if (p == 0 || first > most) most = first;
        if (p + pairs < trials.tokens) {
            weights[std::size_t{p + pairs} * stride] = second;
            if (second > most) most = second;
        }
    }

    Noise noise(trials, trial);
    double total = 0;
    double mean = 0;
    for (std::uint32_t t = 0; t < trials.tokens; ++t) {
        double& weight = weights[std::size_t{t} * stride];
        const double w = portable::exp(trials.spread * (weight - most));
        weight = w;
        total += w;
        mean += w * noise.at(t);
    }
    const double a0 = trials.size;
    const typename Noise::Terms terms(mean / total, a0);
    double second = 0;
    double third = 0;
    for (std::uint32_t t = 0; t < trials.tokens; ++t) {
        const double w = weights[std::size_t{t} * stride];
        const RemainderTerm& term = terms.of(noise.at(t));
        second += w * term.square;
        third += w * term.cube;
    }
    second /= total;
    third /= total;
    double all = 0;
    double largest = 0;
    for (std::uint32_t t = 0; t < trials.tokens; ++t) {
        const double r =
            weights[std::size_t{t} * stride] * terms.of(noise.at(t)).magnitude(second, third, a0);
        all += r;
        largest = r > largest ? r : largest;
    }
    const double scale = (1 + a0 * a0 * (0.5 * second + a0 * third)) * total; // E sum of weights
    sum = all / scale;
    top = largest / scale;
}

/// Trials first, ..., first + count - 1 into sums and tops [count]. `weights` is memory for T numbers a
/// thread: [T, size].
template <Group G>
KVPROOF_KERNEL void remainder_trials(G& g, const RemainderTrials& trials, std::uint64_t first,
                                     std::uint32_t count, double* weights, double* sums, double* tops) {
    const auto rank = static_cast<std::uint32_t>(g.rank());
    const auto size = static_cast<std::uint32_t>(g.size());
    double* const mine = weights + rank;
    for (std::uint32_t i = rank; i < count; i += size)
        if (trials.signs)
            remainder_trial<SignNoise>(trials, first + i, mine, size, sums[i], tops[i]);
        else
            remainder_trial<UniformNoise>(trials, first + i, mine, size, sums[i], tops[i]);
}

} // namespace kvproof::gpu
