#include "lib/attention/single_gram.hpp"

#include "lib/attention/column_scale.hpp"
#include "lib/portable/error_bound.hpp"
#include "lib/portable/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace kvproof {
namespace {

constexpr std::size_t block_rows = 128;
constexpr std::size_t area = strip * strip;

/// Floats in registers of `lanes` doubles, but no more than a strip.
template <std::size_t lanes>
struct FloatLanes {
    using Number = float;
    static constexpr std::size_t count = 2 * lanes < strip ? 2 * lanes : strip;
    // NOLINTNEXTLINE(modernize-use-using): an alias drops the attributes of a dependent type
    typedef float Vector __attribute__((vector_size(count * sizeof(float)), aligned(4), may_alias));
    // NOLINTNEXTLINE(modernize-use-using)
    typedef float Half __attribute__((vector_size(lanes * sizeof(float)), aligned(4), may_alias));
    [[gnu::always_inline]] static inline Vector& at(float* p) { return *reinterpret_cast<Vector*>(p); }
    [[gnu::always_inline]] static inline const Vector& at(const float* p) {
        return *reinterpret_cast<const Vector*>(p);
    }
    [[gnu::always_inline]] static inline Half& half(float* p) { return *reinterpret_cast<Half*>(p); }
};

/// Rows are packed as pairs of strips of eight columns: entry c of row k in strip s lies at
/// (s / 2 * depth + k) * 16 + s % 2 * 8 + c, so that a register of sixteen floats takes both strips.
constexpr std::size_t pair = 2 * strip;

struct Pairs {
    using Number = float;
    // NOLINTNEXTLINE(modernize-use-using)
    typedef float Vector __attribute__((vector_size(pair * sizeof(float)), aligned(4), may_alias));
    [[gnu::always_inline]] static inline const Vector& at(const float* p) {
        return *reinterpret_cast<const Vector*>(p);
    }
};

/// Strip s of packed rows.
[[gnu::always_inline]] inline const float* strip_of(const float* packed, std::size_t s, std::size_t depth) {
    return packed + s / 2 * depth * pair + s % 2 * strip;
}

/// One row times a factor into pairs of strips, `step` apart.
struct PackRow {
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline void run(const double* row, const double* centre, double factor,
                                                  std::size_t size, std::size_t step, float* packed) {
        using D = Lanes<lanes>;
        using F = FloatLanes<lanes>;
        for (std::size_t p = 0; p < size; p += pair, packed += step)
            for (std::size_t c = 0; c < pair && p + c < size; c += lanes) {
                const typename D::Vector y = (D::at(row + p + c) - D::at(centre + p + c)) * factor;
                F::half(packed + c) = __builtin_convertvector(y, typename F::Half);
            }
    }
};

/// blocks[I][J], J <= I, of 8 x 8 sums += the outer products of one block of packed rows, rows ascending.
struct AddBlock {
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline void run(const float* packed, std::size_t strips, std::size_t depth,
                                                  double* blocks) {
        for (std::size_t i = 0; i < strips; ++i) {
            const float* columns = strip_of(packed, i, depth);
            std::size_t j = 0;
            if constexpr (lanes == strip)
                for (; j + 1 <= i; j += 2, blocks += 2 * area)
                    two(columns, strip_of(packed, j, depth), depth, blocks);
            for (; j <= i; ++j, blocks += area)
                one<lanes>(columns, strip_of(packed, j, depth), depth, blocks);
        }
    }

private:
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline void one(const float* all_columns, const float* all_rows,
                                                  std::size_t depth, double* block) {
        using F = FloatLanes<lanes>;
        constexpr std::size_t vectors = strip / F::count;
        constexpr std::size_t height = strip / vectors; // eight accumulators hide the latency of a sum
        for (std::size_t top = 0; top < strip; top += height) {
            const float* columns = all_columns + top;
            const float* rows = all_rows;
            typename F::Vector sums[height][vectors] = {};
            for (std::size_t k = 0; k < depth; ++k, columns += pair, rows += pair) {
#pragma GCC unroll 8
                for (std::size_t r = 0; r < height; ++r)
#pragma GCC unroll 8
                    for (std::size_t v = 0; v < vectors; ++v)
                        add_fused<F>(sums[r][v], alone(columns + r), F::at(rows + v * F::count));
            }
            float out[height * strip];
            for (std::size_t r = 0; r < height; ++r)
                for (std::size_t v = 0; v < vectors; ++v) F::at(out + r * strip + v * F::count) = sums[r][v];
            for (std::size_t e = 0; e < height * strip; ++e)
                block[top * strip + e] += static_cast<double>(out[e]);
        }
    }

