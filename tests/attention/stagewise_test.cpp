// Theorem 3 (E.4) on captured attention: what the reader's two schedules collect against the exact optimum of
// both stages, as rationals of the doubles that the reader holds; and the summed certificate.
#include "lib/allocate/prefix_gain.hpp"
#include "lib/attention/certificate.hpp"
#include "tests/attention/reader_case.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <numeric>

using namespace kvproof;
using namespace kvproof::test;

namespace {

/// A test capture and the one it is calibrated on: those that come with the tests, or the shared ones.
std::optional<std::pair<Capture, Capture>> byte64() {
    const std::filesystem::path root(KVPROOF_SOURCE_DIR);
    for (const auto& folder : {root / "tests/data/captures", root / "../shared/data/captures"})
        if (std::filesystem::exists(folder / "byte64_test.safetensors") &&
            std::filesystem::exists(folder / "byte64_calib.safetensors"))
            return std::pair(Capture(folder / "byte64_test.safetensors"),
                             Capture(folder / "byte64_calib.safetensors"));
    return std::nullopt;
}

/// Times a power of two that makes every double an integer: ratios stay, and sums need no common
/// denominators.
Rational whole(double x) {
    static const Rational scale = power(Rational(2), 1080);
    return rational_from(x) * scale;
}

/// a_i Delta_t for all levels of an item, exactly, times 2^2160.
Item exact_item(double weight, const Vector& gains) {
    Item out;
    for (const double gain : gains) out.push_back({whole(weight) * whole(gain), 1});
    return out;
}

Rational collected(const Vector& weights, const Vector& gains, const std::vector<std::uint8_t>& depths) {
    Rational sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        Rational levels = 0;
        for (std::size_t t = 0; t < depths[i]; ++t) levels += whole(gains[t]);
        sum += whole(weights[i]) * levels;
    }
    return sum;
}

/// The most that B increments collect, prefixes or not, of gains that do not rise: a prefix's levels are its
/// largest, so no order is in the way (Proposition 8).
Rational best_of_all(const Vector& weights, const Vector& gains, std::uint64_t budget) {
    std::vector<Rational> all;
    for (const double weight : weights)
        for (const Refinement& level : exact_item(weight, gains)) all.push_back(level.gain);
    return largest_gains(std::move(all), budget);
}

/// best - collected over best: 0, or what rounding the products to doubles costs where two nearly tie.
Rational gap_of(const Rational& best, const Vector& weights, const Vector& gains, const Schedule& schedule) {
    if (best == 0) return 0;
    return (best - collected(weights, gains, schedule.depths)) / best;
}

ReaderCase case_of(const CaptureLayer& layer, const CaptureLayer& calibration, int row) {
    const auto d = static_cast<std::size_t>(layer.shape.dim);
    const Transform keys = Transform::hadamard(d, 0, 0);
    const Transform values = Transform::hadamard(d, 0, 1);
    return {layer, keys, values, shipped_code(), calibrate(calibration, keys, values), layer.queries_at(row)};
}

struct Rows {
    std::vector<std::pair<int, int>> at; ///< layer, query row
};

Rows seeded_rows(const CaptureShape& shape, std::size_t count) {
    std::mt19937_64 next(20260101);
    Rows out;
    for (std::size_t i = 0; i < count; ++i)
        out.at.emplace_back(static_cast<int>(next() % static_cast<std::uint64_t>(shape.layers)),
                            static_cast<int>(next() % static_cast<std::uint64_t>(shape.queries)));
    return out;
}

TEST(Stagewise, schedules_of_captures_are_optimal) {
    const auto captures = byte64();
    if (!captures) GTEST_SKIP() << "no byte64 captures here";
    Rational worst = 0;
    int positive = 0;
    for (const auto& [index, row] : seeded_rows(captures->first.shape(), 6).at) {
        const CaptureLayer layer = captures->first.layer(index);
        const ReaderCase input = case_of(layer, captures->second.layer(index), row);
        for (const int rate : {2, 4}) {
            Answered answered(input, adaptive_policy({rate, rate}, input.code.gain, false));
            const TwoStageCall& call = answered.run(input, layer.shape.position(row) + 1);
            for (const auto& [weights, schedule] : {std::pair(&call.key_weights, &call.key_schedule),
                                                    std::pair(&call.value_weights, &call.value_schedule)}) {
                EXPECT_EQ(schedule->spent, std::accumulate(schedule->depths.begin(), schedule->depths.end(),
                                                           std::uint64_t{0}));
                EXPECT_LE(schedule->spent, schedule->requested);
                const Rational best = best_of_all(*weights, input.code.gain, schedule->requested);
                const Rational gap = gap_of(best, *weights, input.code.gain, *schedule);
                EXPECT_GE(gap, 0);
                // products that round alike or past each other differ by a part in 2^52
                EXPECT_LE(gap, power(Rational(2), -52)) << index << " " << row;
                if (gap > 0) ++positive;
                worst = std::max(worst, gap);

                // a mutant: the last level of the deepest item to the shallowest
                Schedule moved = *schedule;
                const auto deep = std::max_element(moved.depths.begin(), moved.depths.end());
                const auto shallow = std::min_element(moved.depths.begin(), moved.depths.end());
                if (*deep - *shallow > 1) {
                    --*deep;
                    ++*shallow;
                    EXPECT_GT(gap_of(best, *weights, input.code.gain, moved), gap);
                }
            }
        }
    }
    RecordProperty("stages_with_a_gap", positive);
    RecordProperty("largest_gap", std::to_string(worst.convert_to<double>()));
}

