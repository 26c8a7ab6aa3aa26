#include "lib/attention/kappa.hpp"

#include "lib/attention/column_scale.hpp"
#include "lib/attention/norm_up.hpp"
#include "lib/attention/vector_kernels.hpp"
#include "lib/portable/error_bound.hpp"
#include "lib/portable/exp.hpp"
#include "lib/portable/instructions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace kvproof {

namespace {

/// What the known items, scaled by s_a to norms near 1, say of the rest of the bound.
struct Known {
    std::vector<double> radii; ///< of s_a e~_a; 0 for items left out
    double least = HUGE_VAL;   ///< bounds of all (s_a ||e_a||)^2, e_a the exact items
    double most = 0;
    std::size_t count = 0;
    std::size_t uncertain = 0; ///< items that cannot be told from zero
};

/// An item after its power of two: what multiplies it, and what is known of its norm.
struct ScaledItem {
    double scale = 0;  ///< s, or an upper bound of sqrt(w) where only w = s^2 is used
    double t_down = 0; ///< bounds of (s ||e~||)^2
    double t_up = 0;
    double radius = 0; ///< of the item times its power of two
};

/// The radius of item a times its power of two.
double radius_of(std::span<const double> radii, std::size_t a, int exponent) {
    return radii.empty() ? 0 : scale_up(radii[a], -exponent);
}

/// Whether an item is kept, by bounds of the square of its scaled norm: neither zero nor uncertain.
bool admit(Known& known, double square_down, double square_up, double radius) {
    if (square_up == 0 && radius == 0) return false;
    if (radius < sqrt_down(square_down) / 2) return true;
    ++known.uncertain;
    return false;
}

void take(Known& known, std::size_t a, const ScaledItem& item) {
    // the exact item's norm lies within its radius of the known one's
    const double radius = mul_up(item.scale, item.radius);
    known.radii[a] = radius;
    const double low = sub_down(sqrt_down(item.t_down), radius);
    const double high = add_up(sqrt_up(item.t_up), radius);
    known.least = std::min(known.least, mul_down(low, low));
    known.most = std::max(known.most, mul_up(high, high));
    ++known.count;
}

/// From bounds for the Gram matrix of the scaled known items to bounds for kappa.
EigenvalueBounds finish(EigenvalueBounds bounds, const Known& known) {
    const auto uncertain = static_cast<double>(known.uncertain);
    if (known.count == 0) return {0, uncertain, EigenvalueMethod::dimension};
    bounds = widened(bounds, norm_up(known.radii.data(), known.radii.size()));
    bounds.lower = std::max(1.0, div_down(bounds.lower, known.most));
    bounds.upper = known.least > 0 ? div_up(bounds.upper, known.least) : HUGE_VAL;
    if (!(bounds.upper < static_cast<double>(known.count))) {
        bounds.upper = static_cast<double>(known.count);
        bounds.method = EigenvalueMethod::dimension;
    }
    bounds.upper = add_up(bounds.upper, uncertain);
    return bounds;
}

/// By the Gram matrix of the items, normalised entry by entry. From |g~_ab - g_ab| <= relative sqrt(g_aa
/// g_bb) + absolute and two roundings, the entry fl(fl(g~_ab s_a) s_b) is within (relative + gamma_2 (1 +
/// relative)) sqrt(t_a t_b) + (1 + gamma_2) absolute s_a s_b of N_ab, and both parts are matrices of rank one
/// with norms that are sums over the diagonal.
EigenvalueBounds by_items(const MatrixView& e, const std::vector<int>& exponents,
                          std::span<const double> radii, const EigenvalueOptions& options) {
    const Gram gram = scaled_column_gram(e, {}, exponents, {{}, 0, options.instructions});
    Known known;
    known.radii.resize(e.columns);
    std::vector<double> scales(e.columns);
    std::vector<std::size_t> kept;
    double trace = 0;
    double squares = 0;
    for (std::size_t a = 0; a < gram.size; ++a) {
        const double diagonal = gram.entries[a * gram.size + a];
        // a column of zeros has an exact zero here, and any other at least 2^-148
        const double up_square = diagonal == 0 ? 0 : gram.diagonal_up(a);
        ScaledItem item;
        item.radius = radius_of(radii, a, exponents[a]);
        if (!admit(known, gram.diagonal_down(a), up_square, item.radius)) continue;
        item.scale = scales[a] = 1 / std::sqrt(diagonal);
        item.t_down = mul_down(mul_down(item.scale, item.scale), gram.diagonal_down(a));
        item.t_up = mul_up(mul_up(item.scale, item.scale), up_square);
        take(known, a, item);
        trace = add_up(trace, item.t_up);
        squares = add_up(squares, mul_up(item.scale, item.scale));
        kept.push_back(a);
    }
    SymmetricMatrix normalised{kept.size(), std::vector<double>(kept.size() * kept.size())};
    for (std::size_t i = 0; i < kept.size(); ++i)
        for (std::size_t j = 0; j <= i; ++j)
            normalised.entries[i * kept.size() + j] = normalised.entries[j * kept.size() + i] =
                gram.entries[kept[i] * gram.size + kept[j]] * scales[kept[i]] * scales[kept[j]];
    const double relative = add_up(gram.relative, mul_up(gamma_up(2), add_up(1, gram.relative)));
    normalised.radius =
        add_up(add_up(mul_up(relative, trace), mul_up(mul_up(2, gram.absolute), squares)), 0x1p-1000);
    return finish(largest_eigenvalue(normalised, options), known);
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

/// The items of by_coordinates where one power of two serves all: squares of norms between 2^-150 and 4, in
/// vectors. Each step is `by_coordinates`' own, but that radii are rounded up whether they need it or not.
struct PlainItems {
    const double* squares; ///< of the items
    const double* radii;   ///< null where they are 0
    double square_factor;  ///< the power of two for squares
    double factor;         ///< and for norms
    double absolute;
    double one_less, one_more; ///< 1 - gamma from below, 1 + gamma from above
};

struct TakePlainItems {
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline void run(const PlainItems* items, std::size_t count,
                                                  double* __restrict__ weights, double* __restrict__ radii,
                                                  double* __restrict__ lows, double* __restrict__ highs) {
        const PlainItems of = *items;
        for (std::size_t a = 0; a < count; ++a) {
            const double square = of.squares[a] * of.square_factor;
            const double square_up = above(above(square + of.absolute) / of.one_less);
            const double square_down = below(below(square - of.absolute) / of.one_more);
            const double given = of.radii == nullptr ? 0 : of.radii[a];
            const double radius = portable::choose(given == 0, 0, above(given * of.factor));
            const bool kept = radius < below(std::sqrt(square_down)) / 2;
            const double weight = 1 / square;
            const double scaled = portable::choose(radius == 0, 0, above(above(std::sqrt(weight)) * radius));
            const double low = below(below(std::sqrt(below(weight * square_down))) - scaled);
            const double high = above(above(std::sqrt(above(weight * square_up))) + scaled);
            weights[a] = portable::choose(kept, weight, 0);
            radii[a] = portable::choose(kept, scaled, 0);
            lows[a] = portable::choose(kept, below(low * low), HUGE_VAL);
            highs[a] = portable::choose(kept, above(high * high), 0);
        }
    }

private:
    /// Neighbours of positive numbers.
    [[gnu::always_inline]] static inline double above(double x) {
        return portable::from_bits(portable::bits_of(x) + 1);
    }
    [[gnu::always_inline]] static inline double below(double x) {
        return portable::from_bits(portable::bits_of(x) - 1);
    }
};

/// By the other side: sum_a w_a e_a e_a' with w_a near 1/||e_a||^2 is T x T and has the eigenvalues of N.
/// `plain` may hold the squares of the norms, where one power of two serves all items.
EigenvalueBounds by_coordinates(const MatrixView& e, const std::vector<int>& exponents,
                                std::span<const double> plain, std::span<const double> radii,
                                const EigenvalueOptions& options) {
    const double gamma = gamma_up(e.rows + 4);
    const double absolute = mul_up(static_cast<double>(e.rows), 0x1p-1040); // as in gram.cpp, without weights
    const double one_less = sub_down(1, gamma);
    const double one_more = add_up(1, gamma);
    Known known;
    known.radii.resize(e.columns);
    std::vector<double> weights(e.columns);
    if (!plain.empty()) {
        const int exponent = exponents.front();
        const PlainItems items{plain.data(),
                               radii.empty() ? nullptr : radii.data(),
                               times_power_of_two(1, -2 * exponent),
                               times_power_of_two(1, -exponent),
                               absolute,
                               one_less,
                               one_more};
        std::vector<double> lows(e.columns);
        std::vector<double> highs(e.columns);
        run_kernel<TakePlainItems>(options.instructions, &items, e.columns, weights.data(),
                                   known.radii.data(), lows.data(), highs.data());
        known.least = *std::ranges::min_element(lows);
        known.most = *std::ranges::max_element(highs);
        known.uncertain = static_cast<std::size_t>(std::ranges::count(weights, 0.0));
        known.count = e.columns - known.uncertain;
    } else {
        for (std::size_t a = 0; a < e.columns; ++a) {
            const double square = scaled_square(e, a, exponents[a]);
            const double square_up = square == 0 ? 0 : div_up(add_up(square, absolute), one_less);
            const double square_down = std::max(0.0, div_down(sub_down(square, absolute), one_more));
            ScaledItem item;
            item.radius = radius_of(radii, a, exponents[a]);
            if (!admit(known, square_down, square_up, item.radius)) continue;
            weights[a] = 1 / square;
            item.scale = sqrt_up(weights[a]);
            item.t_down = mul_down(weights[a], square_down);
            item.t_up = mul_up(weights[a], square_up);
            take(known, a, item);
        }
    }
    Gram gram = scaled_column_gram(e.transposed(), exponents, {}, {weights, 0, options.instructions});
    return finish(largest_eigenvalue(std::move(gram).matrix(), options), known);
}

} // namespace

EigenvalueBounds kappa_of_columns(const MatrixView& e, std::span<const double> radii,
                                  const EigenvalueOptions& options) {
    if (e.columns <= e.rows) return by_items(e, column_exponents(e, options.instructions), radii, options);
    const std::vector<double> plain = plain_squares(e);
    std::vector<int> exponents;
    if (plain.empty())
        exponents = column_exponents(e, options.instructions);
    else // entries below 2, as far as the largest norm goes
        exponents.assign(e.columns, std::ilogb(std::sqrt(*std::ranges::max_element(plain))));
    return by_coordinates(e, exponents, plain, radii, options);
}

EigenvalueBounds kappa_of_rows(const MatrixView& e, std::span<const double> radii,
                               const EigenvalueOptions& options) {
    return kappa_of_columns(e.transposed(), radii, options);
}

} // namespace kvproof
