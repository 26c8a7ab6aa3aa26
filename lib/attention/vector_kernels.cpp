#include "lib/attention/vector_kernels.hpp"

#include "lib/portable/instructions.hpp"
#include "lib/portable/lanes.hpp"

namespace kvproof {
namespace {

/// The choice is made once: it costs more than a short vector.
const Instructions instructions = best_instructions();

struct AddScaled {
    template <int lanes>
    [[gnu::always_inline]] static void run(double* y, double factor, const double* x, std::size_t count) {
        std::size_t i = 0;
        for (; i + lanes <= count; i += lanes) Lanes<lanes>::at(y + i) += factor * Lanes<lanes>::at(x + i);
        for (; i < count; ++i) y[i] += factor * x[i];
    }
};

struct AddSquares {
    template <int lanes>
    [[gnu::always_inline]] static void run(double* y, const double* x, std::size_t count) {
        std::size_t i = 0;
        for (; i + lanes <= count; i += lanes)
            Lanes<lanes>::at(y + i) += Lanes<lanes>::at(x + i) * Lanes<lanes>::at(x + i);
        for (; i < count; ++i) y[i] += x[i] * x[i];
    }
};

struct Subtract {
    template <int lanes>
    [[gnu::always_inline]] static void run(double* out, const double* x, const double* y, std::size_t count) {
        std::size_t i = 0;
        for (; i + lanes <= count; i += lanes)
            Lanes<lanes>::at(out + i) = Lanes<lanes>::at(x + i) - Lanes<lanes>::at(y + i);
        for (; i < count; ++i) out[i] = x[i] - y[i];
    }
};

struct Divide {
    template <int lanes>
    [[gnu::always_inline]] static void run(double* x, double divisor, std::size_t count) {
        std::size_t i = 0;
        for (; i + lanes <= count; i += lanes) Lanes<lanes>::at(x + i) /= divisor;
        for (; i < count; ++i) x[i] /= divisor;
    }
};

struct SumOf {
    template <std::size_t lanes>
    [[gnu::always_inline]] static double run(const double* x, std::size_t count) {
        using L = Lanes<lanes>;
        constexpr std::size_t vectors = strip / lanes;
        typename L::Vector sums[vectors] = {};
        const std::size_t whole = count / strip * strip;
        for (std::size_t i = 0; i < whole; i += strip)
            for (std::size_t v = 0; v < vectors; ++v) sums[v] += L::at(x + i + v * lanes);
        double rest = 0;
        for (std::size_t i = whole; i < count; ++i) rest += x[i];
        return total_of<lanes>(sums) + rest;
    }
};

/// Beside the maximum runs a sum of x * 0: 0 for numbers, NaN for everything else, which a maximum would
/// swallow.
struct MagnitudeOf {
    template <std::size_t lanes>
    [[gnu::always_inline]] static Magnitude run(const double* x, std::size_t count) {
        using L = Lanes<lanes>;
        using V = typename L::Vector;
        constexpr std::size_t vectors = 2 * strip / lanes;
        constexpr std::size_t step = 2 * strip;
        V most[vectors] = {};
        V spoiled[vectors] = {};
        const std::size_t whole = count / step * step;
        for (std::size_t i = 0; i < whole; i += step)
            for (std::size_t v = 0; v < vectors; ++v) {
                const V entry = L::at(x + i + v * lanes);
                const V size = entry < 0 ? -entry : entry;
                most[v] = size > most[v] ? size : most[v];
                spoiled[v] += entry * 0;
            }
        double largest = 0;
        double sum = 0;
        for (std::size_t v = 0; v < vectors; ++v)
            for (std::size_t i = 0; i < lanes; ++i) {
                largest = most[v][i] > largest ? most[v][i] : largest;
                sum += spoiled[v][i];
            }
        for (std::size_t i = whole; i < count; ++i) {
            const double size = x[i] < 0 ? -x[i] : x[i];
            largest = size > largest ? size : largest;
            sum += x[i] * 0;
        }
        return {largest, sum == 0};
    }
};

struct DotProduct {
    template <int lanes>
    [[gnu::always_inline]] static double run(const double* x, const double* y, std::size_t count) {
        const std::size_t whole = count / strip * strip;
        double sum = dot<lanes>(x, y, whole);
        double rest = 0;
        for (std::size_t i = whole; i < count; ++i) rest += x[i] * y[i];
        return sum + rest;
    }
};

/// Row after row; two weightings and sixteen columns of the result, or eight, stay in registers.
struct AddWeightedRows {
    template <std::size_t lanes>
    [[gnu::always_inline]] static void run(double* out, const double* const* weights, std::size_t count,
                                           const double* rows, std::size_t tokens, std::size_t d) {
        std::size_t m = 0;
        for (; m + 2 <= count; m += 2) some<lanes, 2>(out + m * d, weights + m, rows, tokens, d);
        for (; m < count; ++m) some<lanes, 1>(out + m * d, weights + m, rows, tokens, d);
    }

private:
    template <std::size_t lanes, std::size_t several>
    [[gnu::always_inline]] static void some(double* out, const double* const* weights, const double* rows,
                                            std::size_t tokens, std::size_t d) {
        std::size_t c = 0;
        for (; c + 2 * strip <= d; c += 2 * strip)
            columns<lanes, several, 2 * strip>(out + c, weights, rows + c, tokens, d);
        for (; c + strip <= d; c += strip)
            columns<lanes, several, strip>(out + c, weights, rows + c, tokens, d);
        if (c == d) return;
        for (std::size_t m = 0; m < several; ++m)
            for (std::size_t j = 0; j < tokens; ++j)
                for (std::size_t a = c; a < d; ++a) out[m * d + a] += weights[m][j] * rows[j * d + a];
    }