/// Any prefixes at all, by the dynamic program: it does not know that gains fall.
TEST(Stagewise, parts_of_schedules_are_the_dynamic_programs) {
    const auto captures = byte64();
    if (!captures) GTEST_SKIP() << "no byte64 captures here";
    for (const auto& [index, row] : seeded_rows(captures->first.shape(), 3).at) {
        const CaptureLayer layer = captures->first.layer(index);
        const ReaderCase input = case_of(layer, captures->second.layer(index), row);
        Answered answered(input, adaptive_policy({2, 2}, input.code.gain, false));
        const TwoStageCall& call = answered.run(input, layer.shape.position(row) + 1);
        for (const Vector* const all : {&call.key_weights, &call.value_weights}) {
            Vector weights; // every so many, and the largest
            for (std::size_t i = 0; i < 20 && i < all->size(); ++i)
                weights.push_back((*all)[i * all->size() / 20]);
            weights.push_back(*std::max_element(all->begin(), all->end()));
            std::vector<Item> items;
            for (const double weight : weights) items.push_back(exact_item(weight, input.code.gain));
            for (const std::uint64_t budget : {1U, 17U, 40U, 100U}) {
                std::vector<std::uint8_t> depths(weights.size());
                AllocationWorkspace workspace;
                (void)choose_depths(weights, input.code.gain, budget, depths, workspace);
                const Rational best = best_gain(items, budget);
                EXPECT_EQ(best, best_of_all(weights, input.code.gain, budget));
                const Rational found = collected(weights, input.code.gain, depths);
                EXPECT_LE(found, best);
                EXPECT_GE(found, best * (1 - power(Rational(2), -52)));
            }
        }
    }
}

/// sum_h S_h is the grouped objective, and sum_h ||o_h - o^_h||^2 <= beta_K sum S_K + beta_V sum S_V.
TEST(Stagewise, errors_of_captures_are_within_the_summed_certificate) {
    const auto captures = byte64();
    if (!captures) GTEST_SKIP() << "no byte64 captures here";
    for (const auto& [index, row] : seeded_rows(captures->first.shape(), 4).at) {
        const CaptureLayer layer = captures->first.layer(index);
        const ReaderCase input = case_of(layer, captures->second.layer(index), row);
        Answered answered(input, adaptive_policy({4, 4}, input.code.gain, false), ValueScale::variance);
        const int tokens = layer.shape.position(row) + 1;
        const TwoStageCall& call = answered.run(input, tokens);
        const ExactLayer exact(input.layer, input.keys, input.values);
        Certifier certifier(exact, answered.reader, {});
        std::vector<Certified> rows;
        certifier.certify(input.queries, call, rows);
        long double error = 0, keys = 0, values = 0, beta_k = 0, beta_v = 0, grouped_k = 0, grouped_v = 0;
        for (const Certified& one : rows) {
            error += one.error_sq;
            keys += one.s_k;
            values += one.s_v;
            beta_k = std::max(beta_k, 0.5L * one.centre_norm_sq * one.kappa_k * one.gamma_k);
            beta_v = std::max(beta_v, 2.0L * one.kappa_v * one.gamma_v);
            EXPECT_LE(one.error_sq, one.sharp_bound);
            EXPECT_LE(one.sharp_bound, one.bound);
        }
        for (std::size_t i = 0; i < call.key_weights.size(); ++i)
            grouped_k += call.key_weights[i] * input.code.distortion[call.key_schedule.depths[i]];
        for (std::size_t i = 0; i < call.value_weights.size(); ++i)
            grouped_v += call.value_weights[i] * input.code.distortion[call.value_schedule.depths[i]];
        grouped_k *= static_cast<long double>(tokens) / layer.shape.dim;
        EXPECT_NEAR(static_cast<double>(keys / grouped_k), 1, 1e-12);
        EXPECT_NEAR(static_cast<double>(values / grouped_v), 1, 1e-12);
        EXPECT_LE(error, beta_k * keys + beta_v * values);
    }
}

} // namespace
