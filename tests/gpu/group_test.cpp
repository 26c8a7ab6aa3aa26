// What a Group promises: its collectives against plain loops, one tree for sums at each width, and refusals
// of threads that part ways.
#include "gpu/group/collectives.hpp"
#include "gpu/group/reduction_tree.hpp"
#include "tests/gpu/executors.hpp"
#include "tests/record/refusal.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::gpu;
using namespace kvproof::test;
using namespace kvproof::testing_support;

namespace {

/// A finite number of any size and sign, from bits.
float any_float(std::uint32_t bits) {
    const float x = portable::from_bits(bits);
    return std::isfinite(x) ? x : portable::from_bits(bits & 0xbfffffffU);
}

RC_GTEST_PROP(Group, integer_collectives_are_plain_loops, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    for (const FiberOptions& block : every_block(seed)) {
        const auto width = static_cast<std::size_t>(block.width);
        std::vector<std::uint32_t> x(width);
        std::vector<std::uint64_t> y(width);
        for (auto& v : x) v = static_cast<std::uint32_t>(next());
        for (auto& v : y) v = next();
        std::vector<std::uint32_t> sum(width);
        std::vector<std::uint32_t> largest(width);
        std::vector<std::uint32_t> before(width);
        std::vector<std::uint64_t> long_sum(width);
        run_block(block, [&](FiberGroup& g) {
            const auto r = static_cast<std::size_t>(g.rank());
            sum[r] = g.sum(x[r]);
            largest[r] = g.max(x[r]);
            before[r] = g.exclusive_sum(x[r]);
            long_sum[r] = g.sum(y[r]);
        });
        const std::vector<std::uint32_t> sums(width, std::accumulate(x.begin(), x.end(), 0U));
        RC_ASSERT(sum == sums);
        RC_ASSERT(largest == std::vector<std::uint32_t>(width, *std::max_element(x.begin(), x.end())));
        RC_ASSERT(long_sum ==
                  std::vector<std::uint64_t>(width, std::accumulate(y.begin(), y.end(), std::uint64_t{0})));
        std::uint32_t total = 0;
        for (std::size_t r = 0; r < width; ++r) {
            RC_ASSERT(before[r] == total);
            total += x[r];
        }
    }
}

/// A sum over lanes as a warp forms it, every lane by itself.
template <class Number>
std::vector<Number> shuffled_sum(std::vector<Number> lanes) {
    for (std::size_t step = 16; step > 0; step /= 2) {
        const std::vector<Number> old = lanes;
        for (std::size_t i = 0; i < 32; ++i) lanes[i] = old[i] + old[i ^ step];
    }
    return lanes;
}

/// The tree as a device walks through it: lanes of a warp, then the warps' sums as lanes of one.
template <class Number>
Number device_sum(const std::vector<Number>& x) {
    std::vector<Number> partial;
    for (std::size_t at = 0; at < x.size(); at += 32) {
        std::vector<Number> lanes(32);
        for (std::size_t i = 0; i < 32 && at + i < x.size(); ++i) lanes[i] = x[at + i];
        const std::vector<Number> sums = shuffled_sum(lanes);
        EXPECT_EQ(std::count(sums.begin(), sums.end(), sums[0]), 32);
        partial.push_back(sums[0]);
    }
    if (partial.size() == 1) return partial[0];
    partial.resize(32);
    return shuffled_sum(partial)[0];
}

template <class Number>
void float_collectives(std::uint64_t seed) {
    std::mt19937_64 next(seed);
    for (const FiberOptions& block : every_block(seed)) {
        const auto width = static_cast<std::size_t>(block.width);
        std::vector<Number> x(width);
        for (auto& v : x) v = std::ldexp(Number(any_float(static_cast<std::uint32_t>(next()))), -10);
        if (next() % 3 == 0) std::fill(x.begin(), x.end(), Number(-0.0));
        if (next() % 3 == 0) x[next() % width] = Number(0);
        std::vector<Number> sum(width);
        std::vector<Number> largest(width);
        run_block(block, [&](FiberGroup& g) {
            const auto r = static_cast<std::size_t>(g.rank());
            sum[r] = g.sum(x[r]);
            largest[r] = g.max(x[r]);
        });
        const Number expected = device_sum(x);
        const Number most = *std::max_element(x.begin(), x.end(), [](Number a, Number b) {
            return a < b || (a == b && std::signbit(a) && !std::signbit(b));
        });
        for (std::size_t r = 0; r < width; ++r) {
            RC_ASSERT(portable::bits_of(sum[r]) == portable::bits_of(expected));
            RC_ASSERT(portable::bits_of(largest[r]) == portable::bits_of(most));
        }
    }
}

RC_GTEST_PROP(Group, float_collectives_follow_the_tree, (std::uint64_t seed)) {
    float_collectives<float>(seed);
}
RC_GTEST_PROP(Group, double_collectives_follow_the_tree, (std::uint64_t seed)) {
    float_collectives<double>(seed);
}

/// That the tree matters: the same numbers added from left to right give other bits.
TEST(Group, another_order_of_addition_is_seen) {
    std::vector<float> x(32);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1 / static_cast<float>(3 * i * i + 7);
    std::vector<float> copy = x;
    EXPECT_NE(tree_sum(copy.data(), 32), std::accumulate(x.begin(), x.end(), 0.0F));
    EXPECT_EQ(tree_sum(copy.data(), 32), device_sum(x));
}

template <class Number>
void order_is_kept(std::initializer_list<Number> ascending) {
    for (const Number* a = ascending.begin(); a != ascending.end(); ++a) {
        EXPECT_EQ(portable::bits_of(from_ordered_bits(ordered_bits(*a))), portable::bits_of(*a));
        if (a != ascending.begin()) {
            EXPECT_LT(ordered_bits(a[-1]), ordered_bits(*a));
        }
    }
}

TEST(Group, ordered_bits_keep_the_order) {
    using F = std::numeric_limits<float>;
    using D = std::numeric_limits<double>;
    order_is_kept<float>({-F::infinity(), -F::max(), -1, -F::denorm_min(), -0.0F, 0.0F, F::denorm_min(),
                          F::min(), 1, F::max(), F::infinity()});
    order_is_kept<double>({-D::infinity(), -D::max(), -1, -D::denorm_min(), -0.0, 0.0, D::denorm_min(),
                           D::min(), 1, D::max(), D::infinity()});
}

/// The kernel by which a device is compared with this processor.
TEST(Group, every_operation_in_one_kernel) {
    for (const FiberOptions& block : every_block()) {
        const auto n = static_cast<std::size_t>(block.width);
        std::vector<std::uint32_t> x(n);
        std::iota(x.begin(), x.end(), 1U);
        const std::vector<std::uint64_t> longs(n, std::uint64_t{1} << 40U);
        const std::vector<float> floats(n, 0.5F);
        const std::vector<double> doubles(n, -0.25);
        std::vector<std::uint32_t> sums(n), largest(n), before(n), reversed(n);
        std::vector<std::uint64_t> long_sums(n);
        std::vector<float> float_sums(n), largest_floats(n);
        std::vector<double> double_sums(n), largest_doubles(n);
        run_block(block, [&](FiberGroup& g) {
            try_collectives(g, {x.data(), longs.data(), floats.data(), doubles.data()},
                            {sums.data(), largest.data(), before.data(), long_sums.data(), float_sums.data(),
                             largest_floats.data(), double_sums.data(), largest_doubles.data(),
                             reversed.data()});
        });
        for (std::size_t r = 0; r < n; ++r) {
            EXPECT_EQ(sums[r], n * (n + 1) / 2) << block;
            EXPECT_EQ(largest[r], n) << block;
            EXPECT_EQ(before[r], r * (r + 1) / 2) << block;
            EXPECT_EQ(long_sums[r], n << 40U) << block;
            EXPECT_EQ(float_sums[r], 0.5F * static_cast<float>(n)) << block;
            EXPECT_EQ(double_sums[r], -0.25 * static_cast<double>(n)) << block;
            EXPECT_EQ(largest_floats[r], 0.5F) << block;
            EXPECT_EQ(largest_doubles[r], -0.25) << block;
            EXPECT_EQ(reversed[r], n - r) << block;
        }
    }
}

TEST(Group, one_thread_is_its_own_sum) {
    run_serial(64, [](SerialGroup& g) {
        EXPECT_EQ(g.sum(3.5F), 3.5F);
        EXPECT_EQ(g.max(7U), 7U);
        EXPECT_EQ(g.exclusive_sum(9), 0U);
        const std::uint32_t* const memory = g.shared<std::uint32_t>(2);
        EXPECT_EQ(memory[1], 0xffffffffU);
    });
}

TEST(Group, shared_memory_starts_as_rubbish_in_every_block) {
    std::vector<std::uint32_t> seen(6);
    run_fibers({.width = 3}, 2, [&](FiberGroup& g, int block) {
        std::uint32_t* const memory = g.shared<std::uint32_t>(3);
        seen[static_cast<std::size_t>(3 * block + g.rank())] = memory[g.rank()];
        memory[g.rank()] = 0;
    });
    EXPECT_EQ(seen, std::vector<std::uint32_t>(6, 0xffffffffU));
}

TEST(Group, blocks_of_a_launch_have_their_own_memory_and_number) {
    std::vector<int> sums(5);
    run_fibers({.width = 32, .schedule = Schedule::random}, 5, [&](FiberGroup& g, int block) {
        int* const numbers = g.shared<int>(32);
        numbers[g.rank()] = block * g.rank();
        g.sync();
        if (g.rank() == 0) sums[static_cast<std::size_t>(block)] = std::accumulate(numbers, numbers + 32, 0);
    });
    EXPECT_EQ(sums, (std::vector<int>{0, 496, 992, 1488, 1984}));
}

TEST(Group, a_body_that_asks_for_too_much_memory_is_refused) {
    EXPECT_TRUE(
        refuses([] { run_serial(64, [](SerialGroup& g) { static_cast<void>(g.shared<float>(17)); }); },
                ErrorCode::internal, {"68 bytes of 64"}));
    EXPECT_TRUE(refuses(
        [] {
            run_block({.width = 2, .shared_bytes = 64},
                      [](FiberGroup& g) { static_cast<void>(g.shared<float>(17)); });
        },
        ErrorCode::internal, {"68 bytes of 64"}));
    EXPECT_TRUE(
        refuses([] { run_block({.width = 1025}, [](FiberGroup&) {}); }, ErrorCode::internal, {"1025"}));
}

struct Guard { // notes that its thread was unwound
    char* left;
    ~Guard() { *left = 1; }
};

TEST(Group, what_a_thread_throws_comes_out_and_the_others_are_unwound) {
    for (const FiberOptions& block : blocks_of(32)) {
        std::vector<char> begun(32);
        std::vector<char> left(32);
        EXPECT_TRUE(refuses(
            [&] {
                run_block(block, [&](FiberGroup& g) {
                    const auto r = static_cast<std::size_t>(g.rank());
                    const Guard guard{&left[r]};
                    begun[r] = 1;
                    if (r == 5) throw Error(ErrorCode::bad_weight, "thread 5");
                    g.sync();
                });
            },
            ErrorCode::bad_weight, {"thread 5"}));
        EXPECT_EQ(left, begun) << block;
        EXPECT_EQ(begun[5], 1);
    }
}

} // namespace
