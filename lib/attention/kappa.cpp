#include "lib/attention/kappa.hpp"

#include "lib/attention/column_scale.hpp"
#include "lib/attention/norm_up.hpp"
#include "lib/attention/vector_kernels.hpp"
#include "lib/portable/error_bound.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace kvproof {

namespace {

/// An item after its power of two: what multiplies it, and what is known of its norm.
struct ScaledItem {
    double scale = 0;  ///< s, or an upper bound of sqrt(w) where only w = s^2 is used; 0 for an item left out
    double t_down = 0; ///< bounds of (s ||e~||)^2
    double t_up = 0;
    double radius = 0; ///< of the item times its power of two
};

/// The items of a matrix as columns, their powers of two, and how many of them cannot be told from zero.
struct Items {
    std::vector<int> exponents;
    std::vector<ScaledItem> scaled;
    std::size_t uncertain = 0;
};

/// Takes an item in: `square_down` and `square_up` bound the square of its scaled norm. False where it is
/// left out.
bool admit(Items& items, std::size_t a, double square_down, double square_up, std::span<const double> radii) {
    const double radius = radii.empty() ? 0 : scale_up(radii[a], -items.exponents[a]);
    if (square_up == 0 && radius == 0) return false;
    if (!(radius < sqrt_down(square_down) / 2)) {
        ++items.uncertain;
        return false;
    }
    items.scaled[a].radius = radius;
    return true;
}

/// From bounds for the Gram matrix of the scaled known items to bounds for kappa.
EigenvalueBounds finish(EigenvalueBounds bounds, const Items& items) {
    std::vector<double> radii;
    double least = HUGE_VAL;
    double most = 0;
    for (const ScaledItem& item : items.scaled) {
        if (item.scale == 0) continue;
        // the exact item's norm lies within its radius of the known one's
        const double radius = mul_up(item.scale, item.radius);
        radii.push_back(radius);
        const double low = sub_down(sqrt_down(item.t_down), radius);
        const double high = add_up(sqrt_up(item.t_up), radius);
        least = std::min(least, mul_down(low, low));
        most = std::max(most, mul_up(high, high));
    }
    const auto uncertain = static_cast<double>(items.uncertain);
    if (radii.empty()) return {0, uncertain, EigenvalueMethod::dimension};
    bounds = widened(bounds, norm_up(radii.data(), radii.size()));
    bounds.lower = std::max(1.0, div_down(bounds.lower, most));
    bounds.upper = least > 0 ? div_up(bounds.upper, least) : HUGE_VAL;
    if (!(bounds.upper < static_cast<double>(radii.size()))) {
        bounds.upper = static_cast<double>(radii.size());
        bounds.method = EigenvalueMethod::dimension;
    }
    bounds.upper = add_up(bounds.upper, uncertain);
    return bounds;
}

/// By the Gram matrix of the items, normalised entry by entry. From |g~_ab - g_ab| <= relative sqrt(g_aa
/// g_bb) + absolute and two roundings, the entry fl(fl(g~_ab s_a) s_b) is within (relative + gamma_2 (1 +
/// relative)) sqrt(t_a t_b) + (1 + gamma_2) absolute s_a s_b of N_ab, and both parts are matrices of rank one
/// with norms that are sums over the diagonal.
EigenvalueBounds by_items(const MatrixView& e, Items items, std::span<const double> radii,
                          const EigenvalueOptions& options) {
    const Gram gram = scaled_column_gram(e, {}, items.exponents, {{}, 0, options.instructions});
    std::vector<std::size_t> kept;
    double trace = 0;
    double squares = 0;
    for (std::size_t a = 0; a < gram.size; ++a) {
        const double diagonal = gram.entries[a * gram.size + a];
        // a column of zeros has an exact zero here, and any other at least 2^-148
        const double up_square = diagonal == 0 ? 0 : gram.diagonal_up(a);
        if (!admit(items, a, gram.diagonal_down(a), up_square, radii)) continue;
        ScaledItem& item = items.scaled[a];
        item.scale = 1 / std::sqrt(diagonal);
        item.t_down = mul_down(mul_down(item.scale, item.scale), gram.diagonal_down(a));
        item.t_up = mul_up(mul_up(item.scale, item.scale), up_square);
        trace = add_up(trace, item.t_up);
        squares = add_up(squares, mul_up(item.scale, item.scale));
        kept.push_back(a);
    }
    SymmetricMatrix normalised{kept.size(), std::vector<double>(kept.size() * kept.size())};
    for (std::size_t i = 0; i < kept.size(); ++i)
        for (std::size_t j = 0; j <= i; ++j)
            normalised.entries[i * kept.size() + j] = normalised.entries[j * kept.size() + i] =
                gram.entries[kept[i] * gram.size + kept[j]] * items.scaled[kept[i]].scale *
                items.scaled[kept[j]].scale;
    const double relative = add_up(gram.relative, mul_up(gamma_up(2), add_up(1, gram.relative)));
    normalised.radius =
        add_up(add_up(mul_up(relative, trace), mul_up(mul_up(2, gram.absolute), squares)), 0x1p-1000);
    return finish(largest_eigenvalue(normalised, options), items);
}

/// The square of the norm of column a times 2^-exponent: eight running sums, each term through one product
/// and fewer than T sums.
double scaled_square(const MatrixView& e, std::size_t a, int exponent) {
    const double factor = std::ldexp(1.0, -exponent);
    const double* entry = e.data + a * e.column_step;
    double sums[8] = {};
    std::size_t j = 0;
    for (; j + 8 <= e.rows; j += 8)
        for (std::size_t c = 0; c < 8; ++c) {
            const double x = entry[(j + c) * e.row_step] * factor;
            sums[c] += x * x;
        }
    for (; j < e.rows; ++j) {
        const double x = entry[j * e.row_step] * factor;
        sums[0] += x * x;
    }
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

/// The squares of the norms of contiguous columns, where none is below 2^-150 of the largest: one
/// power of two serves all of them. Empty where that is not so.
std::vector<double> plain_squares(const MatrixView& e) {
    if (e.row_step != 1 || e.column_step != e.rows) return {};
    std::vector<double> squares(e.columns);
    const std::vector<double> zero(e.rows);
    squared_distances(e.data, zero.data(), e.columns, e.rows, squares.data());
    double least = HUGE_VAL;
    double most = 0;
    for (const double square : squares) {
        least = std::min(least, square);
        most = std::max(most, square);
    }
    // NaN fails here as well: with a NaN or infinite entry the sum below is not finite
    const double sum = std::accumulate(squares.begin(), squares.end(), 0.0);
    if (!(most < 0x1p800 && least > 0x1p-800 && least > most * 0x1p-150 && sum < 0x1p900)) return {};
    return squares;
}

/// By the other side: sum_a w_a e_a e_a' with w_a near 1/||e_a||^2 is T x T and has the eigenvalues of N.
EigenvalueBounds by_coordinates(const MatrixView& e, Items items, std::span<const double> plain,
                                std::span<const double> radii, const EigenvalueOptions& options) {
    const double gamma = gamma_up(e.rows + 4);
    const double absolute = mul_up(static_cast<double>(e.rows), 0x1p-1040); // as in gram.cpp, without weights
    std::vector<double> weights(e.columns);
    for (std::size_t a = 0; a < e.columns; ++a) {
        const double square = plain.empty() ? scaled_square(e, a, items.exponents[a])
                                            : times_power_of_two(plain[a], -2 * items.exponents[a]);
        const double square_up = square == 0 ? 0 : div_up(add_up(square, absolute), sub_down(1, gamma));
        const double square_down = std::max(0.0, div_down(sub_down(square, absolute), add_up(1, gamma)));
        if (!admit(items, a, square_down, square_up, radii)) continue;
        ScaledItem& item = items.scaled[a];
        weights[a] = 1 / square;
        item.scale = sqrt_up(weights[a]);
        item.t_down = mul_down(weights[a], square_down);
        item.t_up = mul_up(weights[a], square_up);
    }
    Gram gram = scaled_column_gram(e.transposed(), items.exponents, {}, {weights, 0, options.instructions});
    return finish(largest_eigenvalue(std::move(gram).matrix(), options), items);
}

} // namespace

EigenvalueBounds kappa_of_columns(const MatrixView& e, std::span<const double> radii,
                                  const EigenvalueOptions& options) {
    if (e.columns <= e.rows)
        return by_items(e, {column_exponents(e, options.instructions), std::vector<ScaledItem>(e.columns)},
                        radii, options);
    const std::vector<double> plain = plain_squares(e);
    std::vector<int> exponents;
    if (plain.empty())
        exponents = column_exponents(e, options.instructions);
    else // entries below 2, as far as the largest norm goes
        exponents.assign(e.columns, std::ilogb(std::sqrt(*std::ranges::max_element(plain))));
    return by_coordinates(e, {std::move(exponents), std::vector<ScaledItem>(e.columns)}, plain, radii,
                          options);
}

EigenvalueBounds kappa_of_rows(const MatrixView& e, std::span<const double> radii,
                               const EigenvalueOptions& options) {
    return kappa_of_columns(e.transposed(), radii, options);
}

} // namespace kvproof
