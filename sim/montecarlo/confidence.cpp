#include "sim/montecarlo/confidence.hpp"

#include "lib/exact/interval.hpp"
#include "lib/portable/error_bound.hpp"

#include <boost/config.hpp>
// Boost would convert from and to __float128, for which it needs a library that nothing here uses.
#undef BOOST_HAS_FLOAT128
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include <algorithm>

namespace kvproof {
namespace {

/// 50 decimal digits by integer arithmetic alone: what Boost.Math does with them is the same everywhere.
using Wide =
    boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>, boost::multiprecision::et_off>;
constexpr Bits bits = 128;

Wide tail() {
    return Wide(1) / 40; // (1 - confidence_level) / 2
}

/// The doubles next to a number on both sides, one step further than rounding needs.
double below(const Wide& x) {
    return down(down(x.convert_to<double>()));
}
double above(const Wide& x) {
    return up(up(x.convert_to<double>()));
}

double lower_double(const Interval& x) {
    return mpfr_get_d(x.lower(), MPFR_RNDD);
}
double upper_double(const Interval& x) {
    return mpfr_get_d(x.upper(), MPFR_RNDU);
}

Interval exactly(const Rational& value) {
    return {value, bits};
}

Ends around(const Rational& mean, const Interval& radius) {
    return {lower_double(sub(exactly(mean), radius, bits)), upper_double(add(exactly(mean), radius, bits))};
}

Rational scaled(const Integer& value, int grid) {
    return Rational(value) * power(Rational(2), grid);
}

} // namespace

Ends clopper_pearson(std::uint64_t hits, std::uint64_t trials) {
    // P(at least h of n) = I_p(h, n - h + 1), increasing in p
    Ends out{0, 1};
    const std::uint64_t misses = trials - hits;
    if (hits > 0) {
        const Wide a(hits);
        const Wide b(misses + 1);
        out.lower = std::max(0.0, below(boost::math::ibeta_inv(a, b, tail())));
        while (out.lower > 0 && boost::math::ibeta(a, b, Wide(out.lower)) > tail())
            out.lower = down(out.lower);
    }
    if (misses > 0) {
        const Wide a(hits + 1);
        const Wide b(misses);
        out.upper = std::min(1.0, above(boost::math::ibetac_inv(a, b, tail())));
        while (out.upper < 1 && boost::math::ibetac(a, b, Wide(out.upper)) > tail())
            out.upper = up(out.upper);
    }
    return out;
}

Ends empirical_bernstein(const Rational& mean, const Rational& variance, std::uint64_t n) {
    const Interval logarithm = log(exactly(80), bits); // ln(2 / 0.025)
    const Interval spread = sqrt(mul(exactly(2 * variance / Rational(n)), logarithm, bits), bits);
    const Interval rest = mul(exactly(Rational(7) / (3 * Rational(n - 1))), logarithm, bits);
    return around(mean, add(spread, rest, bits));
}

Ends student(const Rational& mean, const Rational& variance, std::uint64_t n) {
    const boost::math::students_t_distribution<Wide> law(Wide(n - 1));
    const Wide t = boost::math::quantile(boost::math::complement(law, tail()));
    const Interval quantile = Interval::from_double(above(t));
    return around(mean, mul(quantile, sqrt(exactly(variance / Rational(n)), bits), bits));
}

Estimate estimate(const Metric& metric, const MetricSums& sums) {
    Estimate out;
    out.samples = sums.samples;
    if (sums.samples == 0) return out;
    const int grid = metric.grid();
    const Rational n(sums.samples);
    const Rational mean = scaled(sums.sum, grid) / n;
    out.mean = nearest_float64(mean);
    out.least = nearest_float64(scaled(sums.least, grid));
    out.greatest = nearest_float64(scaled(sums.greatest, grid));
    if (metric.kind == MetricKind::proportion) {
        const Ends ends = clopper_pearson(static_cast<std::uint64_t>(sums.sum), sums.samples);
        out.lower = ends.lower;
        out.upper = ends.upper;
        return out;
    }
    if (sums.samples < 2) return out;
    const Rational step = power(Rational(2), grid);
    const Rational sum = scaled(sums.sum, grid);
    const Rational variance =
        (scaled(sums.squares, 2 * grid) - sum * sum / n) / (n - 1); // of what was recorded
    Ends ends{};
    if (metric.kind == MetricKind::bounded) {
        // recorded samples may lie half a step outside
        const Rational range = rational_from(metric.upper) - rational_from(metric.lower) + step;
        const Ends unit = empirical_bernstein(mean / range, variance / (range * range), sums.samples);
        const Interval wide = exactly(range);
        ends.lower = lower_double(mul(Interval::from_double(unit.lower), wide, bits));
        ends.upper = upper_double(mul(Interval::from_double(unit.upper), wide, bits));
    } else {
        ends = student(mean, variance, sums.samples);
    }
    const double half = nearest_float64(step / 2);
    ends.lower = sub_down(ends.lower, half);
    ends.upper = add_up(ends.upper, half);
    if (metric.kind == MetricKind::bounded) {
        ends.lower = std::max(ends.lower, metric.lower);
        ends.upper = std::min(ends.upper, metric.upper);
    }
    out.lower = ends.lower;
    out.upper = ends.upper;
    return out;
}

} // namespace kvproof
