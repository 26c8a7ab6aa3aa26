#include "lib/codec/lloyd_tree.hpp"

#include "lib/error.hpp"

#include <algorithm>
#include <string>

namespace kvproof {
namespace {

/// Cuts at both ends of a boundary's enclosure. A cell's end at infinity has two equal cuts.
struct Ends {
    Cut lower;
    Cut upper;
};

/// f(m) = 2 m - c(l, m) - c(m, u): negative below the split, positive above it.
Interval stationarity_gap(const Cut& l, const Cut& m, const Cut& u, Bits bits) {
    return sub(scale_by_power_of_two(m.x, 1), add(cell_centroid(l, m, bits), cell_centroid(m, u, bits), bits),
               bits);
}

/// f'(m) = 2 - phi(m) (m - c(l, m)) / P(l, m) - phi(m) (c(m, u) - m) / P(m, u), for Newton's method only.
Interval gap_slope(const Cut& l, const Cut& m, const Cut& u, Bits bits) {
    const Interval left = div(sub(m.x, cell_centroid(l, m, bits), bits), cell_mass(l, m, bits), bits);
    const Interval right = div(sub(cell_centroid(m, u, bits), m.x, bits), cell_mass(m, u, bits), bits);
    return sub(Interval(Rational(2), bits), mul(m.density, add(left, right, bits), bits), bits);
}

/// The split of (l, u) by Newton's method, as a point of the working precision. All arithmetic is correctly
/// rounded, so the guess, and with it every certificate, is the same on every machine.
Interval guess_split(const Cut& l, const Cut& u, Bits bits) {
    constexpr Bits coarse = 64;
    Interval m = midpoint(cell_centroid(l, u, coarse), coarse);
    Interval slope(coarse);
    for (int step = 0; step < 8; ++step) { // quadratic from the centroid: five steps are typical
        const Cut cut = gaussian_cut(m, coarse);
        slope = midpoint(gap_slope(l, cut, u, coarse), coarse);
        const Interval correction = midpoint(div(stationarity_gap(l, cut, u, coarse), slope, coarse), coarse);
        m = midpoint(sub(m, correction, coarse), coarse);
        if (mpfr_zero_p(correction.lower()) != 0 ||
            mpfr_get_exp(correction.lower()) < mpfr_get_exp(m.lower()) - 45)
            break;
    }
    // With the slope kept, each step gains what the slope is worth: at least 30 bits.
    for (Bits good = 40; good < bits; good += 30) {
        const Cut cut = gaussian_cut(m, bits);
        const Interval correction = div(stationarity_gap(l, cut, u, bits), slope, bits);
        m = midpoint(sub(m, correction, bits), bits);
        if (mpfr_zero_p(correction.lower()) != 0 ||
            mpfr_get_exp(correction.lower()) < mpfr_get_exp(m.lower()) - bits + 8)
            break;
    }
    return m;
}

Interval shifted(const Interval& point, mpfr_srcptr by, bool up, Bits bits) {
    Interval out(bits);
    if (up)
        mpfr_add(out.mutable_lower(), point.lower(), by, MPFR_RNDU);
    else
        mpfr_sub(out.mutable_lower(), point.lower(), by, MPFR_RNDD);
    return Interval::point(out.lower());
}

/// Encloses the split of a cell whose ends lie in l and u: widens around the guess until both signs are
/// certain.
Ends enclose_split(const Ends& l, const Ends& u, int depth, Bits bits) {
    const Interval guess = guess_split(l.lower, u.lower, bits);
    // The split moves by no more than its cell's ends do (it is a mean of theirs, see the header), so the
    // width of the ends plus the error of evaluating f is what is needed.
    Interval width(bits);
    mpfr_sub(width.mutable_upper(), l.upper.x.lower(), l.lower.x.lower(), MPFR_RNDU);
    if (u.lower.x.is_bounded()) {
        Interval other(bits);
        mpfr_sub(other.mutable_upper(), u.upper.x.lower(), u.lower.x.lower(), MPFR_RNDU);
        mpfr_max(width.mutable_upper(), width.upper(), other.upper(), MPFR_RNDU);
    }
    Interval margin(bits);
    mpfr_set_ui_2exp(margin.mutable_upper(), 1, 4 + depth - bits, MPFR_RNDU);
    for (int attempt = 0; attempt < 40; ++attempt) {
        const Cut low = gaussian_cut(shifted(guess, margin.upper(), false, bits), bits);
        mpfr_add(width.mutable_lower(), width.upper(), margin.upper(), MPFR_RNDU);
        const Cut high = gaussian_cut(shifted(guess, width.lower(), true, bits), bits);
        const Interval below = stationarity_gap(l.lower, low, u.lower, bits);
        const Interval above = stationarity_gap(l.upper, high, u.upper, bits);
        if (mpfr_sgn(below.upper()) < 0 && mpfr_sgn(above.lower()) > 0) return {low, high};
        mpfr_mul_2ui(margin.mutable_upper(), margin.upper(), 2, MPFR_RNDU);
    }
    throw Error(ErrorCode::precision_exhausted, "a split of depth " + std::to_string(depth) +
                                                    " of the Lloyd tree could not be enclosed with " +
                                                    std::to_string(bits) + " bits");
}

/// c rises in both ends of its cell, so the enclosures at the lower and at the upper ends bound it.
Interval centroid_of(const Ends& a, const Ends& b, Bits bits) {
    return join_ends(cell_centroid(a.lower, b.lower, bits), cell_centroid(a.upper, b.upper, bits));
}

Interval probability_of(const Ends& a, const Ends& b, Bits bits) {
    return join_ends(cell_mass(a.upper, b.lower, bits), cell_mass(a.lower, b.upper, bits));
}

/// The values of the upper half, mirrored: -x_n … -x_1 [0] x_1 … x_n.
std::vector<Interval> mirrored(const std::vector<Interval>& upper, bool with_zero, bool change_sign) {
    std::vector<Interval> out;
    out.reserve(2 * upper.size() + 1);
    for (auto at = upper.rbegin(); at != upper.rend(); ++at) out.push_back(change_sign ? neg(*at) : *at);
    if (with_zero) out.emplace_back();
    out.insert(out.end(), upper.begin(), upper.end());
    return out;
}

/// Appends the level whose cells above zero have these ends (from 0 to infinity).
void append_level(LloydTree& tree, const std::vector<Ends>& ends, Bits bits) {
    std::vector<Interval> boundaries;
    std::vector<Interval> centroids;
    std::vector<Interval> probabilities;
    Interval energy(bits); // sum of P c^2 above zero
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
        if (i > 0) boundaries.push_back(join_ends(ends[i].lower.x, ends[i].upper.x));
        centroids.push_back(centroid_of(ends[i], ends[i + 1], bits));
        probabilities.push_back(probability_of(ends[i], ends[i + 1], bits));
        energy = add(energy, mul(probabilities.back(), sqr(centroids.back(), bits), bits), bits);
    }
    LloydLevel level;
    level.probabilities = mirrored(probabilities, false, false);
    level.distortion = sub(Interval(Rational(1), bits), scale_by_power_of_two(energy, 1), bits);
    level.gain = sub(tree.levels.back().distortion, level.distortion, bits);
    tree.codebook.boundaries.push_back(mirrored(boundaries, true, true));
    tree.codebook.centroids.push_back(mirrored(centroids, false, true));
    tree.levels.push_back(std::move(level));
}

LloydTree build(int depth, Bits bits) {
    LloydTree tree;
    tree.working_bits = bits;
    tree.codebook.boundaries.emplace_back();
    tree.codebook.centroids.push_back({Interval()});
    tree.levels.push_back({{Interval(Rational(1), bits)}, Interval(Rational(1), bits), {}});
    // f is odd at the root, so its only zero is 0; by uniqueness the tree below zero is the mirror image.
    const Cut zero = gaussian_cut(Interval(), bits);
    const Cut infinity = cut_at_infinity();
    std::vector<Ends> ends = {{zero, zero}, {infinity, infinity}};
    for (int t = 1; t <= depth; ++t) {
        if (t > 1) {
            std::vector<Ends> finer;
            for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
                finer.push_back(ends[i]);
                finer.push_back(enclose_split(ends[i], ends[i + 1], t, bits));
            }
            finer.push_back(ends.back());
            ends = std::move(finer);
        }
        append_level(tree, ends, bits);
    }
    return tree;
}

