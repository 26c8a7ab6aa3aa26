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

/// What a block of packed rows is made from: rows first..first + depth of the matrix.
struct PackInput {
    const MatrixView& matrix;
    std::size_t first;
    std::size_t depth;
    const double* row_factors;    ///< powers of two, one a row
    const double* column_factors; ///< powers of two, one a column
    const double* weights;        ///< one a row; null where there are none
};

/// The rows in strips of eight columns: right[(s * depth + k) * 8 + c], each row and each column times its
/// power of two, zeros beyond the last column; and left, the same times the weight of its row.
struct Pack {
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline void run(const PackInput* input, double* left, double* right) {
        const MatrixView& e = input->matrix;
        const double* row_factors = input->row_factors + input->first;
        for (std::size_t s = 0; s * strip < e.columns; ++s, right += input->depth * strip) {
            const std::size_t width = e.columns - s * strip < strip ? e.columns - s * strip : strip;
            const double* corner = e.data + input->first * e.row_step + s * strip * e.column_step;
            const double* factors = input->column_factors + s * strip;
            if (e.column_step == 1 && width == strip)
                rows<lanes>(corner, e.row_step, input->depth, row_factors, factors, right);
            else
                columns<lanes>(corner, e, width, input->depth, row_factors, factors, right);
            if (input->weights == nullptr) continue;
            weighted<lanes>(right, input->weights + input->first, input->depth, left);
            left += input->depth * strip;
        }
    }

private:
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline void rows(const double* row, std::size_t step, std::size_t depth,
                                                   const double* row_factors, const double* factors,
                                                   double* packed) {
        using L = Lanes<lanes>;
        for (std::size_t k = 0; k < depth; ++k, row += step, packed += strip)
            for (std::size_t c = 0; c < strip; c += lanes)
                L::at(packed + c) = L::at(row + c) * L::at(factors + c) * row_factors[k];
    }

    /// Column by column: each is contiguous where the matrix is a transposed one.
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline void
    columns(const double* corner, const MatrixView& e, std::size_t width, std::size_t depth,
            const double* row_factors, const double* factors, double* packed) {
        std::size_t k = 0;
        if (e.row_step == 1 && width == strip)
            for (; k + lanes <= depth; k += lanes)
                transposed<lanes>(corner + k, e.column_step, row_factors + k, factors, packed + k * strip);
        for (; k < depth; ++k) {
            const double* row = corner + k * e.row_step;
            for (std::size_t c = 0; c < width; ++c)
                packed[k * strip + c] = row[c * e.column_step] * factors[c] * row_factors[k];
            for (std::size_t c = width; c < strip; ++c) packed[k * strip + c] = 0;
        }
    }

    /// Eight columns of `lanes` rows each, contiguous along a column, into rows.
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline void transposed(const double* column, std::size_t step,
                                                         const double* row_factors, const double* factors,
                                                         double* packed) {
        using L = Lanes<lanes>;
        double turned[strip][lanes];
        for (std::size_t c = 0; c < strip; ++c)
            L::at(turned[c]) = L::at(column + c * step) * factors[c] * L::at(row_factors);
        for (std::size_t k = 0; k < lanes; ++k)
            for (std::size_t c = 0; c < strip; ++c) packed[k * strip + c] = turned[c][k];
    }

    template <std::size_t lanes>
    [[gnu::always_inline]] static inline void weighted(const double* packed, const double* weights,
                                                       std::size_t depth, double* out) {
        using L = Lanes<lanes>;
        for (std::size_t k = 0; k < depth; ++k)
            for (std::size_t c = 0; c < strip; c += lanes)
                L::at(out + k * strip + c) = weights[k] * L::at(packed + k * strip + c);
    }
};

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
// |x - y| <= 2^-1075. Then |x x' - y y'| <= 2^25 2^-1074, times a weight of at most 2^200. The product fl(w
// y) and the fused sum with fl(w y) y' add half a subnormal each where they underflow, the first times |y'|
// < 2^25. Together less than 2^-847 a term, grown by at most 1 + gamma_m < 2 on its way through the sums:
// 2^-840 a term covers it.
Gram scaled_column_gram(const MatrixView& e, std::span<const int> row_exponents,
                        std::span<const int> column_exponents, const GramOptions& options) {
    require_weights(options.weights, e.rows);
    std::vector<double> row_factors(e.rows, 1.0);
    std::ranges::transform(row_exponents, row_factors.begin(),
                           [](int k) { return times_power_of_two(1, -k); });
    std::vector<double> column_factors(e.columns, 1.0);
    std::ranges::transform(column_exponents, column_factors.begin(),
                           [](int k) { return times_power_of_two(1, -k); });

    const std::size_t n = e.columns;
    const std::size_t strips = padded(n) / strip;
    const bool weighted = !options.weights.empty();
    std::vector<double> right(padded(n) * block_rows);
    std::vector<double> left(weighted ? right.size() : 0);
    std::vector<double> blocks(strips * (strips + 1) / 2 * strip * strip);
    for (std::size_t first = 0; first < e.rows; first += block_rows) {
        const std::size_t depth = std::min(block_rows, e.rows - first);
        const PackInput input{e,
                              first,
                              depth,
                              row_factors.data(),
                              column_factors.data(),
                              weighted ? options.weights.data() : nullptr};
        run_kernel<Pack>(options.instructions, &input, left.data(), right.data());
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
    // A product with the weight; in a block one rounding for the term and one for each after it, at most
    // block_rows; one for each block after the first; two entries with their own roundings.
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
