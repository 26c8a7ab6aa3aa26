// Running a reader over a layer: which observations have a certificate, and that nobody's order shows.
#include "lib/reader/measure.hpp"
#include "tests/reader/layers.hpp"

#include <gtest/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

constexpr Sizes sizes{.kv_heads = 2, .query_heads = 4, .dim = 8, .tokens = 40, .queries = 35};

Measured measured(const std::string& name, int index, const Executor& executor) {
    const CaptureLayer layer = random_layer(sizes, 1);
    const CaptureLayer calibration = random_layer(sizes, 2);
    QueryRows rows(sizes.queries);
    for (int i = 0; i < sizes.queries; ++i) rows[i] = i;
    return measure(*make_reader(name, 5), {layer, &calibration, index}, settings_for(sizes.dim), rows, true,
                   {}, executor, [] {});
}

/// With +protect of five layers only the middle one is compressed; once its certificate was dropped because
/// the others have none.
TEST(Measure, certifies_the_layers_that_are_compressed) {
    for (const int index : {0, 1, 3, 4})
        for (const Certified& row : measured("readkv:8,4+protect", index, run_in_order).rows) {
            EXPECT_FALSE(row.certified);
            EXPECT_EQ(row.error_sq, 0);
            EXPECT_EQ(row.layer, index);
        }
    const Measured middle = measured("readkv:8,4+protect", 2, run_in_order);
    EXPECT_EQ(middle.rows.size(), 35 * 4U);
    for (const Certified& row : middle.rows) {
        EXPECT_TRUE(row.certified);
        EXPECT_GT(row.error_sq, 0);
        EXPECT_GE(row.sharp_bound, row.error_sq);
    }
    for (const Certified& row : measured("kivi:2", 2, run_in_order).rows) EXPECT_FALSE(row.certified);
}

TEST(Measure, does_not_depend_on_the_order_of_tasks) {
    const Executor backwards = [](std::size_t count, const std::function<void(std::size_t)>& task) {
        for (std::size_t i = count; i-- > 0;) task(i);
    };
    const Measured one = measured("readkv:8,2", 0, run_in_order);
    const Measured other = measured("readkv:8,2", 0, backwards);
    ASSERT_EQ(one.rows.size(), other.rows.size());
    EXPECT_EQ(one.bits_read, other.bits_read);
    for (std::size_t i = 0; i < one.rows.size(); ++i) {
        EXPECT_EQ(one.rows[i].position, other.rows[i].position);
        EXPECT_EQ(one.rows[i].sharp_bound, other.rows[i].sharp_bound);
        EXPECT_EQ(one.rows[i].kappa_v, other.rows[i].kappa_v);
    }
}

} // namespace