/// What the error function says at a point that may be infinite: exp(-x^2/2) and erf(x/sqrt 2).
struct ErfCut {
    Interval x;
    Interval bell;
    Interval erf;
};

ErfCut erf_cut(const Interval& x, Bits bits) {
    const Interval half_root = sqrt(Interval(Rational(1, 2), 2), bits);
    return {x, exp(scale_by_power_of_two(neg(sqr(x, bits)), -1), bits), erf(mul(x, half_root, bits), bits)};
}

/// c(a, b) = sqrt(2/pi) (exp(-a^2/2) - exp(-b^2/2)) / (erf(b/sqrt 2) - erf(a/sqrt 2)).
Interval centroid_by_erf(const ErfCut& a, const ErfCut& b, Bits bits) {
    const Interval scale =
        sqrt(scale_by_power_of_two(div(Interval(Rational(1), 2), pi(bits), bits), 1), bits);
    return mul(scale, div(sub(a.bell, b.bell, bits), sub(b.erf, a.erf, bits), bits), bits);
}

Interval infinite_point(int sign) {
    const Interval line = Interval::whole();
    return Interval::point(sign < 0 ? line.lower() : line.upper());
}

} // namespace

LloydTree lloyd_tree(int depth, Bits accuracy) {
    if (depth < 0 || depth > deepest_tree)
        throw Error(ErrorCode::depth_out_of_range,
                    "depth " + std::to_string(depth) + ", expected 0 to " + std::to_string(deepest_tree));
    // A difference of densities over a cell of width about 2^-t loses t bits, the distortion another 2 t.
    Bits bits = accuracy + 3L * depth + 24;
    for (int attempt = 0; attempt < 8; ++attempt) {
        LloydTree tree = build(depth, bits);
        const Bits reached = least_accuracy(tree);
        if (reached >= accuracy) return tree;
        bits += accuracy - reached + 8;
    }
    throw Error(ErrorCode::precision_exhausted, "the Lloyd tree of depth " + std::to_string(depth) +
                                                    " does not reach " + std::to_string(accuracy) + " bits");
}

