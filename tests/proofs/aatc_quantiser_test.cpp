// What the registry says of AATC's quantisers, confirmed a second way: every half cell is visited in exact
// arithmetic (the rows hold closed forms and points), and normal laws are enclosed by step functions (the
// rows sum by parts, with erf and exp).
#include "tests/proofs/exact_quantiser.hpp"

#include "proofs/registry.hpp"
#include "tests/proofs/decided.hpp"

#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

constexpr long most_bits = 10;

TEST(AatcQuantiser, overloads_by_half_a_step_as_printed_and_not_when_repaired) {
    for (long bits = 0; bits <= most_bits; ++bits) {
        const ExactQuantiser printed = printed_quantiser(bits);
        const Rational step = printed.step;
        EXPECT_EQ(uniform_moments(printed, -1, 1).largest, step);
        EXPECT_EQ(abs(printed.error(1)), step); // attained where h/s = alpha
        EXPECT_EQ(uniform_moments(printed, -1, 1 - step / 2).largest, step / 2);
        EXPECT_GT(abs(printed.error(1 - step / 2 + step / 1000)), step / 2); // and no further
        EXPECT_EQ(uniform_moments(repaired_quantiser(bits), -1, 1).largest, step / 2);
    }
}

TEST(AatcQuantiser, mean_and_mean_square_of_a_uniform_input) {
    for (long bits = 0; bits <= most_bits; ++bits) {
        const Rational step = printed_quantiser(bits).step;
        const Rational codes = power(Rational(2), bits);
        const Moments printed = uniform_moments(printed_quantiser(bits), -1, 1);
        EXPECT_EQ(printed.mean, -step / (2 * codes));
        EXPECT_EQ(printed.mean_square, step * step / 12 * (1 + 3 / codes));
        const Moments repaired = uniform_moments(repaired_quantiser(bits), -1, 1);
        EXPECT_EQ(repaired.mean, 0);
        EXPECT_EQ(repaired.mean_square, step * step / 12);
    }
}

TEST(AatcQuantiser, definition_2_on_its_clipping_range_and_from_least_to_largest) {
    const Rational zero(-3, 7);
    const Rational step(2, 5);
    for (long bits = 0; bits <= most_bits; ++bits) {
        const ExactQuantiser quantiser = definition_2(bits, step, zero);
        const Rational codes = power(Rational(2), bits);
        const Rational end = zero + (codes - Rational(1, 2)) * step;
        const Moments all = uniform_moments(quantiser, zero - step / 2, end);
        EXPECT_EQ(all.largest, step / 2);
        EXPECT_EQ(all.mean_square, step * step / 12);
        EXPECT_GT(abs(quantiser.error(end + step / 1000)), step / 2);
        EXPECT_GT(abs(quantiser.error(zero - step / 2 - step / 1000)), step / 2);
        if (bits == 0) continue;
        const Rational range = (codes - 1) * step;
        const Moments minmax = uniform_moments(quantiser, zero, zero + range);
        EXPECT_EQ(minmax.mean_square, range * range / (12 * power(codes - 1, 2)));
        EXPECT_NE(minmax.mean_square, range * range / (12 * power(codes, 2))); // eq. (28)
    }
}

/// Each number of the quantiser, changed a little, gives other moments than the registry has.
TEST(AatcQuantiser, mutants_have_other_moments) {
    for (long bits = 1; bits <= 4; ++bits) {
        const auto differs = [&](const ExactQuantiser& mutant) {
            const Moments of = uniform_moments(printed_quantiser(bits), -1, 1);
            const Moments changed = uniform_moments(mutant, -1, 1);
            return of.mean != changed.mean || of.mean_square != changed.mean_square;
        };
        ExactQuantiser mutant = printed_quantiser(bits);
        EXPECT_FALSE(differs(mutant));
        mutant.highest += 1; // the level that is missing
        EXPECT_TRUE(differs(mutant));
        mutant = printed_quantiser(bits);
        mutant.lowest += 1;
        EXPECT_TRUE(differs(mutant));
        mutant = printed_quantiser(bits);
        mutant.shift = 0;
        EXPECT_TRUE(differs(mutant));
        mutant = printed_quantiser(bits);
        mutant.offset = Rational(1, 2);
        EXPECT_TRUE(differs(mutant));
    }
}

