#include "sim/montecarlo/remainder_kernel.hpp"

#include "lib/portable/exp_tail.hpp"
#include "lib/portable/philox.hpp"
#include "lib/random/distributions.hpp"
#include "lib/random/philox.hpp"

namespace kvproof {
namespace {

enum Streams : std::uint16_t { logit_stream, noise_stream };

/// Blocks 0, ..., blocks - 1 of eight consecutive trials: word w of block p of trial i goes to (w * blocks +
/// p)
/// * 8 + i.
[[gnu::always_inline]] inline void draw(std::uint32_t* __restrict__ words, std::size_t blocks,
                                        const RemainderSetting& setting, std::uint64_t first,
                                        std::uint16_t stream) {
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
    [[gnu::always_inline]] static inline void run(const RemainderSetting* at, std::uint64_t first,
                                                  double* work, double* sums, double* tops) {
        const RemainderSetting setting = *at;
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
    [[gnu::always_inline]] static inline void weights(const RemainderSetting& setting, double* logits) {
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
    [[gnu::always_inline]] static inline void remainders(const RemainderSetting& setting,
                                                         const double* weights, double* y, double* cubes,
                                                         double* sums, double* tops) {
        using L = Lanes<lanes>;
        using V = typename L::Vector;
        constexpr portable::ExpTail<21> series;
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
                q[v] = x[v] * series.at[20] + series.at[19];
            }
            for (std::size_t term = 19; term-- > 0;)
                for (std::size_t v = 0; v < vectors; ++v) q[v] = q[v] * x[v] + series.at[term];
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

} // namespace

std::size_t remainder_workspace(std::size_t tokens) {
    // words, logits, noise and cubes; T is rounded up to even
    return 6 * (tokens + 1) * strip;
}

void remainder_strip(const RemainderSetting& setting, std::uint64_t first, double* work, double* sums,
                     double* tops, Instructions instructions) {
    run_kernel<EightTrials>(instructions, &setting, first, work, sums, tops);
}

} // namespace kvproof
