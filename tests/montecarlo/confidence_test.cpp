// Intervals: Clopper-Pearson against exact binomial sums, its coverage computed exactly; Maurer and Pontil's
// bound against its formula and on a law of known mean; what an estimate makes of recorded sums.
#include "sim/montecarlo/confidence.hpp"

#include "lib/exact/rational.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

using namespace kvproof;

namespace {

Rational binomial(unsigned n, unsigned k) {
    Rational out = 1;
    for (unsigned i = 0; i < k; ++i) out = out * Rational(n - i) / Rational(i + 1);
    return out;
}

/// P(at least k of n) at p, exactly.
Rational at_least(unsigned k, unsigned n, const Rational& p) {
    Rational out = 0;
    for (unsigned j = k; j <= n; ++j) out += binomial(n, j) * power(p, j) * power(1 - p, n - j);
    return out;
}

const Rational tail(1, 40);

TEST(ClopperPearson, ends_by_exact_binomial_sums) {
    for (const unsigned n : {1U, 2U, 3U, 5U, 17U, 40U})
        for (unsigned k = 0; k <= n; ++k) {
            const Ends ends = clopper_pearson(k, n);
            const Rational lower = rational_from(ends.lower);
            const Rational upper = rational_from(ends.upper);
            if (k == 0) {
                EXPECT_EQ(ends.lower, 0);
            } else {
                EXPECT_LE(at_least(k, n, lower), tail) << k << " of " << n;
                // and no narrower than a millionth of a millionth
                EXPECT_GT(at_least(k, n, lower * (1 + Rational(1, 1000000000000))), tail) << k << " of " << n;
            }
            if (k == n) {
                EXPECT_EQ(ends.upper, 1);
            } else {
                EXPECT_LE(1 - at_least(k + 1, n, upper), tail) << k << " of " << n;
                const Rational inside = 1 - (1 - upper) * (1 + Rational(1, 1000000000000));
                EXPECT_GT(1 - at_least(k + 1, n, inside), tail) << k << " of " << n;
            }
        }
}

TEST(ClopperPearson, covers_every_proportion) {
    constexpr unsigned n = 25;
    std::vector<Ends> ends;
    for (unsigned k = 0; k <= n; ++k) ends.push_back(clopper_pearson(k, n));
    Rational least = 1;
    for (unsigned i = 0; i <= 200; ++i) {
        const Rational p(i, 200);
        Rational covered = 0;
        for (unsigned k = 0; k <= n; ++k)
            if (rational_from(ends[k].lower) <= p && p <= rational_from(ends[k].upper))
                covered += binomial(n, k) * power(p, k) * power(1 - p, n - k);
        least = std::min(least, covered);
    }
    EXPECT_GE(least, Rational(19, 20));
    EXPECT_LT(least, Rational(98, 100)); // not valid by being wide
}

TEST(ClopperPearson, very_many_trials) {
    const Ends none = clopper_pearson(0, 1000000000000000);
    EXPECT_EQ(none.lower, 0);
    // 1 - 0.025^(1/n), about ln 40 / n
    EXPECT_NEAR(none.upper * 1e15, std::log(40.0), 1e-9);
    const Ends half = clopper_pearson(500000, 1000000);
    EXPECT_NEAR(half.upper - half.lower, 2 * 1.959963984540054 * 0.5 / 1000, 2e-6);
    const Ends few = clopper_pearson(3, 1000000000);
    EXPECT_NEAR(few.lower * 1e9, 0.618672, 1e-5); // Poisson: chi^2_{0.025}(6)/2, chi^2_{0.975}(8)/2
    EXPECT_NEAR(few.upper * 1e9, 8.767273, 1e-5);
}

TEST(EmpiricalBernstein, is_the_printed_formula) {
    const Ends ends = empirical_bernstein(Rational(3, 10), Rational(1, 20), 1000);
    const double radius = std::sqrt(2 * 0.05 * std::log(80.0) / 1000) + 7 * std::log(80.0) / (3 * 999);
    EXPECT_NEAR(ends.lower, 0.3 - radius, 1e-15);
    EXPECT_NEAR(ends.upper, 0.3 + radius, 1e-15);
    const Ends constant = empirical_bernstein(0, 0, 2);
    EXPECT_LE(constant.lower, -7 * std::log(80.0) / 3);
}

/// The probability that the interval for n samples of a coin that shows 1 with probability p misses p: all
/// outcomes of the coin, exactly.
Rational missed(unsigned n, const Rational& p, const Rational& shrink) {
    Rational out = 0;
    for (unsigned k = 0; k <= n; ++k) {
        const Rational mean(k, n);
        const Rational variance = mean * (1 - mean) * n / (n - 1);
        const Ends ends = empirical_bernstein(mean, variance, n);
        const Rational lower = mean - (mean - rational_from(ends.lower)) * shrink;
        const Rational upper = mean + (rational_from(ends.upper) - mean) * shrink;
        if (p < lower || upper < p) out += binomial(n, k) * power(p, k) * power(1 - p, n - k);
    }
    return out;
}

TEST(EmpiricalBernstein, covers_coins_and_would_not_if_narrower) {
    Rational worst = 0;
    for (unsigned i = 1; i < 50; ++i) {
        EXPECT_LE(missed(200, Rational(i, 50), 1), Rational(1, 20)) << i;
        worst = std::max(worst, missed(200, Rational(i, 50), Rational(2, 5)));
    }
    EXPECT_GT(worst, Rational(1, 20));
}

TEST(Student, quantiles_of_the_books) {
    EXPECT_NEAR(student(0, 1, 2).upper * std::sqrt(2.0), 12.706204736, 1e-8);
    EXPECT_NEAR(student(0, 1, 11).upper * std::sqrt(11.0), 2.228138852, 1e-8);
    EXPECT_NEAR(student(0, 1, 1000001).upper * 1000.0005, 1.959966, 1e-5);
}

MetricSums sums_of(const Metric& metric, const std::vector<double>& samples) {
    MetricSums out;
    add_samples(out, metric, samples, 0);
    return out;
}

TEST(Estimates, of_each_kind) {
    const Metric share{
        .name = "share", .kind = MetricKind::proportion, .lower = 0, .upper = 1, .meaning = ""};
    const Estimate p = estimate(share, sums_of(share, {1, 0, 0, std::nan("")}));
    EXPECT_EQ(p.samples, 3U);
    EXPECT_EQ(*p.mean, 1.0 / 3);
    EXPECT_EQ(*p.lower, clopper_pearson(1, 3).lower);
    const Metric bounded{.name = "b", .kind = MetricKind::bounded, .lower = -1, .upper = 3, .meaning = ""};
    const std::vector<double> samples = {0.5, 1.5, 2.5, -0.5};
    const Estimate b = estimate(bounded, sums_of(bounded, samples));
    EXPECT_EQ(*b.mean, 1);
    EXPECT_EQ(*b.least, -0.5);
    EXPECT_EQ(*b.greatest, 2.5);
    EXPECT_EQ(*b.lower, -1); // wide, so cut to the range
    EXPECT_EQ(*b.upper, 3);
    const Metric open{.name = "f", .kind = MetricKind::unbounded, .lower = -8, .upper = 8, .meaning = ""};
    const Estimate f = estimate(open, sums_of(open, samples));
    EXPECT_EQ(*f.mean, 1);
    // t = 3.18245 for three degrees of freedom, variance 5/3
    EXPECT_NEAR(*f.upper - 1, 3.182446305 * std::sqrt(5.0 / 3 / 4), 1e-8);
    EXPECT_FALSE(estimate(open, sums_of(open, {1})).lower);
    EXPECT_FALSE(estimate(open, {}).mean);
}

TEST(Estimates, the_grid_of_recording_is_counted) {
    const Metric metric{.name = "m", .kind = MetricKind::bounded, .lower = 0, .upper = 1, .meaning = ""};
    std::vector<double> samples(1 << 20);
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = i % 2 == 0 ? 0.25 : 0.75;
    const Estimate e = estimate(metric, sums_of(metric, samples));
    const Rational n = samples.size();
    const Ends ends = empirical_bernstein(Rational(1, 2), Rational(1, 16) * n / (n - 1), samples.size());
    EXPECT_LT(*e.lower, ends.lower);
    EXPECT_NEAR(*e.lower, ends.lower, 1e-14);
}

} // namespace
