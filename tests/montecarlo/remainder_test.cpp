// The softmax remainder: against its definition in 400 bits, where the kernel's own cancelled formula has no
// part; the same bits with every set of instructions; what two tokens give in closed form.
#include "sim/montecarlo/remainder_kernel.hpp"
#include "sim/montecarlo/task.hpp"

#include "lib/portable/exp.hpp"
#include "lib/random/distributions.hpp"
#include "lib/random/philox.hpp"

#include <boost/multiprecision/mpfr.hpp>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

using namespace kvproof;

namespace {

using Real = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<120>>;

struct Setting {
    std::size_t tokens;
    double spread;
    double size;
    bool signs;
};

std::vector<std::string> words_of(const Setting& setting) {
    char size[64];
    std::snprintf(size, sizeof size, "size=%.17g", setting.size);
    return {"tokens=" + std::to_string(setting.tokens), "spread=" + std::to_string(setting.spread), size,
            std::string("noise=") + (setting.signs ? "signs" : "uniform")};
}

struct Drawn {
    std::vector<double> weights;
    std::vector<double> noise;
};

/// A trial's weights and noise, place by place as docs/montecarlo.md says.
Drawn draw(const Setting& setting, std::uint64_t seed, std::uint64_t trial) {
    const std::size_t pairs = (setting.tokens + 1) / 2;
    std::vector<double> logits(2 * pairs);
    std::vector<double> noise(2 * pairs);
    for (std::uint32_t p = 0; p < pairs; ++p) {
        const auto w = random_block({seed, trial, random_experiment::remainder, 0}, p);
        normal_pair(w[0], w[1], w[2], w[3], logits[p], logits[p + pairs]);
        const auto v = random_block({seed, trial, random_experiment::remainder, 1}, p);
        noise[p] = symmetric53(v[0], v[1]);
        noise[p + pairs] = symmetric53(v[2], v[3]);
    }
    if (setting.signs)
        for (std::uint32_t t = 0; t < setting.tokens; ++t) {
            const auto v = random_block({seed, trial, random_experiment::remainder, 1}, t / 128);
            noise[t] = (v[t % 128 / 32] >> (t % 32) & 1U) != 0 ? -1 : 1;
        }
    logits.resize(setting.tokens);
    noise.resize(setting.tokens);
    const double most = *std::max_element(logits.begin(), logits.end());
    Drawn out{{}, noise};
    for (const double logit : logits) out.weights.push_back(portable::exp(setting.spread * (logit - most)));
    return out;
}

struct Remainders {
    Real sum = 0;
    Real largest = 0;
};

/// r_i by its definition: the change of softmax less its first- and second-order terms, over A_0^3. `sign` of
/// the second-order term: -1 is a mutant.
Remainders by_definition(const Setting& setting, const Drawn& drawn, int sign = 1) {
    const Real a0 = setting.size;
    const std::size_t n = setting.tokens;
    Real total = 0;
    for (const double weight : drawn.weights) total += weight;
    std::vector<Real> a(n);
    Real mean = 0;
    Real shifted = 0;
    for (std::size_t i = 0; i < n; ++i) {
        a[i] = drawn.weights[i] / total;
        mean += a[i] * a0 * drawn.noise[i];
        shifted += a[i] * exp(a0 * drawn.noise[i]);
    }
    Real second = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const Real x = a0 * drawn.noise[i] - mean;
        second += a[i] * x * x;
    }
    Remainders out;
    for (std::size_t i = 0; i < n; ++i) {
        const Real x = a0 * drawn.noise[i] - mean;
        const Real change = a[i] * exp(a0 * drawn.noise[i]) / shifted - a[i];
        const Real r = abs(change - a[i] * x - sign * a[i] / 2 * (x * x - second)) / (a0 * a0 * a0);
        out.sum += r;
        out.largest = std::max(out.largest, r);
    }
    return out;
}

double allowance(const Setting& setting) {
    return remainder_allowance(setting.tokens);
}

