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

/// Whether two points share so many leading bits.
bool agree(const Interval& x, const Interval& y, Bits leading) {
    const Interval difference = sub(x, y, 8);
    return mpfr_zero_p(difference.lower()) != 0 ||
           mpfr_get_exp(difference.lower()) <= mpfr_get_exp(x.lower()) - leading;
}

/// f(m) = 2 m - c(l, m) - c(m, u): negative below the split, positive above it.
Interval stationarity_gap(const Cut& l, const Cut& m, const Cut& u, Bits bits) {
    const Interval centroids = add(cell_centroid(l, m, bits), cell_centroid(m, u, bits), bits);
    return sub(scale_by_power_of_two(m.x, 1), centroids, bits);
}

/// Newton's next point: m - f(m) / f'(m), where f'(m) = 2 - phi(m) (m - c(l, m)) / P(l, m) - phi(m) (c(m, u)
/// - m) / P(m, u).
Interval newton_point(const Cut& l, const Cut& m, const Cut& u, Bits bits) {
    const Interval below = sub(m.x, cell_centroid(l, m, bits), bits);
    const Interval above = sub(cell_centroid(m, u, bits), m.x, bits);
    const Interval pull =
        add(div(below, cell_mass(l, m, bits), bits), div(above, cell_mass(m, u, bits), bits), bits);
    const Interval slope = sub(Interval(Rational(2), 2), mul(m.density, pull, bits), bits);
    return midpoint(sub(m.x, div(sub(below, above, bits), slope, bits), bits), bits);
}

/// Where the split of (l, u) is, but for terms of fourth order in the cell's width: between middle and
/// centroid.
Interval first_guess(const Cut& l, const Cut& u, Bits bits) {
    const Interval centroid = cell_centroid(l, u, bits);
    if (!u.x.is_bounded()) return midpoint(centroid, bits);
    const Interval middle = scale_by_power_of_two(add(l.x, u.x, bits), -1);
    return midpoint(scale_by_power_of_two(add(middle, centroid, bits), -1), bits);
}

/// The split of (l, u) by Newton's method, as a point of the working precision with its cut. What is right
/// doubles with each step. At 64 bits the density and the tail follow from the cell's lower end if that is
/// close; then they are computed once in full and follow the small corrections. All arithmetic is correctly
/// rounded, so the guess, and with it every certificate, is the same on every machine.
Cut guess_split(const Cut& l, const Cut& u, Bits bits) {
    constexpr Bits coarse = 64;
    constexpr Bits enough = 26; // the square of it is beyond what 64 bits hold
    Cut at = nearby_cut(l, first_guess(l, u, coarse), coarse);
    for (int step = 0; step < 8; ++step) {
        const Interval next = newton_point(l, at, u, coarse);
        const bool close = agree(at.x, next, enough);
        at = nearby_cut(at, next, coarse);
        if (close) break;
    }
    at = gaussian_cut(at.x, bits);
    for (Bits right = 2 * enough - 12; right < bits; right *= 2)
        at = nearby_cut(at, newton_point(l, at, u, bits), bits);
    return at;
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
    const Cut guess = guess_split(l.lower, u.lower, bits);
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
        const Cut low = nearby_cut(guess, shifted(guess.x, margin.upper(), false, bits), bits);
        mpfr_add(width.mutable_lower(), width.upper(), margin.upper(), MPFR_RNDU);
        const Cut high = nearby_cut(guess, shifted(guess.x, width.lower(), true, bits), bits);
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

} // namespace

LloydTree lloyd_tree(int depth, Bits accuracy) {
    if (depth < 0 || depth > deepest_tree)
        throw Error(ErrorCode::depth_out_of_range,
                    "depth " + std::to_string(depth) + ", expected 0 to " + std::to_string(deepest_tree));
    // A difference of densities over a cell of width about 2^-t loses t bits, the distortion another 2 t.
    Bits bits = accuracy + 3L * depth + 16;
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

std::optional<Codebook<float>> float32_codebook(const LloydTree& tree) {
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
    if (!decided) return {};
    return out;
}

Codebook<float> float32_codebook(int depth) {
    for (Bits accuracy = 64; accuracy <= 4096; accuracy *= 2)
        if (auto rounded = float32_codebook(lloyd_tree(depth, accuracy))) return *std::move(rounded);
    throw Error(ErrorCode::precision_exhausted,
                "an entry of the Lloyd tree lies too close to a binary32 midpoint");
}

} // namespace kvproof