    /// Two neighbouring blocks at once, where a register holds two strips of floats.
    [[gnu::always_inline]] static inline void two(const float* columns, const float* rows, std::size_t depth,
                                                  double* blocks) {
        Pairs::Vector sums[strip] = {};
        for (std::size_t k = 0; k < depth; ++k, columns += pair, rows += pair)
#pragma GCC unroll 8
            for (std::size_t r = 0; r < strip; ++r)
                add_fused<Pairs>(sums[r], alone(columns + r), Pairs::at(rows));
        for (std::size_t r = 0; r < strip; ++r)
            for (std::size_t c = 0; c < strip; ++c) {
                blocks[r * strip + c] += static_cast<double>(sums[r][c]);
                blocks[area + r * strip + c] += static_cast<double>(sums[r][strip + c]);
            }
    }
};

/// An upper bound of n u / (1 - n u) for the unit roundoff u = 2^-24 of binary32.
double single_gamma_up(std::size_t n) {
    const double nu = static_cast<double>(n) * 0x1p-24;
    return nu < 1 ? div_up(nu, 1 - nu) : HUGE_VAL;
}

} // namespace

// The bound. With f the power of two, x = f sqrt(w) y exact, |x| < 2 (1 + tiny) since w <= 1. Roundings
// relative to the term |x_a| |x_b|: of binary32, one in each x, and in the fused sum one for the term and one
// for each after it; of binary64, in each x the centring, the root, and its product, and one a block. The
// latter are fewer than 2^28 and together less than two of binary32. Where binary32 underflows, each x and
// the product lose 2^-150, times a factor below 2.1: together less than 2^-147 a term.
Gram single_gram(const WeightedRows& input, Instructions instructions) {
    const std::size_t n = input.dim;
    const std::size_t size = padded(n);
    const std::size_t strips = size / strip;
    const std::size_t padded_pairs = (strips + 1) / 2 * pair;
    const int exponent = scaling_exponent(input.largest_norm);
    const double factor = std::ldexp(1.0, -exponent);
    std::vector<double> centre(size);
    std::ranges::copy(input.centre, centre.begin());
    std::vector<double> widened(n == size ? 0 : size);
    const auto packed = std::make_unique_for_overwrite<float[]>(padded_pairs * block_rows);
    std::vector<double> blocks(strips * (strips + 1) / 2 * area);
    const std::size_t count = input.chosen.size();
    for (std::size_t first = 0; first < count; first += block_rows) {
        const std::size_t depth = std::min(block_rows, count - first);
        for (std::size_t k = 0; k < depth; ++k) {
            const std::uint32_t j = input.chosen[first + k];
            const double* row = input.rows + j * n;
            if (n != size) {
                std::copy(row, row + n, widened.begin());
                row = widened.data();
            }
            run_kernel<PackRow>(instructions, row, static_cast<const double*>(centre.data()),
                                factor * std::sqrt(input.weights[j]), size, depth * pair,
                                packed.get() + k * pair);
        }
        run_kernel<AddBlock>(instructions, static_cast<const float*>(packed.get()), strips, depth,
                             blocks.data());
    }

    Gram gram{n, std::vector<double>(n * n), 2 * exponent, 0, 0};
    const double* block = blocks.data();
    for (std::size_t i = 0; i < strips; ++i)
        for (std::size_t j = 0; j <= i; ++j, block += area)
            for (std::size_t a = i * strip; a < std::min(n, (i + 1) * strip); ++a)
                for (std::size_t b = j * strip; b < std::min(a + 1, (j + 1) * strip); ++b)
                    gram.entries[a * n + b] = gram.entries[b * n + a] =
                        block[(a - i * strip) * strip + (b - j * strip)];
    gram.relative = single_gamma_up(std::min(block_rows, count) + 4);
    gram.absolute = mul_up(static_cast<double>(count), 0x1p-147);
    return gram;
}

} // namespace kvproof
