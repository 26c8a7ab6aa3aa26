// Both separations: codes of readers that do not see the query against brute force, and what the experiments
// say against closed forms and the theorems' bounds.
#include "sim/montecarlo/scalar_codes.hpp"
#include "tests/montecarlo/estimates.hpp"

#include "lib/random/random_stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

std::vector<double> numbers(std::uint64_t trial, std::size_t count) {
    RandomStream stream({3, trial, 1000, 0});
    std::vector<double> out(count);
    for (double& entry : out) entry = stream.symmetric();
    return out;
}

double squared_distance(const std::vector<double>& a, const std::vector<double>& b) {
    double out = 0;
    for (std::size_t i = 0; i < a.size(); ++i) out += (a[i] - b[i]) * (a[i] - b[i]);
    return out;
}

TEST(UniformLevels, are_the_nearest) {
    for (const double z : numbers(0, 200))
        for (int bits = 1; bits <= 5; ++bits) {
            double best = 2;
            for (int k = 0; k < 1 << bits; ++k)
                best = std::min(best, std::fabs(z - (-1 + (2 * k + 1) / std::ldexp(1.0, bits))));
            EXPECT_EQ(std::fabs(z - uniform_level(z, bits)), best);
        }
    EXPECT_EQ(uniform_level(-1, 2), -0.75);
    EXPECT_EQ(uniform_level(1, 2), 0.75);
}

/// Every reconstruction that so many bits from state 0 can name: from z0(t) = z0(t-1) + z0(t-3) + u(t-2)
/// itself, the path's bits u before time 0 being 0.
double best_by_enumeration(const std::vector<double>& z, int bits) {
    const auto n = static_cast<unsigned>(z.size());
    const int levels = 1 << (bits + 1);
    double best = std::numeric_limits<double>::infinity();
    for (unsigned path = 0; path < 1U << n; ++path) {
        std::vector<int> z0(n + 3, 0); // z0[t + 3]
        double sum = 0;
        const auto u = [&](int t) { return t < 0 ? 0 : static_cast<int>(path >> t & 1U); };
        for (int t = 0; t < static_cast<int>(n); ++t) {
            if (t > 0) z0[t + 3] = (z0[t + 2] + z0[t] + u(t - 2)) % 2;
            double nearest = std::numeric_limits<double>::infinity();
            for (int level = 2 * u(t) + z0[t + 3]; level < levels; level += 4) {
                const double off = z[t] - (-1 + (2 * level + 1) / static_cast<double>(levels));
                nearest = std::min(nearest, off * off);
            }
            sum += nearest;
        }
        best = std::min(best, sum);
    }
    return best;
}

TEST(TrellisCode, finds_the_best_of_all_paths) {
    for (std::uint64_t trial = 0; trial < 20; ++trial)
        for (int bits = 1; bits <= 3; ++bits) {
            const std::vector<double> z = numbers(trial, 10);
            std::vector<double> out(z.size());
            trellis_code(z, bits, out);
            EXPECT_NEAR(squared_distance(z, out), best_by_enumeration(z, bits), 1e-12) << trial;
            EXPECT_LE(squared_distance(z, out), static_cast<double>(z.size()) * trellis_limit(bits));
        }
}

/// At one bit, where four levels are all there is, it does not.
TEST(TrellisCode, beats_even_levels_at_the_same_rate) {
    for (int bits = 2; bits <= 4; ++bits) {
        const std::vector<double> z = numbers(77, 4000);
        std::vector<double> out(z.size());
        trellis_code(z, bits, out);
        const double even = std::ldexp(1.0, -2 * bits) / 3; // of uniform numbers
        EXPECT_LT(squared_distance(z, out) / 4000, 0.95 * even) << bits;
        EXPECT_GT(squared_distance(z, out) / 4000, std::pow(2, 1 - 2 * bits) / (M_PI * M_E)) << bits;
    }
}

TEST(KeySeparation, competitors_are_above_the_converse_and_the_reader_below) {
    for (const auto& settings : {std::vector<std::string>{},
                                 {"d=16", "k=4"},
                                 {"d=12", "k=3", "transform=identity"},
                                 {"d=16", "k=4", "rate=3", "L=5"}}) {
        const Task task = make_task("key-separation", settings, 0, {});
        const Sums sums = run_range(task, 0, 512);
        const double converse = reference(task, "converse");
        const Estimate readkv = estimate_of(task, sums, "readkv");
        EXPECT_LE(*readkv.greatest, reference(task, "upper") * (1 + 1e-9));
        EXPECT_EQ(*estimate_of(task, sums, "readkv_violations").mean, 0);
        for (const char* name : {"uniform", "trellis", "nested"})
            EXPECT_GT(*estimate_of(task, sums, name).upper, converse) << name;
        if (settings.empty()) { // it takes some tens of coordinates until the path's first state is forgotten
            EXPECT_LT(*estimate_of(task, sums, "trellis").mean, *estimate_of(task, sums, "uniform").mean);
        }
        EXPECT_LT(*readkv.mean, *estimate_of(task, sums, "trellis").lower);
        const int rate = settings.size() == 4 ? 3 : 2;
        const Estimate even = estimate_of(task, sums, "uniform");
        EXPECT_LE(*even.lower, std::ldexp(1.0, -2 * rate) / 3); // its mean, exactly
        EXPECT_GE(*even.upper, std::ldexp(1.0, -2 * rate) / 3);
    }
}

TEST(KeySeparation, references_are_the_theorems) {
    const Task task = make_task("key-separation", {}, 0, {});
    EXPECT_NEAR(reference(task, "converse"), 1 / (8 * M_PI * M_E), 1e-15);
    EXPECT_LT(reference(task, "upper"), 32 * 0.0097 * 0.0097);
    EXPECT_GT(reference(task, "converse") / reference(task, "upper"), 4.85); // readkv.thm1.instance
}

TEST(AttentionSeparation, competitors_are_above_the_converse_and_the_reader_below) {
    for (const char* m : {"m=1", "m=2", "m=8"}) {
        const Task task = make_task("attention-separation", {m}, 0, {});
        const Sums sums = run_range(task, 0, 2048);
        EXPECT_LT(reference(task, "upper"), 9.50e-5);
        EXPECT_GT(reference(task, "converse"), 2.28e-4);
        EXPECT_EQ(*estimate_of(task, sums, "readkv_violations").mean, 0) << m;
        EXPECT_EQ(*estimate_of(task, sums, "misread").mean, 0) << m;
        EXPECT_GT(*estimate_of(task, sums, "trellis").upper, reference(task, "converse")) << m;
        const Estimate even = estimate_of(task, sums, "uniform");
        // p^2 + rho^2 of the mean over uniform numbers
        const double rho = 1 / (1 + std::exp(10.0));
        const double mean = ((1 - rho) * (1 - rho) + rho * rho) * std::ldexp(1.0, -8) / 3;
        EXPECT_LE(*even.lower, mean) << m;
        EXPECT_GE(*even.upper, mean) << m;
    }
}

} // namespace
