// The remainder's trials on the device's body: the bits of the vectorised loop, whatever the width and the
// order of the threads.
#include "gpu/montecarlo/remainder.hpp"

#include "sim/montecarlo/remainder_kernel.hpp"
#include "tests/gpu/launches.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

using namespace kvproof;
using namespace kvproof::test;

namespace {

using gpu::RemainderTrials;

int pick(int least, int most) {
    return *rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most + 1)));
}

struct Samples {
    std::vector<double> sums;
    std::vector<double> tops;
    bool operator==(const Samples&) const = default;
};

/// What the experiment on the processor draws.
Samples expected_samples(const RemainderTrials& trials, std::uint64_t first, std::size_t count) {
    const RemainderSetting setting{trials.tokens, trials.spread, trials.size, trials.signs, trials.seed};
    std::vector<double> work(remainder_workspace(trials.tokens));
    Samples out;
    for (std::size_t begin = 0; begin < count; begin += strip) {
        double sums[strip];
        double tops[strip];
        remainder_strip(setting, first + begin, work.data(), sums, tops);
        const std::size_t here = std::min(strip, count - begin);
        out.sums.insert(out.sums.end(), sums, sums + here);
        out.tops.insert(out.tops.end(), tops, tops + here);
    }
    return out;
}

Samples body_samples(const RemainderTrials& trials, std::uint64_t first, std::uint32_t count,
                     const gpu::FiberOptions& fibers) {
    Samples out{std::vector<double>(count, NAN), std::vector<double>(count, NAN)};
    std::vector<double> weights(std::size_t{trials.tokens} * fibers.width, NAN);
    gpu::run_fibers(fibers, 1, [&](gpu::FiberGroup& g, int) {
        gpu::remainder_trials(g, trials, first, count, weights.data(), out.sums.data(), out.tops.data());
    });
    return out;
}

RemainderTrials any_trials() {
    RemainderTrials out;
    out.tokens = static_cast<std::uint32_t>(pick(0, 3) == 0 ? pick(120, 300) : pick(1, 20));
    out.spread = pick(0, 3) == 0 ? 0 : std::ldexp(1.0, pick(-4, 6));
    out.size = std::ldexp(1.0, -pick(0, 3) * pick(0, 90));
    out.signs = pick(0, 1) == 1;
    out.seed = *rc::gen::arbitrary<std::uint64_t>();
    return out;
}

RC_GTEST_PROP(GpuRemainder, has_the_bits_of_the_vectorised_loop_at_every_width, ()) {
    const RemainderTrials trials = any_trials();
    const std::uint64_t first = *rc::gen::arbitrary<std::uint64_t>() >> static_cast<unsigned>(pick(0, 63));
    const auto count = static_cast<std::uint32_t>(pick(1, 40));
    const Samples expected = expected_samples(trials, first, count);
    for (const gpu::FiberOptions& options : every_block(trials.seed))
        RC_ASSERT(body_samples(trials, first, count, options) == expected);
}

TEST(GpuRemainder, one_thread_is_plain_code) {
    const RemainderTrials trials{64, 1, 0.25, true, 5};
    Samples out{std::vector<double>(100, NAN), std::vector<double>(100, NAN)};
    std::vector<double> weights(trials.tokens);
    serial_launch()(1, [&](auto& g, int) {
        gpu::remainder_trials(g, trials, 7, 100, weights.data(), out.sums.data(), out.tops.data());
    });
    EXPECT_EQ(out, expected_samples(trials, 7, 100));
}

/// Words of places are Random123's, and a wrong place is seen.
TEST(GpuRemainder, draws_the_words_of_its_places) {
    for (std::uint64_t trial : {std::uint64_t{0}, std::uint64_t{5} << 40U, ~std::uint64_t{0}}) {
        const gpu::RemainderTrials trials{.seed = 0x123456789abcdef0};
        const gpu::RandomWords words = gpu::remainder_words(trials, trial, gpu::noise_stream, 77);
        const auto expected = random_block({0x123456789abcdef0, trial, random_experiment::remainder, 1}, 77);
        for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(words.word[i], expected[i]);
        const auto other = random_block({0x123456789abcdef0, trial, random_experiment::remainder, 0}, 77);
        EXPECT_NE(words.word[0], other[0]);
    }
}

/// A mutant: the other noise, the other trial, one token less. None has the bits of what was asked for.
TEST(GpuRemainder, wrong_trials_are_seen) {
    const RemainderTrials trials{33, 1, 0.5, true, 5};
    const Samples expected = expected_samples(trials, 3, 16);
    const gpu::FiberOptions fibers{8, gpu::Schedule::forward, 0};
    EXPECT_EQ(body_samples(trials, 3, 16, fibers), expected);
    RemainderTrials other = trials;
    other.signs = false;
    EXPECT_NE(body_samples(other, 3, 16, fibers), expected);
    other = trials;
    other.tokens = 32;
    EXPECT_NE(body_samples(other, 3, 16, fibers), expected);
    EXPECT_NE(body_samples(trials, 4, 16, fibers), expected);
}

} // namespace
