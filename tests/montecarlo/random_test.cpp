// Distributions: known points, exact facts about the lattice, and their laws by the
// Dvoretzky-Kiefer-Wolfowitz inequality (odds of 1e-9 that a right law fails, before the seed was fixed).
#include "lib/random/distributions.hpp"

#include "lib/portable/philox.hpp"
#include "lib/random/philox.hpp"
#include "lib/random/random_stream.hpp"

#include <gtest/gtest.h>
#include <mpfr.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace kvproof;

namespace {

RC_GTEST_PROP(PortablePhilox, equals_the_library,
              (std::uint64_t seed, std::uint64_t trial, std::uint32_t sample)) {
    const std::array<std::uint32_t, 4> expected = random_block({seed, trial, 48, 1}, sample);
    std::uint32_t c[4] = {static_cast<std::uint32_t>(trial), static_cast<std::uint32_t>(trial >> 32U),
                          (48U << 16U) | 1U, sample};
    portable::philox_rounds(c[0], c[1], c[2], c[3], static_cast<std::uint32_t>(seed),
                            static_cast<std::uint32_t>(seed >> 32U));
    RC_ASSERT(std::equal(expected.begin(), expected.end(), c));
}

/// |cos, sin of 2 pi turn - the truth|, the truth by MPFR.
std::pair<double, double> sincos_errors(double turn) {
    mpfr_t angle, truth;
    mpfr_inits2(200, angle, truth, nullptr);
    mpfr_const_pi(angle, MPFR_RNDN);
    mpfr_mul_d(angle, angle, turn, MPFR_RNDN);
    mpfr_mul_2ui(angle, angle, 1, MPFR_RNDN);
    double c = 0;
    double s = 0;
    portable::cos_sin_turn(turn, c, s);
    mpfr_cos(truth, angle, MPFR_RNDN);
    mpfr_sub_d(truth, truth, c, MPFR_RNDN);
    const double off_cosine = std::fabs(mpfr_get_d(truth, MPFR_RNDN));
    mpfr_sin(truth, angle, MPFR_RNDN);
    mpfr_sub_d(truth, truth, s, MPFR_RNDN);
    const double off_sine = std::fabs(mpfr_get_d(truth, MPFR_RNDN));
    mpfr_clears(angle, truth, nullptr);
    return {off_cosine, off_sine};
}

TEST(CosSinTurn, keeps_its_bound_and_comes_near_it) {
    double worst = 0;
    RandomStream stream({1, 2, 3, 4});
    for (int i = 0; i < 200000; ++i) {
        const double turn = uniform53(stream.word(), stream.word());
        const auto [c, s] = sincos_errors(turn);
        worst = std::max({worst, c, s});
    }
    EXPECT_LE(worst, portable::sincos_error);
    EXPECT_GE(worst, portable::sincos_error / 8);
}

TEST(CosSinTurn, quarter_turns_are_exact_and_eighths_are_continuous) {
    const double cosines[] = {1, 0, -1, 0, 1};
    const double sines[] = {0, 1, 0, -1, 0};
    for (int k = 0; k <= 4; ++k) {
        double c = 2;
        double s = 2;
        portable::cos_sin_turn(k / 4.0, c, s);
        EXPECT_EQ(c, cosines[k]);
        EXPECT_EQ(s, sines[k]);
    }
    for (int k = 1; k < 16; ++k)
        for (const double turn : {std::nextafter(k / 16.0, 0), k / 16.0, std::nextafter(k / 16.0, 1)}) {
            const auto [c, s] = sincos_errors(turn);
            EXPECT_LE(std::max(c, s), portable::sincos_error) << turn;
        }
}

TEST(Uniform, lattices_and_their_ends) {
    const std::uint32_t ones = 0xffffffff;
    EXPECT_EQ(uniform53(0, 0), 0);
    EXPECT_EQ(uniform53(ones, ones), 1 - 0x1p-53);
    EXPECT_EQ(uniform53(0, 1U << 6U), 0x1p-53); // the step
    EXPECT_EQ(uniform53(1U << 5U, 0), 0x1p-27);
    EXPECT_EQ(uniform24(ones), 1 - 0x1p-24);
    EXPECT_EQ(uniform24(1U << 8U), 0x1p-24);
    EXPECT_EQ(symmetric53(ones, ones), 1 - 0x1p-53);
    EXPECT_EQ(symmetric53(0, 0), -(1 - 0x1p-53));
    EXPECT_EQ(symmetric53(1U << 31U, 0), 0x1p-53); // zero is not taken
    EXPECT_EQ(sign_of(0), 1);
    EXPECT_EQ(sign_of(1), -1);
}

RC_GTEST_PROP(Uniform, symmetric_means_symmetric, (std::uint32_t high, std::uint32_t low)) {
    RC_ASSERT(symmetric53(high, low) == -symmetric53(~high, ~low));
}

constexpr std::size_t draws = 1 << 18;

/// The largest distance of an empirical distribution function from a continuous law's. By DKW with Massart's
/// constant it exceeds `dkw_limit` with odds below 1e-9.
double distance(std::vector<double> samples, const std::function<double(double)>& law) {
    std::ranges::sort(samples);
    double out = 0;
    const auto n = static_cast<double>(samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const double p = law(samples[i]);
        out = std::max({out, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
    }
    return out;
}

double dkw_limit() {
    return std::sqrt(std::log(2 / 1e-9) / (2 * static_cast<double>(draws)));
}

std::vector<double> normals(double scale = 1) {
    std::vector<double> out;
    for (std::uint32_t i = 0; out.size() < draws; ++i) {
        const auto w = random_block({7, 0, 1, 0}, i);
        double first = 0;
        double second = 0;
        normal_pair(w[0], w[1], w[2], w[3], first, second);
        out.push_back(scale * first);
        out.push_back(scale * second);
    }
    return out;
}

double normal_law(double x) {
    return std::erfc(-x / std::sqrt(2.0)) / 2;
}

TEST(Laws, normal) {
    EXPECT_LE(distance(normals(), normal_law), dkw_limit());
    EXPECT_GT(distance(normals(1.05), normal_law), dkw_limit()); // 0.012 apart
}

TEST(Laws, both_normals_of_a_pair_are_independent) {
    // (x + y)/sqrt(2) and (x - y)/sqrt(2) would not be normal otherwise
    const std::vector<double> all = normals();
    for (const double sign : {1.0, -1.0}) {
        std::vector<double> mixed;
        for (std::size_t i = 0; i < all.size(); i += 2) {
            mixed.push_back((all[i] + sign * all[i + 1]) / std::sqrt(2.0));
            mixed.push_back(-mixed.back()); // DKW for half as many, of a symmetric law
        }
        EXPECT_LE(distance(mixed, normal_law), dkw_limit() * std::sqrt(2.0));
    }
}

TEST(Laws, uniform_and_laplace_and_signs) {
    std::vector<double> uniforms;
    std::vector<double> wide;
    int sum = 0;
    for (std::uint32_t i = 0; uniforms.size() < draws; ++i) {
        const auto w = random_block({8, 0, 1, 0}, i);
        uniforms.push_back(uniform53(w[0], w[1]));
        wide.push_back(laplace(w[2], w[3]));
        sum += static_cast<int>(sign_of(w[0]));
    }
    EXPECT_LE(distance(uniforms, [](double x) { return x; }), dkw_limit());
    EXPECT_LE(distance(wide, [](double x) { return x < 0 ? std::exp(x) / 2 : 1 - std::exp(-x) / 2; }),
              dkw_limit());
    EXPECT_LE(std::abs(sum), std::sqrt(2 * draws * std::log(2 / 1e-9))); // Hoeffding
    EXPECT_GT(distance(wide, normal_law), dkw_limit());
}

TEST(Laws, a_stream_is_its_place_read_in_order) {
    const RandomPlace place{1, 2, 3, 4};
    RandomStream stream(place);
    for (std::uint32_t i = 0; i < 9; ++i) EXPECT_EQ(stream.word(), random_block(place, i / 4)[i % 4]);
    RandomStream again(place);
    const auto w = random_block(place, 0);
    EXPECT_EQ(again.symmetric(), symmetric53(w[0], w[1]));
    EXPECT_EQ(again.symmetric(), symmetric53(w[2], w[3]));
}

} // namespace
