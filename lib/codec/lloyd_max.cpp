#include "lib/codec/lloyd_max.hpp"

#include "lib/codec/gaussian.hpp"
#include "lib/error.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>

namespace kvproof {
namespace {

constexpr int most_bits = 10;
constexpr Bits coarse = 64;

/// Cuts at 0, b_1, …, b_{n-1}, infinity.
std::vector<Cut> cuts_of(const std::vector<Interval>& boundaries, Bits bits) {
    std::vector<Cut> cuts = {gaussian_cut(Interval(), bits)};
    for (const Interval& b : boundaries) cuts.push_back(gaussian_cut(b, bits));
    cuts.push_back(cut_at_infinity());
    return cuts;
}

std::vector<Interval> centroids_of(const std::vector<Cut>& cuts, Bits bits) {
    std::vector<Interval> out;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
        out.push_back(cell_centroid(cuts[i], cuts[i + 1], bits));
    return out;
}

/// F at the boundaries above zero.
std::vector<Interval> stationarity(const std::vector<Cut>& cuts, const std::vector<Interval>& centroids,
                                   Bits bits) {
    std::vector<Interval> gaps;
    for (std::size_t i = 1; i < centroids.size(); ++i)
        gaps.push_back(
            sub(scale_by_power_of_two(cuts[i].x, 1), add(centroids[i - 1], centroids[i], bits), bits));
    return gaps;
}

/// Derivatives of c(a, b) in its ends: phi(a) (c - a) / P and phi(b) (b - c) / P.
struct Slopes {
    Interval lower;
    Interval upper;
};

Slopes centroid_slopes(const Cut& a, const Cut& b, const Interval& c, Bits bits) {
    const Interval mass = cell_mass(a, b, bits);
    Slopes out{div(mul(a.density, sub(c, a.x, bits), bits), mass, bits), Interval(bits)};
    if (b.x.is_bounded()) out.upper = div(mul(b.density, sub(b.x, c, bits), bits), mass, bits);
    return out;
}

/// Solves the tridiagonal system J step = gaps by elimination, without pivoting (J is diagonally dominant). A
/// guess: only midpoints are kept.
std::vector<Interval> newton_step(const std::vector<Cut>& cuts, const std::vector<Interval>& centroids,
                                  std::vector<Interval> gaps, Bits bits) {
    const std::size_t n = gaps.size();
    std::vector<Slopes> slopes;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
        slopes.push_back(centroid_slopes(cuts[i], cuts[i + 1], centroids[i], bits));
    std::vector<Interval> diagonal;
    const Interval two(Rational(2), 2);
    for (std::size_t i = 0; i < n;
         ++i) { // row i: -lower_i x_{i-1} + (2 - upper_i - lower_{i+1}) x_i - upper_{i+1} x_{i+1}
        diagonal.push_back(sub(two, add(slopes[i].upper, slopes[i + 1].lower, bits), bits));
        if (i == 0) continue;
        const Interval factor = midpoint(div(slopes[i].lower, diagonal[i - 1], bits), bits);
        diagonal[i] = midpoint(sub(diagonal[i], mul(factor, slopes[i].upper, bits), bits), bits);
        gaps[i] = midpoint(add(gaps[i], mul(factor, gaps[i - 1], bits), bits), bits);
    }
    std::vector<Interval> step(n);
    for (std::size_t i = n; i-- > 0;) {
        const Interval right =
            i + 1 < n ? add(gaps[i], mul(slopes[i + 1].upper, step[i + 1], bits), bits) : gaps[i];
        step[i] = midpoint(div(right, diagonal[i], bits), bits);
    }
    return step;
}

/// The normal quantiles x with P(Z > x) = tail, to three decimals or so: formula 26.2.23 of Abramowitz and
/// Stegun.
class RoughQuantiles {
public:
    [[nodiscard]] Interval at(const Rational& tail) const {
        const Interval w = sqrt(scale_by_power_of_two(neg(log(Interval(tail, coarse), coarse)), 1), coarse);
        return sub(w, div(horner(above_, w), horner(below_, w), coarse), coarse);
    }

private:
    static std::vector<Interval> millionths(std::initializer_list<long> coefficients) {
        std::vector<Interval> out;
        for (const long c : coefficients) out.emplace_back(Rational(c, 1000000), coarse);
        return out;
    }
    static Interval horner(const std::vector<Interval>& coefficients, const Interval& w) {
        Interval out = coefficients.front();
        for (std::size_t i = 1; i < coefficients.size(); ++i)
            out = add(mul(out, w, coarse), coefficients[i], coarse);
        return out;
    }

