#include "lib/attention/sharp_bound.hpp"

#include "lib/attention/path_bound.hpp"
#include "lib/attention/vector_kernels.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof {
namespace {

/// The centres that both ends share, means under (alpha + alpha^)/2: any would do, these are good ones.
struct Centres {
    std::vector<double> values; // c
    double change = 0;          // e
};

Centres centres_of(const HeadView& view) {
    Centres out{std::vector<double>(view.dim), 0};
    for (std::size_t j = 0; j < view.tokens; ++j) {
        const double weight = 0.5 * (view.exact.probabilities[j] + view.reader.probabilities[j]);
        add_scaled(out.values.data(), weight, view.value(j), view.dim);
        out.change += weight * view.change[j];
    }
    return out;
}

/// |alpha_j - alpha^_j| from above.
double moved_up(const HeadView& view, std::size_t j) {
    if (!is_known(view.exact) || !is_known(view.reader)) return 1;
    const double apart = up(std::abs(view.exact.probabilities[j] - view.reader.probabilities[j]));
    const double exact =
        add_up(mul_up(mul_up(2, view.exact.relative), view.exact_up(j)), view.exact.absolute);
    const double reader =
        add_up(mul_up(mul_up(2, view.reader.relative), view.reader_up(j)), view.reader.absolute);
    return add_up(apart, add_up(exact, reader));
}

/// ||E_V' alpha^|| in two more ways: at most sum_j alpha^_j ||e_j||, and, as alpha^ sums to 1, at most the
/// root of lambda_max(sum_j alpha^_j e_j e_j') by Cauchy and Schwarz.
double value_term_up(const HeadView& view) {
    const ValueResiduals& values = view.values;
    double summed = 0;
    double loose = 0; // sum alpha^_j radius_j^2: what the computed residuals are off by, weighted
    std::vector<double> squares(view.tokens);
    for (std::size_t j = 0; j < view.tokens; ++j) {
        const double weight = view.reader_up(j);
        summed = add_up(summed, mul_up(weight, values.norms[j]));
        loose = add_up(loose, mul_up(weight, square_up(values.radii[j])));
        squares[j] = square_up(values.norms[j]);
    }
    const double spread = spread_up(values.residuals, view.dim, view.reader, squares);
    return std::min(summed, add_up(sqrt_up(spread), sqrt_up(loose)));
}

} // namespace

SharpBound sharp_bound(const HeadView& view, double kappa_term) {
    const Centres centres = centres_of(view);
    const double change_off = add_up(
        view.change_radius, mul_up(2 * unit_roundoff, add_up(std::abs(centres.change), view.largest_change)));
    std::vector<double> centred(view.tokens * view.dim);
    std::vector<double> squares(view.tokens);
    double transport = 0;
    double wander = 0; // s(alpha) + s(alpha^)
    for (std::size_t j = 0; j < view.tokens; ++j) {
        double* const row = centred.data() + j * view.dim;
        subtract(row, view.value(j), centres.values.data(), view.dim);
        const double length = mul_up(norm_up(row, view.dim), add_up(1, 2 * unit_roundoff));
        squares[j] = square_up(length);
        const double off = square_up(add_up(std::abs(view.change[j] - centres.change), change_off));
        wander = add_up(wander, mul_up(add_up(view.exact_up(j), view.reader_up(j)), off));
        transport = add_up(transport, mul_up(moved_up(view, j), length));
    }
    const double spread = add_up(spread_up(centred, view.dim, view.exact, squares),
                                 spread_up(centred, view.dim, view.reader, squares));
    SharpBound out;
    out.inverse_overlap = inverse_least_overlap(
        {view.reader_logits, view.change, 0, view.change_radius, view.reader, view.exact});
    // (lambda(alpha) + lambda(alpha^))/2 times (s(alpha) + s(alpha^))/2
    const double along = mul_up(out.inverse_overlap, sqrt_up(mul_up(0.5 * spread, 0.5 * wander)));
    out.by_transport = transport < along;
    out.attention = std::min(along, transport);
    out.value = std::min(sqrt_up(kappa_term), value_term_up(view));
    return out;
}

} // namespace kvproof
