// Every printed reads and capacity cell of ReadKV, from lib/account and from the oracle, and the mutants:
// each number of the rules, changed a little, must miss a cell that it decides.
#include "tests/account/cells.hpp"
#include "tests/account/oracle.hpp"

#include <gtest/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

Rational accounted(const Cell& cell) {
    return cell.quantity == "reads" ? reads_percent(cell.system, cell.model, {1, cell.length, cell.length})
                                    : capacity_percent(cell.system, cell.model, cell.length);
}

/// The same by counting.
Rational counted(const Cell& cell, const Assumptions& rules = {}) {
    const ModelGeometry& model = cell.model;
    const Count dense_layers = cell.system.protect ? rules.dense_layers_of_protect : 0;
    const Count compressed = model.layers - dense_layers;
    Rational bits = 0;
    Rational dense = 0;
    const auto add = [&](Count t, bool read) {
        const Counted here = count(cell.system, model.layer, t, rules);
        const Count full = count(System{}, model.layer, t).read;
        bits += Rational(compressed) * (read ? here.read : here.stored + here.layer) +
                Rational(dense_layers) * full;
        if (!read) bits += Rational(here.model) * (rules.tables_in_each_layer ? compressed : 1);
        dense += Rational(model.layers) * full;
    };
    if (cell.quantity == "capacity") add(cell.length, false);
    for (Count t = 1; cell.quantity == "reads" && t <= cell.length; ++t) add(t, true);
    return 100 * bits / dense;
}

std::size_t misses(const Assumptions& rules) {
    std::size_t count = 0;
    for (const Cell& cell : printed_cells())
        if (cell.quantity == "capacity" && !rounds_to(counted(cell, rules), cell.printed)) ++count;
    return count;
}

TEST(Tables, there_are_282_cells) {
    std::map<std::string, int> numbers;
    for (const Cell& cell : printed_cells()) ++numbers[cell.table + cell.quantity];
    const std::map<std::string, int> expected = {{"2reads", 48},    {"2capacity", 48}, {"6reads", 29},
                                                 {"6capacity", 29}, {"3capacity", 48}, {"7capacity", 48},
                                                 {"8capacity", 32}};
    EXPECT_EQ(numbers, expected);
}

TEST(Tables, every_cell_is_accounted_for_and_counted_alike) {
    for (const Cell& cell : printed_cells()) {
        const Rational value = accounted(cell);
        EXPECT_TRUE(rounds_to(value, cell.printed))
            << cell.place << ": printed " << cell.printed << ", found " << value;
        EXPECT_EQ(value, counted(cell)) << cell.place;
    }
}

TEST(Tables, rounding_takes_a_half_upwards) {
    EXPECT_TRUE(rounds_to(Rational(2505, 100), "25.1"));
    EXPECT_FALSE(rounds_to(Rational(2505, 100), "25.0"));
    EXPECT_FALSE(rounds_to(Rational(25049, 1000), "25.1"));
    EXPECT_TRUE(rounds_to(Rational(100), "100.0"));
}

/// A mutant of the rules must miss a cell of capacity; `every_cell...` shows that the rules themselves miss
/// none.
TEST(Tables, mutants_that_capacity_tells) {
    EXPECT_EQ(misses({}), 0U);
    EXPECT_GT(misses({.kivi_residual = 127}), 0U);
    EXPECT_GT(misses({.kivi_residual = 129}), 0U);
    EXPECT_GT(misses({.kivi_group_bits = 16}), 0U);
    EXPECT_GT(misses({.centroids = 2 * 31}), 0U); // of the depths that W = 4 needs
    EXPECT_GT(misses({.centroids = 0}), 0U);
    EXPECT_GT(misses({.tables_in_each_layer = true}), 0U);
    EXPECT_GT(misses({.calibration_numbers = 2}), 0U);
    EXPECT_GT(misses({.calibration_numbers = 5}), 0U);
    EXPECT_GT(misses({.norm_bits = 0}), 0U);
    EXPECT_GT(misses({.turboquant_value_bits = 16}), 0U);
    EXPECT_GT(misses({.mean_state_bits = 0}), 0U);
    EXPECT_GT(misses({.dense_layers_of_protect = 2}), 0U);
}

bool reads_miss(const std::string& system, const Assumptions& rules) {
    for (const Cell& cell : printed_cells())
        if (cell.quantity == "reads" && cell.system.name == system &&
            !rounds_to(counted(cell, rules), cell.printed))
            return true;
    return false;
}

TEST(Tables, mutants_that_reads_tell) {
    EXPECT_TRUE(reads_miss("full:4", {.centroids = 31})); // a call loads the table of all depths, whatever W
    EXPECT_TRUE(reads_miss("readkv:8,2", {.centroids = 255})); // the centroids of depth 8 and no others: 256
    EXPECT_TRUE(reads_miss("readkv:8,2", {.calibration_numbers = 3}));
    EXPECT_TRUE(reads_miss("kivi:2", {.kivi_residual = 126}));
    EXPECT_TRUE(reads_miss("sparq:32,128", {.current_token_beyond_k = false, .mean_state_bits = 0}));
}

} // namespace