/// aatc.quantiser.zero_mean.value for laws on finitely many points, off the edges of cells.
RC_GTEST_PROP(AatcQuantiserProperty, the_mean_error_of_a_symmetric_law_counts_the_overload, ()) {
    const long bits = *rc::gen::inRange(0, 17);
    const ExactQuantiser printed = printed_quantiser(bits);
    const ExactQuantiser repaired = repaired_quantiser(bits);
    const auto weights = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 100)));
    Rational total = 0;
    Rational mean = 0;
    Rational mean_repaired = 0;
    Rational overload = 0;
    for (const int weight : weights) {
        // 3k/(3 2^17 + 1) is no multiple of Delta/2 but for k = 0, which is no boundary at 0 bits, and never
        // above 1
        const long k = *rc::gen::inRange(bits == 0 ? 0L : 1L, 1L << 17);
        const Rational u(3 * k, 3 * (1L << 17) + 1);
        total += 2 * weight;
        mean += weight * (printed.error(u) + printed.error(-u));
        mean_repaired += weight * (repaired.error(u) + repaired.error(-u));
        if (u >= 1 - printed.step / 2) overload += 2 * weight;
    }
    RC_ASSERT(mean / total == -printed.step / 2 * (overload / total));
    RC_ASSERT(mean_repaired == 0);
    RC_ASSERT(overload == 0 || mean < 0);
}

// ---- normal laws

constexpr Bits bits_of_sums = 96;

Interval density(const Rational& x) {
    const Interval square(x * x / 2, bits_of_sums);
    return exp(neg(square), bits_of_sums);
}

/// E(error^2 | |h| <= reach)/(Delta^2/12) for h standard normal, between step functions: on each short piece
/// the squared error and the density lie between their values at the ends (the error has one sign there or
/// vanishes at an end: pieces end at multiples of Delta/2). The density's constant cancels.
Interval enclosed_by_steps(long bits, long reach) {
    const ExactQuantiser quantiser = printed_quantiser(bits);
    const Rational step = quantiser.step * reach;
    constexpr long pieces = 1024; // of each half cell
    Interval weighted(Rational(0), bits_of_sums);
    Interval mass(Rational(0), bits_of_sums);
    for (long cell = 0; cell < 2 * (1L << bits); ++cell) {
        const Rational begin = Rational(-reach) + cell * step / 2;
        const Rational level = quantiser.level(begin / reach) * reach;
        for (long piece = 0; piece < pieces; ++piece) {
            const Rational left = begin + step / 2 * piece / pieces;
            const Rational right = begin + step / 2 * (piece + 1) / pieces;
            const Interval phi = hull(density(left), density(right));
            const Rational a = (level - left) * (level - left);
            const Rational b = (level - right) * (level - right);
            const Interval square = Interval::between(std::min(a, b), std::max(a, b), bits_of_sums);
            weighted = add(weighted, mul(square, phi, bits_of_sums), bits_of_sums);
            mass = add(mass, phi, bits_of_sums);
        }
    }
    return div(weighted, mul(mass, Interval(step * step / 12, bits_of_sums), bits_of_sums), bits_of_sums);
}

/// The bracket of a row's relation.
std::pair<Rational, Rational> bracket(const std::string& id, std::size_t relation) {
    const Formula formula = parse_formula(select_claims({id}).front().formula);
    const Formula& chain = *relations_of(formula)[relation];
    return {chain.terms.front().value(), chain.terms.back().value()};
}

/// The truth lies in both, and the step functions are tight: other bits' brackets lie outside.
TEST(AatcQuantiser, normal_laws_lie_in_the_brackets_of_the_registry) {
    const auto inside = [](const Interval& truth, const std::pair<Rational, Rational>& claimed) {
        return truth.lower_rational() < claimed.second && claimed.first < truth.upper_rational();
    };
    for (long bits = 1; bits <= 4; ++bits) {
        const Interval narrow = enclosed_by_steps(bits, 3);
        const Interval wide = enclosed_by_steps(bits, 4);
        EXPECT_LT(narrow.upper_rational() - narrow.lower_rational(), Rational(1, 100)) << bits;
        for (long other = 1; other <= 4; ++other) {
            EXPECT_EQ(inside(narrow, bracket("aatc.eq28.own.gaussian", other - 1)), other == bits) << bits;
            if (other <= 2 && bits <= 2) {
                EXPECT_EQ(inside(wide, bracket("aatc.eq28.own.gaussian.wide", other - 1)), other == bits);
            }
        }
    }
}

} // namespace
