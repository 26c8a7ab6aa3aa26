#include "lib/attention/gram.hpp"

#include "lib/attention/column_scale.hpp"
#include "lib/error.hpp"
#include "lib/portable/error_bound.hpp"
#include "lib/portable/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace kvproof {

namespace {

constexpr std::size_t block_rows = 128;

/// blocks[I][J], J <= I, of 8 x 8 sums += the outer products of one block of packed rows.
struct AddBlockRows {
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline void run(const double* left, const double* right, std::size_t strips,
                                                  std::size_t depth, double* blocks) {
        constexpr std::size_t area = strip * strip;
        for (std::size_t i = 0; i < strips; ++i)
            for (std::size_t j = 0; j <= i; ++j, blocks += area) {
                double sums[area] = {};
                outer_products<lanes, false>(left + i * depth * strip, right + j * depth * strip, depth,
                                             sums);
                for (std::size_t k = 0; k < area; k += lanes)
                    Lanes<lanes>::at(blocks + k) += Lanes<lanes>::at(sums + k);
            }
    }
};

double power_of_two(int exponent) {
    return std::ldexp(1.0, exponent);
}

/// Rows first..first + depth in strips of eight columns: packed[(s * depth + k) * 8 + c], each row times its
/// factor (a power of two or a weight) and each column times its power of two; zeros beyond the last column.
void pack(const MatrixView& e, std::size_t first, std::size_t depth, const std::vector<double>& row_factors,
          const std::vector<double>& column_factors, double* packed) {
    for (std::size_t s = 0; s * strip < e.columns; ++s) {
        const std::size_t width = std::min(strip, e.columns - s * strip);
        for (std::size_t k = 0; k < depth; ++k, packed += strip) {
            const double* row = e.data + (first + k) * e.row_step + s * strip * e.column_step;
            const double factor = row_factors.empty() ? 1 : row_factors[first + k];
            const double* factors = column_factors.data() + s * strip;
            if (e.column_step == 1 && width == strip) {
                for (std::size_t c = 0; c < strip; ++c) packed[c] = row[c] * factors[c] * factor;
                continue;
            }
            for (std::size_t c = 0; c < width; ++c) packed[c] = row[c * e.column_step] * factors[c] * factor;
            for (std::size_t c = width; c < strip; ++c) packed[c] = 0;
        }
    }
}

void require_weights(std::span<const double> weights, std::size_t rows) {
    if (weights.empty()) return;
    if (weights.size() != rows)
        throw Error(ErrorCode::internal, "Gram matrix: " + std::to_string(weights.size()) + " weights for " +
                                             std::to_string(rows) + " rows");
    for (std::size_t j = 0; j < rows; ++j)
        if (!(weights[j] >= 0 && weights[j] <= 0x1p200))
            throw Error(ErrorCode::bad_number, "Gram matrix: weight " + std::to_string(j) + " is " +
                                                   std::to_string(weights[j]) + ", expected 0 to 2^200");
}

} // namespace

// Underflow. Write x for an entry scaled by a power of two, y for its double: |x| < 2^24 + tiny and
// |x - y| <= 2^-1075. Then |x x' - y y'| <= 2^25 2^-1074, times a weight of at most 2^200. The products fl(w
// y) and fl(fl(w y) y') add half a subnormal each where they underflow, the first times |y'| < 2^25. Together
// less than 2^-847 a term, grown by at most 1 + gamma_m < 2 on its way through the sums: 2^-840 a term covers
// it.
Gram scaled_column_gram(const MatrixView& e, std::span<const int> row_exponents,
                        std::span<const int> column_exponents, const GramOptions& options) {
    require_weights(options.weights, e.rows);
    std::vector<double> row_factors(row_exponents.size());
    std::ranges::transform(row_exponents, row_factors.begin(), [](int k) { return power_of_two(-k); });
    std::vector<double> column_factors(e.columns, 1.0);
    std::ranges::transform(column_exponents, column_factors.begin(), [](int k) { return power_of_two(-k); });

    const std::size_t n = e.columns;
    const std::size_t strips = padded(n) / strip;
    const bool weighted = !options.weights.empty();
    std::vector<double> right(padded(n) * block_rows);
    std::vector<double> left(weighted ? right.size() : 0);
    std::vector<double> blocks(strips * (strips + 1) / 2 * strip * strip);
    for (std::size_t first = 0; first < e.rows; first += block_rows) {
        const std::size_t depth = std::min(block_rows, e.rows - first);
        pack(e, first, depth, row_factors, column_factors, right.data());
        if (weighted) {
            for (std::size_t i = 0; i < strips * depth; ++i)
                for (std::size_t c = 0; c < strip; ++c)
                    left[i * strip + c] = options.weights[first + i % depth] * right[i * strip + c];
        }
        run_kernel<AddBlockRows>(options.instructions, weighted ? left.data() : right.data(), right.data(),
                                 strips, depth, blocks.data());
    }

    Gram gram{n, std::vector<double>(n * n), 0, 0, 0};
    const double* block = blocks.data();
    for (std::size_t i = 0; i < strips; ++i)
        for (std::size_t j = 0; j <= i; ++j, block += strip * strip)
            for (std::size_t a = i * strip; a < std::min(n, (i + 1) * strip); ++a)
                for (std::size_t b = j * strip; b < std::min(a + 1, (j + 1) * strip); ++b)
                    gram.entries[a * n + b] = gram.entries[b * n + a] =
                        block[(a - i * strip) * strip + (b - j * strip)];
    // One or two products, block_rows - 1 sums in a block (its first sum is to 0), one for each block after
    // the first; two entries with their own roundings.
    const std::size_t block_count = (e.rows + block_rows - 1) / block_rows;
    gram.relative = gamma_up(std::min(block_rows, e.rows) + block_count + (weighted ? 1 : 0) +
                             std::uint64_t{2} * options.roundings);
    gram.absolute = mul_up(static_cast<double>(e.rows), 0x1p-840);
    return gram;
}

Gram column_gram(const MatrixView& e, const GramOptions& options) {
    const std::vector<double> maxima = column_maxima(e, options.instructions);
    const double most = maxima.empty() ? 0 : *std::ranges::max_element(maxima);
    const int exponent = scaling_exponent(most);
    const std::vector<int> exponents(e.columns, exponent);
    Gram gram = scaled_column_gram(e, {}, exponents, options);
    gram.exponent = 2 * exponent;
    if (most == 0) gram.absolute = 0; // zeros are exact: their largest eigenvalue is 0, not nearly 0
    return gram;
}

double Gram::diagonal_up(std::size_t a) const {
    return div_up(add_up(entries[a * size + a], absolute), sub_down(1, relative));
}

double Gram::diagonal_down(std::size_t a) const {
    return std::max(0.0, div_down(sub_down(entries[a * size + a], absolute), add_up(1, relative)));
}

SymmetricMatrix Gram::matrix() && {
    double trace = 0;
    for (std::size_t a = 0; a < size; ++a) trace = add_up(trace, diagonal_up(a));
    const double radius = add_up(mul_up(relative, trace), mul_up(static_cast<double>(size), absolute));
    return {size, std::move(entries), exponent, radius};
}

} // namespace kvproof
