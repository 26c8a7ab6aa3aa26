#include "lib/codec/lloyd_max.hpp"

#include "lib/codec/gaussian.hpp"
#include "lib/error.hpp"

#include <algorithm>
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

/// F at the boundaries above zero.
std::vector<Interval> stationarity(const std::vector<Cut>& cuts, Bits bits) {
    std::vector<Interval> gaps;
    for (std::size_t i = 1; i + 1 < cuts.size(); ++i) {
        const Interval both =
            add(cell_centroid(cuts[i - 1], cuts[i], bits), cell_centroid(cuts[i], cuts[i + 1], bits), bits);
        gaps.push_back(sub(scale_by_power_of_two(cuts[i].x, 1), both, bits));
    }
    return gaps;
}

/// Derivatives of c(a, b) in its ends: phi(a) (c - a) / P and phi(b) (b - c) / P.
struct Slopes {
    Interval lower;
    Interval upper;
};

Slopes centroid_slopes(const Cut& a, const Cut& b, Bits bits) {
    const Interval c = cell_centroid(a, b, bits);
    const Interval mass = cell_mass(a, b, bits);
    Slopes out{div(mul(a.density, sub(c, a.x, bits), bits), mass, bits), Interval(bits)};
    if (b.x.is_bounded()) out.upper = div(mul(b.density, sub(b.x, c, bits), bits), mass, bits);
    return out;
}

/// Solves the tridiagonal system J step = gaps by elimination, without pivoting (J is diagonally dominant),
/// roughly.
std::vector<Interval> newton_step(const std::vector<Cut>& cuts, std::vector<Interval> gaps) {
    const std::size_t n = gaps.size();
    std::vector<Slopes> slopes;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
        slopes.push_back(centroid_slopes(cuts[i], cuts[i + 1], coarse));
    std::vector<Interval> diagonal;
    const Interval two(Rational(2), coarse);
    for (std::size_t i = 0; i < n;
         ++i) { // row i: -lower_i x_{i-1} + (2 - upper_i - lower_{i+1}) x_i - upper_{i+1} x_{i+1}
        diagonal.push_back(sub(two, add(slopes[i].upper, slopes[i + 1].lower, coarse), coarse));
        if (i == 0) continue;
        const Interval factor = midpoint(div(slopes[i].lower, diagonal[i - 1], coarse), coarse);
        diagonal[i] = midpoint(sub(diagonal[i], mul(factor, slopes[i].upper, coarse), coarse), coarse);
        gaps[i] = midpoint(add(gaps[i], mul(factor, gaps[i - 1], coarse), coarse), coarse);
    }
    std::vector<Interval> step(n);
    for (std::size_t i = n; i-- > 0;) {
        const Interval right =
            i + 1 < n ? add(gaps[i], mul(slopes[i + 1].upper, step[i + 1], coarse), coarse) : gaps[i];
        step[i] = midpoint(div(right, diagonal[i], coarse), coarse);
    }
    return step;
}

/// sqrt(3) Phi^{-1}(1 - tail): where the companding argument of Panter and Dite puts a boundary. Newton for
/// the tail, from the boundary below.
Interval companded(const Rational& tail, const Interval& start) {
    const Interval target(tail, coarse);
    const Interval enough(Rational(1, 4096), 2); // it is a guess
    Interval x = start;
    for (int step = 0; step < 12; ++step) {
        const Cut cut = gaussian_cut(x, coarse);
        const Interval step_taken = div(sub(cut.tail, target, coarse), cut.density, coarse);
        x = midpoint(add(x, step_taken, coarse), coarse);
        if (less(abs(step_taken), enough) == Truth::yes) break;
    }
    return x;
}

