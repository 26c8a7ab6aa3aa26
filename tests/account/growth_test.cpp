// Sums in closed form against sums by a loop.
#include "lib/account/growth.hpp"

#include "tests/account/generators.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

Growth any_growth() {
    const Rational rate(any(0, 400), any(1, 60));
    switch (any(0, 5)) {
    case 0: return {};
    case 1: return Growth::tokens(rate);
    case 2: return Growth::pairs(rate);
    case 3: return Growth::latest(any(1, 300));
    case 4: return Growth::open_block(any(1, 300));
    default: {
        const long limit = any(1, 300);
        return Growth::window(limit, any(1, limit));
    }
    }
}

RC_GTEST_PROP(Growth, a_sum_is_the_sum_of_its_values, ()) {
    const Growth growth = any_growth();
    const long last = any(0, 3000);
    Integer sum = 0;
    for (long t = 1; t <= last; ++t) {
        sum += value_at(growth, t);
        if (t % 97 == 0) RC_ASSERT(sum_to(growth, t) == sum);
    }
    RC_ASSERT(sum_to(growth, last) == sum);
}

RC_GTEST_PROP(Growth, one_more_call_adds_its_value, ()) { // where no loop reaches
    const Growth growth = any_growth();
    const long t = any(1, 1'000'000'000);
    RC_ASSERT(sum_to(growth, t) - sum_to(growth, t - 1) == value_at(growth, t));
}

/// The tokens themselves: one joins, and the oldest leave after the call that finds the window full.
RC_GTEST_PROP(Growth, a_window_is_what_a_queue_does, ()) {
    const long limit = any(1, 60);
    const long step = any(1, limit);
    long held = 0;
    for (long t = 1; t <= 4 * limit; ++t) {
        ++held;
        RC_ASSERT(value_at(Growth::window(limit, step), t) == held);
        RC_ASSERT(value_at(Growth::latest(limit), t) == std::min(t, limit));
        RC_ASSERT(value_at(Growth::open_block(limit), t) == (t - 1) % limit + 1);
        if (held == limit) held -= step;
    }
}

TEST(Growth, values_at_the_edges) {
    const Growth block = Growth::open_block(128);
    EXPECT_EQ(value_at(block, 1), 1);
    EXPECT_EQ(value_at(block, 128), 128); // the block is full, and quantised only after this call
    EXPECT_EQ(value_at(block, 129), 1);
    EXPECT_EQ(value_at(Growth::latest(128), 128), 128);
    EXPECT_EQ(value_at(Growth::latest(128), 129), 128);
    EXPECT_EQ(value_at(Growth::pairs(), 7), 4);
    EXPECT_EQ(value_at(Growth::tokens(Rational(5, 2)), 3), 7);
    EXPECT_EQ(sum_to(Growth::tokens(), 2048), Integer(2048) * 2049 / 2);
    for (const Growth& growth : {Growth{}, Growth::tokens(), Growth::pairs(), Growth::latest(3), block})
        EXPECT_EQ(sum_to(growth, 0), 0);
}

TEST(Growth, a_sum_of_floors_is_not_the_floor_of_the_sum) {
    EXPECT_EQ(sum_of_floors(Rational(1, 2), 4), 0 + 1 + 1 + 2);
    EXPECT_EQ(sum_of_floors(Rational(7, 3), 3), 2 + 4 + 7);
    EXPECT_EQ(sum_of_floors(0, 10), 0);
}

} // namespace
