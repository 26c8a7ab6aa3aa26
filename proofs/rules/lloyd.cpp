// Statements about the Lloyd code, each established twice: while the tree is built (signs from the tail
// erfc), and again from nothing but its enclosures (signs from erf at twice the precision).

#include "lib/error.hpp"
#include "proofs/rules/decide.hpp"

#include <algorithm>

namespace kvproof {
namespace {

/// log2(10) < 3.322: n digits are a relative width of 10^-n.
Bits bits_for(long digits) {
    return digits * 3322 / 1000 + 1;
}

/// Splits of depth `t` cells that the independent check finds, over the cells first..last-1.
std::uint64_t existing_splits(const LloydTree& tree, int t, std::size_t last, Bits bits) {
    std::uint64_t count = 0;
    for (std::size_t cell = 0; cell < last; ++cell)
        if (split_exists(tree.codebook, t, cell, bits) == Truth::yes) ++count;
    return count;
}

Decision decided_if(bool shown, Why otherwise, Decision out) {
    out.verdict = shown ? Verdict::proved : Verdict::undecided;
    out.why = shown ? Why::none : otherwise;
    return out;
}

Decision tree_exists(int depth, long digits, const Context& context) {
    // The construction promises the accuracy asked for, of every boundary, centroid, probability, D and
    // Delta.
    const auto tree = context.quantities.tree(depth, bits_for(digits));
    const std::uint64_t splits = (std::uint64_t{1} << tree->depth()) - 1;
    Decision out;
    out.bits = 2 * tree->working_bits;
    for (int t = 0; t < tree->depth(); ++t)
        out.cases += existing_splits(*tree, t, std::size_t{1} << t, out.bits);
    out.witness = {{"splits", {std::to_string(splits)}},
                   {"splits certified twice", {std::to_string(out.cases)}},
                   {"working precision", {std::to_string(tree->working_bits)}}};
    const bool all = out.cases == splits && least_accuracy(*tree) >= bits_for(digits);
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

/// The construction mirrors the upper half. What makes that right is uniqueness, so the lower half's splits
/// are checked here as if nothing were known of the upper half.
Decision tree_is_symmetric(int depth, const Context& context) {
    const auto tree = context.quantities.tree(depth, 128);
    Decision out;
    out.bits = 2 * tree->working_bits;
    bool same = true;
    for (int t = 0; t < depth; ++t) {
        const std::size_t lower_half = std::max<std::size_t>(1, (std::size_t{1} << t) / 2);
        const std::uint64_t found = existing_splits(*tree, t, lower_half, out.bits);
        same = same && found == lower_half && antisymmetric(tree->codebook.boundaries[t + 1]) &&
               antisymmetric(tree->codebook.centroids[t + 1]);
        out.cases += found;
    }
    out.witness = {{"splits below zero certified", {std::to_string(out.cases)}}};
    return decided_if(same, Why::not_shown, std::move(out));
}

/// Existence and uniqueness are what the enclosure's construction computes (lloyd_max.hpp); it throws
/// otherwise.
Decision optima_exist(int largest, long digits, const Context& context) {
    Decision out;
    out.bits = bits_for(digits);
    bool accurate = true;
    for (int t = 1; t <= largest; ++t) {
        const Interval distortion =
            context.quantities.enclose("lloydmax.distortion." + std::to_string(t), bits_for(digits));
        accurate = accurate && distortion.accuracy() >= bits_for(digits);
        out.cases += (std::uint64_t{1} << t) - 1; // midpoint conditions
    }
    out.witness = {{"midpoint conditions", {std::to_string(out.cases)}}};
    return decided_if(accurate, Why::precision_cap, std::move(out));
}

} // namespace

Decision decide_named(const Formula& named, const Context& context) {
    const auto& p = named.parameters;
    if (named.name == "lloyd-tree") return tree_exists(static_cast<int>(p[0]), p[1], context);
    if (named.name == "lloyd-symmetric") return tree_is_symmetric(static_cast<int>(p[0]), context);
    if (named.name == "lloyd-max") return optima_exist(static_cast<int>(p[0]), p[1], context);
    if (named.name != "pending") throw Error(ErrorCode::internal, "no rule decides " + named.name);
    Decision out;
    out.why = Why::missing_part;
    out.witness = {{"missing", {named.missing}}};
    return out;
}

} // namespace kvproof