Bits least_accuracy(const LloydTree& tree) {
    Bits least = tree.working_bits;
    const auto consider = [&least](const Interval& x) {
        if (!x.is_point()) least = std::min(least, x.accuracy());
    };
    for (const auto& level : tree.codebook.boundaries) std::ranges::for_each(level, consider);
    for (const auto& level : tree.codebook.centroids) std::ranges::for_each(level, consider);
    for (const auto& level : tree.levels) {
        std::ranges::for_each(level.probabilities, consider);
        consider(level.distortion);
        if (level.gain) consider(*level.gain);
    }
    return least;
}

Truth split_exists(const Codebook<Interval>& tree, int t, std::size_t cell, Bits bits) {
    const auto& above = tree.boundaries[t];
    const Interval l = cell == 0 ? infinite_point(-1) : above[cell - 1];
    const Interval u = cell == above.size() ? infinite_point(1) : above[cell];
    const Interval& m = tree.boundaries[t + 1][2 * cell];
    const auto gap = [&](mpfr_srcptr left, mpfr_srcptr at, mpfr_srcptr right) {
        const ErfCut middle = erf_cut(Interval::point(at), bits);
        const Interval below = centroid_by_erf(erf_cut(Interval::point(left), bits), middle, bits);
        const Interval above_it = centroid_by_erf(middle, erf_cut(Interval::point(right), bits), bits);
        return sub(scale_by_power_of_two(middle.x, 1), add(below, above_it, bits), bits);
    };
    if (t == 0) return m.is_point() && mpfr_zero_p(m.lower()) != 0 ? Truth::yes : Truth::no; // f is odd
    const Interval zero;
    return less(gap(l.lower(), m.lower(), u.lower()), zero) &
           less(zero, gap(l.upper(), m.upper(), u.upper()));
}

Codebook<float> float32_codebook(int depth) {
    for (Bits accuracy = 64; accuracy <= 4096; accuracy *= 2) {
        const LloydTree tree = lloyd_tree(depth, accuracy);
        bool decided = true;
        const auto round_levels = [&decided](const std::vector<std::vector<Interval>>& levels) {
            std::vector<std::vector<float>> out;
            for (const auto& level : levels) {
                out.emplace_back();
                for (const Interval& value : level) {
                    const auto rounded = shared_float32(value);
                    decided = decided && rounded.has_value();
                    out.back().push_back(rounded.value_or(0));
                }
            }
            return out;
        };
        Codebook<float> out{round_levels(tree.codebook.boundaries), round_levels(tree.codebook.centroids)};
        if (decided) return out;
    }
    throw Error(ErrorCode::precision_exhausted,
                "an entry of the Lloyd tree lies too close to a binary32 midpoint");
}

} // namespace kvproof
