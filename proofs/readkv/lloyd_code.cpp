// ReadKV 3.1 and D.1: the progressive Gaussian Lloyd code. Lemma 7 itself needs no code: its rows are
// formulas.

#include "lib/codec/lloyd_max.hpp"
#include "lib/exact/decimal.hpp"
#include "proofs/functions.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof {
namespace {

/// Splits that exist by the independent check, out of all that the tree has.
std::uint64_t count_existing_splits(const LloydTree& tree, Bits bits) {
    std::uint64_t count = 0;
    for (int t = 0; t < tree.depth(); ++t)
        for (std::size_t cell = 0; cell < (std::size_t{1} << t); ++cell)
            if (split_exists(tree.codebook, t, cell, bits) == Truth::yes) ++count;
    return count;
}

/// The worst accuracy among everything the claim speaks of.
Bits worst_accuracy(const LloydTree& tree) {
    Bits worst = tree.working_bits;
    const auto take = [&worst](const Interval& x) {
        if (!x.is_point()) worst = std::min(worst, x.accuracy());
    };
    for (int t = 0; t <= tree.depth(); ++t) {
        std::ranges::for_each(tree.codebook.boundaries[t], take);
        std::ranges::for_each(tree.codebook.centroids[t], take);
        std::ranges::for_each(tree.levels[t].probabilities, take);
        take(tree.levels[t].distortion);
        if (tree.levels[t].gain) take(*tree.levels[t].gain);
    }
    return worst;
}

bool mirrored(const Interval& x, const Interval& y) {
    return mpfr_equal_p(x.lower(), neg(y).lower()) != 0 && mpfr_equal_p(x.upper(), neg(y).upper()) != 0;
}

bool antisymmetric(const std::vector<Interval>& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!mirrored(values[i], values[values.size() - 1 - i])) return false;
    return true;
}

} // namespace

Decision lloyd_tree_exists(const Claim& claim, const Context& context) {
    const auto depth = static_cast<int>(parameter(claim, "depth"));
    const long digits = parameter(claim, "digits");
    // n digits: a relative width of 10^-n, log2(10) < 3.322
    const Bits needed = digits * 3322 / 1000 + 1;
    const auto tree = context.quantities.tree(depth, needed);
    Decision out;
    out.bits = 2 * tree->working_bits;
    out.cases = count_existing_splits(*tree, out.bits);
    const std::uint64_t splits = (std::uint64_t{1} << tree->depth()) - 1;
    const Bits reached = worst_accuracy(*tree);
    out.witness = {{"splits", {std::to_string(splits)}},
                   {"splits certified twice", {std::to_string(out.cases)}},
                   {"accuracy in bits", {std::to_string(reached)}},
                   {"working precision", {std::to_string(tree->working_bits)}}};
    const bool proved = out.cases == splits && reached >= needed;
    out.verdict = proved ? Verdict::proved : Verdict::undecided;
    out.why = proved ? Why::none : Why::precision_cap;
    return out;
}

Decision lloyd_tree_is_symmetric(const Claim& claim, const Context& context) {
    const auto depth = static_cast<int>(parameter(claim, "depth"));
    const auto tree = context.quantities.tree(depth, 128);
    // The construction mirrors the upper half. What makes that right is uniqueness, so the lower half's
    // splits are checked here as if nothing were known of the upper half.
    Decision out;
    out.bits = 2 * tree->working_bits;
    bool same = true;
    for (int t = 0; t < depth; ++t) {
        for (std::size_t cell = 0; 2 * cell < (std::size_t{1} << t); ++cell, ++out.cases)
            same = same && split_exists(tree->codebook, t, cell, out.bits) == Truth::yes;
        same = same && antisymmetric(tree->codebook.boundaries[t + 1]) &&
               antisymmetric(tree->codebook.centroids[t + 1]);
    }
    out.verdict = same ? Verdict::proved : Verdict::undecided;
    out.why = same ? Why::none : Why::not_shown;
    out.witness = {{"splits below zero certified", {std::to_string(out.cases)}}};
    return both(std::move(out), decide(formula_part(claim), {}, context));
}

Decision nested_penalty(const Claim& claim, const Context& context) {
    Decision out = decide(formula_part(claim), {}, context);
    constexpr Bits bits = 128;
    constexpr int digits = 12;
    Witness nested{"D(t)", {}};
    Witness optimal{"optimal D(t)", {}};
    Witness penalty{"D(t) over the optimum", {}};
    Witness against_law{"D(t) over (pi sqrt(3)/2) 4^-t", {}};
    Witness against_bound{"D(t) over 4^-t", {}};
    const Interval law = mul(scale_by_power_of_two(pi(bits), -1), sqrt(Interval(Rational(3), 2), bits), bits);
    for (int t = 1; t <= default_depth; ++t) {
        const std::string depth = std::to_string(t);
        const Interval d = context.quantities.enclose("lloyd.distortion." + depth, bits);
        const Interval best = context.quantities.enclose("lloydmax.distortion." + depth, bits);
        const Interval scaled = scale_by_power_of_two(d, 2L * t);
        nested.values.push_back(shared_decimal(d, digits));
        optimal.values.push_back(shared_decimal(best, digits));
        // At t = 1, 2 the two are one quantiser (the tree's splits are midpoints of neighbours there):
        // ratio 1.
        penalty.values.push_back(t <= 2 ? "1" : shared_decimal(div(d, best, bits), digits));
        against_law.values.push_back(shared_decimal(div(scaled, law, bits), digits));
        against_bound.values.push_back(shared_decimal(scaled, digits));
    }
    for (Witness* row : {&nested, &optimal, &penalty, &against_law, &against_bound})
        out.witness.push_back(std::move(*row));
    out.enclosure.reset();
    out.exact.reset();
    return out;
}

} // namespace kvproof