SampleTable samples_of(const Setting& setting, std::uint64_t first, std::size_t count) {
    const Task task = make_task("remainder", words_of(setting), 9, {});
    SampleTable table(task.experiment.metrics.size(), count);
    task.experiment.run({9, first, count}, table);
    return table;
}

const std::vector<Setting> settings = {{64, 1, 0.25, true},   {64, 1, 0.25, false}, {2, 0, 1, true},
                                       {2, 1, 0x1p-90, true}, {3, 30, 1e-5, false}, {129, 2, 1, true},
                                       {7, 100, 0.5, true},   {1000, 1, 1, false}};

TEST(Remainder, is_what_the_definition_gives_in_400_bits) {
    for (const Setting& setting : settings) {
        constexpr std::uint64_t first = (std::uint64_t{1} << 32U) - 4; // the trial's upper word changes
        SampleTable table = samples_of(setting, first, 9);
        double worst = 0;
        for (std::size_t i = 0; i < 9; ++i) {
            const Remainders exact = by_definition(setting, draw(setting, 9, first + i));
            const Real off = abs(exact.sum - table.of(0)[i]);
            worst = std::max(worst, static_cast<double>(off));
            EXPECT_LE(off, allowance(setting)) << setting.tokens << " tokens, A_0 = " << setting.size;
            EXPECT_LE(abs(exact.largest - table.of(1)[i]), allowance(setting));
        }
        EXPECT_LE(worst, allowance(setting) / 8); // the bound is coarse
    }
}

TEST(Remainder, every_set_of_instructions_gives_the_same_bits) {
    for (const Setting& setting : settings) {
        const RemainderSetting kernel{setting.tokens, setting.spread, setting.size, setting.signs, 9};
        std::vector<double> work(remainder_workspace(setting.tokens));
        std::array<double, 2 * strip> expected{};
        remainder_strip(kernel, 5, work.data(), expected.data(), expected.data() + strip,
                        Instructions::baseline);
        for (const Instructions instructions : available_instructions()) {
            std::array<double, 2 * strip> found{};
            remainder_strip(kernel, 5, work.data(), found.data(), found.data() + strip, instructions);
            EXPECT_EQ(found, expected) << setting.tokens;
        }
    }
}

TEST(Remainder, a_wrong_definition_is_seen) {
    for (const Setting& setting : settings) {
        if (setting.size < 1e-3) continue; // the wrong term then leaves the range that is recorded
        if (setting.spread == 0) continue; // of two like weights the second-order term is 0
        SampleTable table = samples_of(setting, 0, 64);
        Real worst = 0;
        for (std::size_t i = 0; i < 64; ++i)
            worst = std::max<Real>(worst,
                                   abs(by_definition(setting, draw(setting, 9, i), -1).sum - table.of(0)[i]));
        EXPECT_GT(worst, allowance(setting)) << setting.tokens;
    }
}

TEST(Remainder, two_equal_tokens_reach_a_third_as_the_noise_vanishes) {
    // signs apart, weights alike: sum |r_i| / A_0^3 = |tanh(A_0) - A_0| / A_0^3, which tends to 1/3
    const Setting setting{2, 0, 0x1p-300, true};
    SampleTable table = samples_of(setting, 0, 64);
    std::size_t apart = 0;
    for (std::size_t i = 0; i < 64; ++i) {
        const Drawn drawn = draw(setting, 9, i);
        if (drawn.noise[0] == drawn.noise[1]) {
            EXPECT_EQ(table.of(0)[i], 0);
            continue;
        }
        ++apart;
        EXPECT_NEAR(table.of(0)[i], 1.0 / 3, allowance(setting));
        EXPECT_NEAR(table.of(1)[i], 1.0 / 6, allowance(setting));
        EXPECT_EQ(table.of(2)[i], 1); // near
        EXPECT_EQ(table.of(3)[i], 0); // no violation
    }
    EXPECT_GT(apart, 16U);
    const Setting large{2, 0, 1, true};
    SampleTable one = samples_of(large, 0, 64);
    EXPECT_NEAR(*std::max_element(one.of(0).begin(), one.of(0).end()), 1 - std::tanh(1.0), allowance(large));
}

} // namespace
