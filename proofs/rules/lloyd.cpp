// Statements about the Lloyd code, each established twice: while the tree is built (signs from the tail
// erfc), and again from nothing but its enclosures (signs from erf).

#include "lib/error.hpp"
#include "proofs/rules/decide.hpp"

#include <algorithm>

namespace kvproof {
namespace {

/// log2(10) < 3.322: n digits are a relative width of 10^-n.
Bits bits_for(long digits) {
    return digits * 3322 / 1000 + 1;
}

// Enclosures are written on the grid 2^-160; what the checkers recompute from them keeps 40 digits and more.
constexpr long grid_bits = 160;
constexpr Bits tree_accuracy = grid_bits + 32;
constexpr Bits checker_precision = 256;

/// x in units of 2^-160, rounded down, plus `units`.
Integer on_grid(mpfr_srcptr x, long units) {
    Integer out;
    Interval scaled(mpfr_get_prec(x));
    mpfr_mul_2si(scaled.mutable_lower(), x, grid_bits, MPFR_RNDD);
    mpfr_get_z(out.backend().data(), scaled.lower(), MPFR_RNDD);
    return out + units;
}

std::string hex(const Integer& x) {
    return (x < 0 ? "-0x" : "0x") + Integer(abs(x)).str(0, std::ios_base::hex);
}

/// A split moves by no more than its cell's ends do, so enclosures that widen by two units a level hold their
/// signs also where their parents' are only known to be on the grid.
void record_tree(const LloydTree& tree, std::vector<std::string>& records) {
    records.push_back("scale " + std::to_string(grid_bits));
    for (int t = 1; t <= tree.depth(); ++t) {
        const auto& boundaries = tree.codebook.boundaries[t];
        for (std::size_t i = 0; 2 * i < boundaries.size(); ++i) {
            const Interval& m = boundaries[2 * i];
            const Integer low = t == 1 ? Integer(0) : on_grid(m.lower(), -2L * t);
            // mirror images stay mirror images: the upper end is the lower end of -m, negated
            const Integer high = t == 1 ? Integer(0) : Integer(-on_grid(neg(m).lower(), -2L * t));
            records.push_back("split " + std::to_string(t) + " " + std::to_string(i) + " " + hex(low) + " " +
                              hex(high));
        }
    }
}

/// Rounding a point to the grid changes F by less than 4 units, so a radius of 8/delta units leaves room.
void record_optimum(const LloydMax& optimum, int t, std::vector<std::string>& records) {
    const std::size_t first = optimum.boundaries.size() / 2 + 1;
    Integer radius = 0;
    if (first < optimum.boundaries.size()) {
        const Interval room = div(Interval(Rational(8), 64), optimum.dominance, 64);
        radius = floor(room.upper_rational()) + 16;
    }
    records.push_back("level " + std::to_string(t) + " " + hex(radius));
    for (std::size_t i = first; i < optimum.boundaries.size(); ++i)
        records.push_back("point " + std::to_string(i - first + 1) + " " +
                          hex(on_grid(optimum.boundaries[i].lower(), 0)));
}

Decision decided_if(bool shown, Why otherwise, Decision out) {
    out.verdict = shown ? Verdict::proved : Verdict::undecided;
    out.why = shown ? Why::none : otherwise;
    return out;
}

Decision tree_exists(int depth, long digits, const Context& context) {
    // The construction promises the accuracy asked for, of every boundary, centroid, probability, D and
    // Delta.
    const auto tree = context.quantities.tree(depth, std::max(tree_accuracy, bits_for(digits)));
    const std::uint64_t splits = (std::uint64_t{1} << tree->depth()) - 1;
    Decision out;
    out.bits = tree->working_bits + 16;
    out.checker_bits = checker_precision;
    out.cases = existing_splits(tree->codebook, out.bits);
    out.witness = {{"splits", {std::to_string(splits)}},
                   {"splits certified twice", {std::to_string(out.cases)}},
                   {"working precision", {std::to_string(tree->working_bits)}}};
    const bool all = out.cases == splits && least_accuracy(*tree) >= bits_for(digits);
    if (all) record_tree(*tree, out.records);
    return decided_if(all, Why::precision_cap, std::move(out));
}

bool mirrored(const Interval& x, const Interval& y) {
    const Interval image = neg(y);
    return mpfr_equal_p(x.lower(), image.lower()) != 0 && mpfr_equal_p(x.upper(), image.upper()) != 0;
}

bool antisymmetric(const std::vector<Interval>& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!mirrored(values[i], values[values.size() - 1 - i])) return false;
    return true;
}

/// The construction mirrors the upper half. What makes that right is that each split is the only one in its
/// cell: the mirror image of a split splits the mirrored cell. (lloyd-tree W n) checks the splits below zero
/// on their own.
Decision tree_is_symmetric(int depth, const Context& context) {
    const auto tree = context.quantities.tree(depth, tree_accuracy);
    Decision out;
    out.bits = tree->working_bits;
    out.checker_bits = checker_precision;
    bool same = true;
    for (int t = 1; t <= depth; ++t) {
        same =
            same && antisymmetric(tree->codebook.boundaries[t]) && antisymmetric(tree->codebook.centroids[t]);
        out.cases += tree->codebook.boundaries[t].size();
    }
    return decided_if(same, Why::not_shown, std::move(out));
}

/// Existence and uniqueness are what the enclosure's construction computes (lloyd_max.hpp); it throws
/// otherwise.
Decision optima_exist(int largest, long digits, const Context& context) {
    Decision out;
    out.bits = std::max(tree_accuracy, bits_for(digits));
    out.checker_bits = checker_precision;
    bool accurate = true;
    out.records.push_back("scale " + std::to_string(grid_bits));
    for (int t = 1; t <= largest; ++t) {
        const auto optimum = context.quantities.optimum(t, out.bits);
        accurate = accurate && optimum->distortion.accuracy() >= bits_for(digits);
        record_optimum(*optimum, t, out.records);
        out.cases += (std::uint64_t{1} << t) - 1; // midpoint conditions
    }
    out.witness = {{"midpoint conditions", {std::to_string(out.cases)}}};
    return decided_if(accurate, Why::precision_cap, std::move(out));
}

} // namespace

Decision decide_tree(const Formula& named, const Context& context) {
    return tree_exists(static_cast<int>(named.parameters[0]), named.parameters[1], context);
}

Decision decide_symmetry(const Formula& named, const Context& context) {
    return tree_is_symmetric(static_cast<int>(named.parameters[0]), context);
}

Decision decide_optima(const Formula& named, const Context& context) {
    return optima_exist(static_cast<int>(named.parameters[0]), named.parameters[1], context);
}

} // namespace kvproof
