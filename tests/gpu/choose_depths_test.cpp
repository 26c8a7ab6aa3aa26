// The body of the ChooseDepths kernel against the heap of lib/allocate, at every width and schedule, on
// inputs made of ties, zeros, subnormals and huge ranges; against every way to spend a small budget; and its
// refusals.
#include "gpu/allocate/choose_depths_batch.hpp"
#include "tests/gpu/choose_depths_cases.hpp"
#include "tests/record/refusal.hpp"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::gpu;
using namespace kvproof::test;
using namespace kvproof::testing_support;

namespace {

RC_GTEST_PROP(ChooseDepthsKernel, equals_the_heap_on_one_thread, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    for (int k = 0; k < 10; ++k) {
        const Instance<float> instance = device_instance(128, next);
        const Chosen expected = by_heap(instance);
        RC_ASSERT(by_serial(instance, in_shared_memory()) == expected);
        RC_ASSERT(by_serial(instance, in_registers<128>()) == expected);
    }
}

RC_GTEST_PROP(ChooseDepthsKernel, equals_the_heap_in_every_block, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    for (const FiberOptions& block : every_block(seed)) {
        const Instance<float> instance = device_instance(128, next);
        const Chosen expected = by_heap(instance);
        RC_ASSERT(by_fibers(block, instance, in_shared_memory()) == expected);
        RC_ASSERT(by_fibers_in_registers(block, instance) == expected);
    }
}

TEST(ChooseDepthsKernel, equals_the_heap_around_the_sizes_of_groups) {
    std::mt19937_64 next(20260802);
    for (const int width : {32, 128})
        for (const std::size_t n : {1, 31, 32, 33, 127, 128, 129, 511, 512, 513, 3000}) {
            Instance<float> instance{hard_weights<float>(n, next), lloyd_gains<float>(), 0};
            instance.budget = next() % (8 * n + 2);
            const FiberOptions block{.width = width, .schedule = Schedule::random, .seed = n};
            const Chosen expected = by_heap(instance);
            EXPECT_EQ(by_fibers(block, instance, in_shared_memory()), expected) << n << " in " << block;
            if (n <= 16 * static_cast<std::size_t>(width)) {
                EXPECT_EQ(by_fibers(block, instance, in_registers<16>()), expected) << n << " in " << block;
            }
        }
}

/// Every budget, so that every gain is once the last one taken, and every tie is cut everywhere.
RC_GTEST_PROP(ChooseDepthsKernel, equals_the_heap_for_every_budget, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    Instance<float> instance = device_instance(9, next);
    for (instance.budget = 0; instance.budget <= 8 * 9 + 1; ++instance.budget) {
        const Chosen expected = by_heap(instance);
        RC_ASSERT(by_serial(instance, in_shared_memory()) == expected);
        const FiberOptions block{.width = 3, .schedule = Schedule::random, .seed = instance.budget};
        if (instance.budget % 2 == 0)
            RC_ASSERT(by_fibers(block, instance, in_registers<4>()) == expected);
        else
            RC_ASSERT(by_fibers(block, instance, in_shared_memory()) == expected);
    }
}

/// The largest total gain of `budget` levels, over all depths of all items. Everything is a small integer, so
/// no sum or product is rounded.
long best_total(const Instance<float>& instance, std::size_t item, long budget) {
    if (item == instance.weights.size()) return 0;
    long best = 0;
    long gain = 0;
    for (long depth = 0; depth <= budget; ++depth) {
        best = std::max(best, gain + best_total(instance, item + 1, budget - depth));
        if (depth == static_cast<long>(instance.gains.size())) break;
        gain += static_cast<long>(instance.weights[item] * instance.gains[static_cast<std::size_t>(depth)]);
    }
    return best;
}

RC_GTEST_PROP(ChooseDepthsKernel, no_other_depths_gain_more, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    Instance<float> instance;
    instance.weights.resize(1 + next() % 5);
    for (float& x : instance.weights) x = static_cast<float>(next() % 9);
    instance.gains.resize(1 + next() % 4);
    for (float& x : instance.gains) x = static_cast<float>(next() % 50);
    std::ranges::sort(instance.gains, std::greater<>());
    instance.budget = next() % 12;
    for (const FiberOptions& block : blocks_of(2)) {
        const Chosen chosen = by_fibers(block, instance, in_registers<4>());
        long total = 0;
        for (std::size_t i = 0; i < instance.weights.size(); ++i)
            for (std::size_t t = 0; t < chosen.depths[i]; ++t)
                total += static_cast<long>(instance.weights[i] * instance.gains[t]);
        RC_ASSERT(total == best_total(instance, 0, static_cast<long>(instance.budget)));
        RC_ASSERT(chosen.spent <= instance.budget);
    }
}

TEST(ChooseDepthsKernel, refuses_what_the_heap_refuses) {
    using F = std::numeric_limits<float>;
    std::mt19937_64 next(3);
    for (const float bad : {F::quiet_NaN(), -F::quiet_NaN(), F::infinity(), -F::infinity(), -1.0F,
                            -F::denorm_min(), F::max(), 1.0F, -0.0F})
        for (const float first_gain : {0.0F, F::denorm_min(), 0.5F, 2.0F})
            for (const std::uint64_t budget : {0, 5, 1000}) {
                Instance<float> instance{std::vector<float>(40, 1.0F), {first_gain, first_gain / 4}, budget};
                instance.weights[next() % 40] = bad;
                Chosen expected{std::vector<std::uint8_t>(40, 0), bad_instance};
                try {
                    expected = by_heap(instance);
                } catch (const Error&) {
                }
                const FiberOptions block{.width = 32};
                EXPECT_EQ(by_fibers(block, instance, in_shared_memory()), expected)
                    << bad << " " << first_gain;
                EXPECT_EQ(by_fibers(block, instance, in_registers<4>()), expected)
                    << bad << " " << first_gain;
            }
}

TEST(ChooseDepthsKernel, tables_that_rise_or_are_too_long_are_refused) {
    using F = std::numeric_limits<float>;
    const auto refused = [](const std::vector<float>& gains, ErrorCode code, const std::string& part) {
        return refuses([&] { static_cast<void>(gain_table(gains)); }, code, {part});
    };
    EXPECT_TRUE(refused({0.5F, 0.6F}, ErrorCode::bad_weight, "gains[1]"));
    EXPECT_TRUE(refused({-1.0F}, ErrorCode::bad_weight, "gains[0]"));
    EXPECT_TRUE(refused({F::infinity()}, ErrorCode::bad_weight, "gains[0]"));
    EXPECT_TRUE(refused({1.0F, F::quiet_NaN(), 0.5F}, ErrorCode::bad_weight, "gains[1]"));
    EXPECT_TRUE(refused(std::vector<float>(9, 0.5F), ErrorCode::internal, "9 levels"));
    EXPECT_FALSE(std::signbit(gain_table(std::vector<float>{-0.0F}).gain[0]));
}

TEST(ChooseDepthsKernel, a_batch_here_is_its_instances) {
    std::mt19937_64 next(4);
    constexpr int instances = 5;
    constexpr int n = 50;
    const std::vector<float> weights = hard_weights<float>(instances * n, next);
    std::vector<std::uint8_t> depths(weights.size(), 99);
    std::vector<std::uint32_t> spent(instances, 99);
    std::vector<std::uint32_t> scratch(n);
    choose_depths_here({.weights = weights.data(),
                        .instances = instances,
                        .items = n,
                        .gains = gain_table(lloyd_gains<float>()),
                        .budget = 77,
                        .depths = depths.data(),
                        .spent = spent.data(),
                        .scratch = scratch.data()});
    for (std::size_t k = 0; k < instances; ++k) {
        const auto at = static_cast<std::ptrdiff_t>(k * n);
        const Chosen expected = by_heap(
            Instance<float>{{weights.begin() + at, weights.begin() + at + n}, lloyd_gains<float>(), 77});
        EXPECT_EQ(spent[k], expected.spent);
        EXPECT_TRUE(std::equal(expected.depths.begin(), expected.depths.end(), depths.begin() + at));
    }
}

} // namespace
