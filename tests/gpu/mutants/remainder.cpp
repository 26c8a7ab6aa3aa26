// Exit status 1 where the remainder's trials differ from Lemma 1's definition in long double; small, to be
// compiled once for each mutant of them.
#include "gpu/montecarlo/remainder.hpp"
#include "tests/gpu/executors.hpp"

#include <cmath>

using namespace kvproof;
using namespace kvproof::gpu;
using namespace kvproof::test;

namespace {

using Real = long double;

/// sum |r_i| and max |r_i| over A_0^3 by the definition: the words from lib/random, place by place.
void by_definition(const RemainderTrials& trials, std::uint64_t trial, Real& sum, Real& top) {
    const std::uint32_t n = trials.tokens;
    const std::uint32_t pairs = (n + 1) / 2;
    std::vector<double> logits(2 * pairs);
    std::vector<double> noise(2 * pairs);
    for (std::uint32_t p = 0; p < pairs; ++p) {
        const auto w = kvproof::random_block({trials.seed, trial, random_experiment::remainder, 0}, p);
        normal_pair(w[0], w[1], w[2], w[3], logits[p], logits[p + pairs]);
        const auto v = kvproof::random_block({trials.seed, trial, random_experiment::remainder, 1}, p);
        noise[p] = symmetric53(v[0], v[1]);
        noise[p + pairs] = symmetric53(v[2], v[3]);
    }
    for (std::uint32_t t = 0; trials.signs && t < n; ++t) {
        const auto v = kvproof::random_block({trials.seed, trial, random_experiment::remainder, 1}, t / 128);
        noise[t] = (v[t % 128 / 32] >> (t % 32) & 1U) != 0 ? -1 : 1;
    }
    std::vector<Real> a(n);
    Real total = 0;
    for (std::uint32_t t = 0; t < n; ++t) total += a[t] = std::exp(Real(trials.spread) * logits[t]);
    const Real a0 = trials.size;
    Real mean = 0;
    Real shifted = 0;
    for (std::uint32_t t = 0; t < n; ++t) {
        a[t] /= total;
        mean += a[t] * a0 * noise[t];
        shifted += a[t] * std::exp(a0 * noise[t]);
    }
    Real second = 0;
    for (std::uint32_t t = 0; t < n; ++t) second += a[t] * std::pow(a0 * noise[t] - mean, 2);
    sum = top = 0;
    for (std::uint32_t t = 0; t < n; ++t) {
        const Real x = a0 * noise[t] - mean;
        const Real r = std::abs(a[t] * std::exp(a0 * noise[t]) / shifted - a[t] - a[t] * x -
                                a[t] / 2 * (x * x - second)) /
                       (a0 * a0 * a0);
        sum += r;
        top = std::max(top, r);
    }
}

} // namespace

int main() {
    for (std::uint32_t k = 0; k < 12; ++k) {
        const RemainderTrials trials{k % 3 == 2 ? 150 + k : 5 + k, 1, 0.5, k % 2 == 0,
                                     0x123456789abcdefU * (k + 1)};
        constexpr std::uint32_t count = 7;
        const std::uint64_t first = (std::uint64_t{1} << 32U) - 3;
        std::vector<double> sums(count, NAN);
        std::vector<double> tops(count, NAN);
        std::vector<double> weights(std::size_t{trials.tokens} * 5, NAN);
        run_block({.width = 5, .schedule = Schedule::reverse}, [&](FiberGroup& g) {
            remainder_trials(g, trials, first, count, weights.data(), sums.data(), tops.data());
        });
        for (std::uint32_t i = 0; i < count; ++i) {
            Real sum = 0;
            Real top = 0;
            by_definition(trials, first + i, sum, top);
            // the definition cancels three digits here
            if (!(std::abs(sums[i] - sum) <= 1e-13L) || !(std::abs(tops[i] - top) <= 1e-13L)) return 1;
        }
    }
    return 0;
}