    std::vector<Interval> above_ = millionths({10328, 802853, 2515517});
    std::vector<Interval> below_ = millionths({1308, 189269, 1432788, 1000000});
};

/// Where the companding argument of Panter and Dite puts the boundaries, sqrt(3) Phi^{-1}; but for the
/// outermost ones it does better with half a cell more at the end: within 2^-3 of the boundaries for few
/// cells and 2^-5 for many.
std::vector<Interval> first_guess(std::size_t cells) {
    std::vector<Interval> out;
    const Interval root_three = sqrt(Interval(Rational(3), 2), coarse);
    const RoughQuantiles quantiles;
    for (std::size_t i = 1; i < cells; ++i) {
        const Interval quantile =
            quantiles.at(Rational(Integer(2 * (cells - i) + 1), Integer(4 * cells + 2)));
        out.push_back(midpoint(mul(root_three, quantile, coarse), coarse));
    }
    return out;
}

/// The largest exponent among the values: all are below 2^it in magnitude.
mpfr_exp_t largest_exponent(const std::vector<Interval>& values) {
    mpfr_exp_t largest = mpfr_get_emin();
    for (const Interval& x : values)
        for (mpfr_srcptr end : {x.lower(), x.upper()})
            if (mpfr_zero_p(end) == 0) largest = std::max(largest, mpfr_get_exp(end));
    return largest;
}

/// Boundaries after a Newton step, all of whose parts were below 2^step.
struct Moved {
    std::vector<Interval> boundaries;
    mpfr_exp_t step;
};

/// One step from the cuts, F at the first precision, the Jacobian at the second.
Moved newton(const std::vector<Cut>& cuts, Bits bits, Bits jacobian_bits) {
    const std::vector<Interval> centroids = centroids_of(cuts, bits);
    const std::vector<Interval> step =
        newton_step(cuts, centroids, stationarity(cuts, centroids, bits), jacobian_bits);
    Moved out{{}, largest_exponent(step)};
    for (std::size_t i = 0; i < step.size(); ++i)
        out.boundaries.push_back(midpoint(sub(cuts[i + 1].x, step[i], bits), bits));
    return out;
}

/// Moves the cuts to where the boundaries have gone.
void follow(const std::vector<Interval>& boundaries, std::vector<Cut>& cuts, Bits bits) {
    for (std::size_t i = 0; i < boundaries.size(); ++i)
        cuts[i + 1] = nearby_cut(cuts[i + 1], boundaries[i], bits);
}

/// Newton's method, as points with their cuts: at 64 bits, then at full precision. Cuts are computed once for
/// each and then follow the corrections.
std::vector<Cut> solve(std::size_t cells, Bits bits) {
    constexpr mpfr_exp_t enough = -20;
    Moved moved{first_guess(cells), 0};
    std::vector<Cut> cuts = cuts_of(moved.boundaries, coarse);
    for (int round = 0; round < 30 && moved.step > enough; ++round) {
        moved = newton(cuts, coarse, coarse);
        follow(moved.boundaries, cuts, coarse);
    }
    cuts = cuts_of(moved.boundaries, bits);
    for (int round = 0; round < 20 && moved.step > -bits / 2 - 8; ++round) {
        // So many bits are right now, and twice as many after the step where it is as good itself.
        const Bits right = std::max<Bits>(-2 * moved.step, 0);
        moved = newton(cuts, bits, coarse + std::clamp<Bits>(bits - right, 0, right));
        follow(moved.boundaries, cuts, bits);
    }
    return cuts;
}

Interval ball(const Interval& centre, const Interval& radius, Bits bits) {
    return join_ends(sub(centre, radius, bits), add(centre, radius, bits));
}

/// The cuts of balls of this radius around the boundaries, for a bound that need not be sharp.
std::vector<Cut> widened(const std::vector<Cut>& cuts, const Interval& radius, Bits bits) {
    std::vector<Cut> out = cuts;
    for (std::size_t i = 1; i + 1 < cuts.size(); ++i)
        out[i] = nearby_cut(cuts[i], ball(cuts[i].x, radius, bits), coarse);
    return out;
}

/// delta: the least row sum Var_i + Var_{i+1} over the box that the cuts hold.
Interval dominance_over(const std::vector<Cut>& cuts, Bits bits) {
    std::vector<Interval> variances;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
        variances.push_back(cell_variance(cuts[i], cuts[i + 1], bits));
    Interval least = add(variances[0], variances[1], bits);
    for (std::size_t i = 1; i + 1 < variances.size(); ++i)
        least = min(least, add(variances[i], variances[i + 1], bits));
    return least;
}

/// A radius around the points within which the boundaries lie, or nothing where this precision does not
/// suffice.
std::optional<Interval> certified_radius(const std::vector<Cut>& cuts, Bits bits, LloydMax& out) {
    if (cuts.size() == 2) return Interval(); // two levels: the boundary 0 alone
    Interval residual(bits);
    for (const Interval& gap : stationarity(cuts, centroids_of(cuts, bits), bits))
        residual = max(residual, abs(gap));
    const Interval trial = scale_by_power_of_two(Interval(Rational(1), 2), -bits / 2);
    const Interval delta = dominance_over(widened(cuts, trial, bits), coarse);
    const Interval zero;
    if (less(zero, delta) != Truth::yes) return {};
    const Interval radius =
        scale_by_power_of_two(div(residual, delta, bits), 1); // twice what is needed: strictly inside
    if (less_equal(radius, trial) != Truth::yes) return {};
    out.dominance = delta;
    out.residual = residual;
    return Interval::point(radius.upper());
}

/// Centroids (which rise with both ends), distortion and the mirrored lists.
void fill(LloydMax& out, const std::vector<Cut>& points, const Interval& radius, Bits bits) {
    std::vector<Cut> low = points;
    std::vector<Cut> high = points;
    std::vector<Interval> boundaries;
    for (std::size_t i = 1; i + 1 < points.size(); ++i) {
        boundaries.push_back(ball(points[i].x, radius, bits));
        low[i] = nearby_cut(points[i], Interval::point(boundaries.back().lower()), bits);
        high[i] = nearby_cut(points[i], Interval::point(boundaries.back().upper()), bits);
    }
    std::vector<Interval> centroids;
    Interval energy(bits);
    for (std::size_t i = 0; i + 1 < low.size(); ++i) {
        const Interval c =
            join_ends(cell_centroid(low[i], low[i + 1], bits), cell_centroid(high[i], high[i + 1], bits));
        const Interval p =
            join_ends(cell_mass(high[i], low[i + 1], bits), cell_mass(low[i], high[i + 1], bits));
        energy = add(energy, mul(p, sqr(c, bits), bits), bits);
        centroids.push_back(c);
    }
    out.distortion = sub(Interval(Rational(1), bits), scale_by_power_of_two(energy, 1), bits);
    for (auto at = boundaries.rbegin(); at != boundaries.rend(); ++at) out.boundaries.push_back(neg(*at));
    out.boundaries.emplace_back();
    out.boundaries.insert(out.boundaries.end(), boundaries.begin(), boundaries.end());
    for (auto at = centroids.rbegin(); at != centroids.rend(); ++at) out.centroids.push_back(neg(*at));
    out.centroids.insert(out.centroids.end(), centroids.begin(), centroids.end());
}

} // namespace

LloydMax lloyd_max(int t, Bits accuracy) {
    if (t < 1 || t > most_bits)
        throw Error(ErrorCode::depth_out_of_range, "a Lloyd-Max quantiser of " + std::to_string(t) +
                                                       " bits, expected 1 to " + std::to_string(most_bits));
    // The inverse Jacobian grows as 4^t, the distortion shrinks as 4^-t.
    Bits bits = accuracy + 5L * t + 16;
    for (int attempt = 0; attempt < 6; ++attempt, bits += 32) {
        LloydMax out;
        const std::vector<Cut> points = solve(std::size_t{1} << (t - 1), bits);
        const std::optional<Interval> radius = certified_radius(points, bits, out);
        if (!radius) continue;
        fill(out, points, *radius, bits);
        if (out.distortion.accuracy() >= accuracy) return out;
    }
    throw Error(ErrorCode::precision_exhausted, "the Lloyd-Max quantiser of " + std::to_string(t) +
                                                    " bits does not reach " + std::to_string(accuracy) +
                                                    " bits");
}

} // namespace kvproof