    /// `width` columns of the result.
    template <std::size_t lanes, std::size_t several, std::size_t width>
    [[gnu::always_inline]] static void columns(double* out, const double* const* weights, const double* rows,
                                               std::size_t tokens, std::size_t d) {
        using L = Lanes<lanes>;
        constexpr std::size_t vectors = width / lanes;
        typename L::Vector sums[several][vectors];
        for (std::size_t m = 0; m < several; ++m)
            for (std::size_t v = 0; v < vectors; ++v) sums[m][v] = L::at(out + m * d + v * lanes);
        for (std::size_t j = 0; j < tokens; ++j)
#pragma GCC unroll 8
            for (std::size_t m = 0; m < several; ++m)
#pragma GCC unroll 8
                for (std::size_t v = 0; v < vectors; ++v)
                    sums[m][v] += weights[m][j] * L::at(rows + j * d + v * lanes);
        for (std::size_t m = 0; m < several; ++m)
            for (std::size_t v = 0; v < vectors; ++v) L::at(out + m * d + v * lanes) = sums[m][v];
    }
};

/// Pieces of two weightings stay in registers while the columns go by.
struct AddWeightedColumns {
    template <std::size_t lanes>
    [[gnu::always_inline]] static void run(double* out, const double* weights, std::size_t several,
                                           const Columns* columns) {
        const std::size_t count = columns->count;
        std::size_t m = 0;
        for (; m + 2 <= several; m += 2)
            some<lanes, 2>(out + m * count, weights + m * columns->columns, *columns);
        for (; m < several; ++m) some<lanes, 1>(out + m * count, weights + m * columns->columns, *columns);
    }

private:
    template <std::size_t lanes, std::size_t several>
    [[gnu::always_inline]] static void some(double* out, const double* weights, const Columns& of) {
        using L = Lanes<lanes>;
        constexpr std::size_t vectors = 4;
        constexpr std::size_t width = vectors * lanes;
        std::size_t j = 0;
        for (; j + width <= of.count; j += width) {
            typename L::Vector sums[several][vectors];
            for (std::size_t m = 0; m < several; ++m)
                for (std::size_t v = 0; v < vectors; ++v)
                    sums[m][v] = L::at(out + m * of.count + j + v * lanes);
            for (std::size_t c = 0; c < of.columns; ++c)
#pragma GCC unroll 4
                for (std::size_t v = 0; v < vectors; ++v) {
                    const typename L::Vector x = L::at(of.data + c * of.step + j + v * lanes);
#pragma GCC unroll 2
                    for (std::size_t m = 0; m < several; ++m) sums[m][v] += weights[m * of.columns + c] * x;
                }
            for (std::size_t m = 0; m < several; ++m)
                for (std::size_t v = 0; v < vectors; ++v)
                    L::at(out + m * of.count + j + v * lanes) = sums[m][v];
        }
        for (std::size_t m = 0; m < several; ++m)
            for (std::size_t c = 0; c < of.columns; ++c)
                for (std::size_t i = j; i < of.count; ++i)
                    out[m * of.count + i] += weights[m * of.columns + c] * of.data[c * of.step + i];
    }
};

/// Eight running sums a row, as in DotProduct.
struct SquaredDistances {
    template <std::size_t lanes>
    [[gnu::always_inline]] static void run(const double* rows, const double* centre, std::size_t tokens,
                                           std::size_t d, double* out) {
        using L = Lanes<lanes>;
        constexpr std::size_t vectors = strip / lanes;
        const std::size_t whole = d / strip * strip;
        for (std::size_t j = 0; j < tokens; ++j, rows += d) {
            typename L::Vector sums[vectors] = {};
            for (std::size_t a = 0; a < whole; a += strip)
                for (std::size_t v = 0; v < vectors; ++v) {
                    const typename L::Vector y = L::at(rows + a + v * lanes) - L::at(centre + a + v * lanes);
                    sums[v] += y * y;
                }
            double sum = total_of<lanes>(sums);
            for (std::size_t a = whole; a < d; ++a) {
                const double y = rows[a] - centre[a];
                sum += y * y;
            }
            out[j] = sum;
        }
    }
};

} // namespace

void add_weighted_rows(double* out, std::span<const double* const> weights, const double* rows,
                       std::size_t tokens, std::size_t d) {
    run_kernel<AddWeightedRows>(instructions, out, weights.data(), weights.size(), rows, tokens, d);
}

void add_weighted_columns(double* out, const double* weights, std::size_t several, const Columns& columns) {
    run_kernel<AddWeightedColumns>(instructions, out, weights, several, &columns);
}

void squared_distances(const double* rows, const double* centre, std::size_t tokens, std::size_t d,
                       double* out) {
    run_kernel<SquaredDistances>(instructions, rows, centre, tokens, d, out);
}

void add_scaled(double* y, double factor, const double* x, std::size_t count) {
    run_kernel<AddScaled>(instructions, y, factor, x, count);
}

void add_squares(double* y, const double* x, std::size_t count) {
    run_kernel<AddSquares>(instructions, y, x, count);
}

void subtract(double* out, const double* x, const double* y, std::size_t count) {
    run_kernel<Subtract>(instructions, out, x, y, count);
}

void divide(double* x, double divisor, std::size_t count) {
    run_kernel<Divide>(instructions, x, divisor, count);
}

double sum_of(const double* x, std::size_t count) {
    return run_kernel<SumOf>(instructions, x, count);
}

Magnitude magnitude_of(const double* x, std::size_t count) {
    return run_kernel<MagnitudeOf>(instructions, x, count);
}

double dot_product(const double* x, const double* y, std::size_t count) {
    return run_kernel<DotProduct>(instructions, x, y, count);
}

} // namespace kvproof