std::vector<Interval> first_guess(std::size_t cells) {
    std::vector<Interval> out;
    Interval quantile;
    const Interval root_three = sqrt(Interval(Rational(3), 2), coarse);
    for (std::size_t i = 1; i < cells; ++i) {
        quantile = companded(Rational(Integer(cells - i), Integer(2 * cells)), quantile);
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

/// Newton's method: first at 64 bits, then with the rough Jacobian and gaps at full precision.
std::vector<Interval> solve(std::size_t cells, Bits bits) {
    std::vector<Interval> b = first_guess(cells);
    Bits working = coarse;
    for (int round = 0; round < 60 && !b.empty(); ++round) {
        const std::vector<Cut> cuts = cuts_of(b, working);
        const std::vector<Interval> step = newton_step(cuts, stationarity(cuts, working));
        for (std::size_t i = 0; i < b.size(); ++i) b[i] = midpoint(sub(b[i], step[i], working), working);
        const mpfr_exp_t size = largest_exponent(step);
        if (working == bits && size < 16 - bits) break;
        if (size < -24) working = bits;
    }
    return b;
}

Interval ball(const Interval& centre, const Interval& radius, Bits bits) {
    return join_ends(sub(centre, radius, bits), add(centre, radius, bits));
}

/// delta: the least row sum Var_i + Var_{i+1} over the box.
Interval dominance_over(const std::vector<Interval>& box, Bits bits) {
    const std::vector<Cut> cuts = cuts_of(box, bits);
    std::vector<Interval> variances;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
        variances.push_back(cell_variance(cuts[i], cuts[i + 1], bits));
    Interval least = add(variances[0], variances[1], bits);
    for (std::size_t i = 1; i + 1 < variances.size(); ++i)
        least = min(least, add(variances[i], variances[i + 1], bits));
    return least;
}

/// The certified boundaries above zero, or nothing where this precision does not suffice.
bool certify(const std::vector<Interval>& b, Bits bits, LloydMax& out, std::vector<Interval>& enclosed) {
    if (b.empty()) return true; // two levels: the boundary 0 alone
    Interval residual(bits);
    for (const Interval& gap : stationarity(cuts_of(b, bits), bits)) residual = max(residual, abs(gap));
    const Interval trial = scale_by_power_of_two(Interval(Rational(1), 2), -bits / 2);
    std::vector<Interval> box;
    for (const Interval& point : b) box.push_back(ball(point, trial, bits));
    const Interval delta = dominance_over(box, bits);
    const Interval zero;
    if (less(zero, delta) != Truth::yes) return false;
    const Interval radius =
        scale_by_power_of_two(div(residual, delta, bits), 1); // twice what is needed: strictly inside
    if (less_equal(radius, trial) != Truth::yes) return false;
    const Interval outer = Interval::point(radius.upper());
    for (const Interval& point : b) enclosed.push_back(ball(point, outer, bits));
    out.dominance = delta;
    out.residual = residual;
    return true;
}

/// Centroids (which rise with both ends), distortion and the mirrored lists.
void fill(LloydMax& out, const std::vector<Interval>& boundaries, Bits bits) {
    std::vector<Cut> low = {gaussian_cut(Interval(), bits)};
    std::vector<Cut> high = low;
    for (const Interval& b : boundaries) {
        low.push_back(gaussian_cut(Interval::point(b.lower()), bits));
        high.push_back(gaussian_cut(Interval::point(b.upper()), bits));
    }
    low.push_back(cut_at_infinity());
    high.push_back(cut_at_infinity());
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
    Bits bits = accuracy + 6L * t + 32;
    for (int attempt = 0; attempt < 6; ++attempt, bits += 32) {
        LloydMax out;
        std::vector<Interval> enclosed;
        if (!certify(solve(std::size_t{1} << (t - 1), bits), bits, out, enclosed)) continue;
        fill(out, enclosed, bits);
        if (out.distortion.accuracy() >= accuracy) return out;
    }
    throw Error(ErrorCode::precision_exhausted, "the Lloyd-Max quantiser of " + std::to_string(t) +
                                                    " bits does not reach " + std::to_string(accuracy) +
                                                    " bits");
}

} // namespace kvproof
