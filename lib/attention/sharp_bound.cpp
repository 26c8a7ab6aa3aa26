#include "lib/attention/sharp_bound.hpp"

#include "lib/attention/spread.hpp"
#include "lib/attention/vector_kernels.hpp"
#include "lib/portable/lanes.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof {
namespace {

/// An upper bound (1 + share) p + constant of a weight p that is known to Softmax's bounds.
struct WeightUp {
    double share;
    double constant;
    explicit WeightUp(const Softmax& p) : share(mul_up(2, p.relative)), constant(mul_up(2, p.absolute)) {}
};

/// What the sums over tokens need beside the arrays.
struct Terms {
    const double* exact;
    const double* reader;
    const double* change;
    const double* lengths;
    const double* residual_norms;
    const double* residual_radii;
    double exact_share, reader_share; ///< of WeightUp
    double constants;                 ///< twice the sum of both, so that underflow is covered
    double centre, off;               ///< e, and what Delta - e is off by
};

/// Sums over the tokens, each of nonnegative terms: computed, with the roundings still to be counted.
struct Sums {
    double transport;      ///< |alpha - alpha^| ||v - c||
    double discrimination; ///< (alpha - alpha^)^2 / (alpha + alpha^), at most alpha + alpha^
    double variance;       ///< (alpha + alpha^)(Delta - e)^2
    double residual;       ///< alpha^ ||e||
    double loose;          ///< alpha^ radius^2: what the computed residuals are off by, weighted
};
constexpr std::size_t sum_count = 5;

/// Eight running sums of each, j mod 8, then a fixed tree.
struct SumTerms {
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline void run(const Terms* t, std::size_t tokens, Sums* out) {
        using Vector = typename Lanes<lanes>::Vector;
        constexpr std::size_t vectors = strip / lanes;
        const std::size_t whole = tokens / strip * strip;
        Vector sums[sum_count][vectors] = {};
        for (std::size_t j = 0; j < whole; j += strip)
            for (std::size_t v = 0; v < vectors; ++v) {
                Vector* const each[sum_count] = {&sums[0][v], &sums[1][v], &sums[2][v], &sums[3][v],
                                                 &sums[4][v]};
                add<Lanes<lanes>>(*t, j + v * lanes, each);
            }
        using One = Lanes<1>;
        double total[sum_count];
        One::Vector* rest[sum_count];
        for (std::size_t k = 0; k < sum_count; ++k) {
            total[k] = total_of<lanes>(sums[k]);
            rest[k] = &One::at(total + k);
        }
        for (std::size_t i = whole; i < tokens; ++i) add<One>(*t, i, rest);
        *out = {total[0], total[1], total[2], total[3], total[4]};
    }

private:
    /// The terms of tokens i, i + 1, ... (a vector of them) onto the four sums.
    template <class L>
    [[gnu::always_inline]] static inline void add(const Terms& t, std::size_t i,
                                                  typename L::Vector* const* sums) {
        using Vector = typename L::Vector;
        const Vector exact = L::at(t.exact + i);
        const Vector reader = L::at(t.reader + i);
        const Vector radius = L::at(t.residual_radii + i);
        const Vector from_centre = L::at(t.change + i) - t.centre;
        const Vector off = (from_centre < 0 ? -from_centre : from_centre) + t.off;
        const Vector unknown = (t.exact_share * exact + t.reader_share * reader) + t.constants;
        const Vector difference = exact - reader;
        const Vector moved = (difference < 0 ? -difference : difference) + unknown;
        const Vector least = (exact + reader) - unknown; // of alpha + alpha^
        const Vector most = (exact + reader) + unknown;
        const Vector read = (reader + t.reader_share * reader) + t.constants;
        *sums[0] += moved * L::at(t.lengths + i);
        *sums[1] += least > moved ? moved * moved / least : most;
        *sums[2] += most * (off * off);
        *sums[3] += read * L::at(t.residual_norms + i);
        *sums[4] += read * (radius * radius);
    }
};

/// m = (alpha + alpha^)/2, known as well as the worse of the two, and to one rounding of its own.
Softmax mean_of(const Softmax& a, const Softmax& b) {
    Softmax out;
    out.probabilities.resize(a.probabilities.size());
    for (std::size_t j = 0; j < out.probabilities.size(); ++j)
        out.probabilities[j] = 0.5 * (a.probabilities[j] + b.probabilities[j]);
    out.relative = add_up(std::max(a.relative, b.relative), 4 * unit_roundoff);
    out.absolute = add_up(std::max(a.absolute, b.absolute), 0x1p-1072);
    return out;
}

/// e: a mean of Delta under (alpha + alpha^)/2.
double centre_of_change(const HeadView& view) {
    const double exact = dot_product(view.exact.probabilities.data(), view.change.data(), view.tokens);
    return 0.5 * (exact + dot_product(view.reader.probabilities.data(), view.change.data(), view.tokens));
}

} // namespace

SharpBound sharp_bound(const HeadView& view, const std::vector<double>& centre, double kappa_term) {
    const ValueResiduals& values = view.values;
    const double middle = centre_of_change(view);
    const RowNorms lengths = row_norms_up(view.value(0), centre.data(), view.tokens, view.dim);
    const WeightUp exact_up(view.exact);
    const WeightUp reader_up(view.reader);
    const Terms terms{
        view.exact.probabilities.data(),
        view.reader.probabilities.data(),
        view.change.data(),
        lengths.norms.data(),
        values.norms.data(),
        values.radii.data(),
        exact_up.share,
        reader_up.share,
        mul_up(2, add_up(exact_up.constant, reader_up.constant)),
        middle,
        add_up(view.change_radius, mul_up(4 * unit_roundoff, add_up(std::abs(middle), view.largest_change)))};
    Sums sums{};
    run_kernel<SumTerms>(best_instructions(), &terms, view.tokens, &sums);
    // ten roundings a term, and the sum's; each term may lose 2^-1074 a few times
    const double grown = add_up(1, gamma_up(2 * view.tokens + 32));
    const double lost = static_cast<double>(view.tokens) * 0x1p-1064;
    const auto sum_up = [&](double sum) { return add_up(mul_up(sum, grown), lost); };

    SharpBound out;
    out.discrimination = mul_up(2, sum_up(sums.discrimination)); // m is half of alpha + alpha^
    out.logit_variance = mul_up(0.5, sum_up(sums.variance));
    const double spread = spread_up(std::span(view.value(0), view.tokens * view.dim), view.dim,
                                    mean_of(view.exact, view.reader), lengths.squares, centre);
    const double by_spread = sqrt_up(mul_up(spread, std::min(out.discrimination, out.logit_variance)));
    const double transport = sum_up(sums.transport);
    out.by_transport = transport < by_spread;
    out.attention = std::min(by_spread, transport);

    // ||E_V' alpha^|| in two more ways: at most sum_j alpha^_j ||e_j||, and, as alpha^ sums to 1, at most the
    // root of lambda_max(sum_j alpha^_j e_j e_j') by Cauchy and Schwarz
    const double inside = spread_up(values.residuals, view.dim, view.reader, values.squares);
    const double weighted = add_up(sqrt_up(inside), sqrt_up(sum_up(sums.loose)));
    out.value = std::min({sqrt_up(kappa_term), sum_up(sums.residual), weighted});
    return out;
}

} // namespace kvproof
