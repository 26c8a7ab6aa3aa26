#pragma once

#include "lib/attention/matrix.hpp"
#include "lib/portable/instructions.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace kvproof {

/// A computed Gram matrix with its a-priori error bound. The exact one is 2^exponent g, where for all a, b
///
///     |g_ab - entries_ab| <= relative sqrt(g_aa g_bb) + absolute.
///
/// Why: entries_ab is a sum of T terms w_j e_ja e_jb. A term passes through at most m roundings: its
/// own (fused with the sum so far, after its weight's product), the later sums within its block of rows, the
/// sums over blocks. So fl(g_ab) = sum_j w_j e_ja e_jb (1 + t_j), |t_j| <= gamma_m, and the error is at most
/// gamma_m sum_j w_j |e_ja| |e_jb| <= gamma_m sqrt(g_aa g_bb) by Cauchy and Schwarz, for w >= 0. Summing in
/// blocks of 128 rows makes m = 128 + T/128 rather than T, on every machine. `absolute` holds what underflow
/// may add (see gram.cpp).
struct Gram {
    std::size_t size = 0;
    std::vector<double> entries; ///< size * size, row-major, symmetric
    int exponent = 0;
    double relative = 0;
    double absolute = 0;

    /// The same as a matrix with a radius. ||D||_2 <= relative sum_a g_aa + size absolute, since the matrix
    /// of sqrt(g_aa g_bb) has rank one and norm sum_a g_aa; and the diagonal bounds itself: g_aa <=
    /// (entries_aa + absolute) / (1 - relative).
    [[nodiscard]] SymmetricMatrix matrix() &&;
    /// Upper and lower bounds of g_aa, the scaled diagonal.
    [[nodiscard]] double diagonal_up(std::size_t a) const;
    [[nodiscard]] double diagonal_down(std::size_t a) const;
};

struct GramOptions {
    /// One weight w_j a row, finite and in [0, 2^200]; none means 1.
    std::span<const double> weights = {};
    /// How many roundings are in each entry of E: E = exact E times 1 + t, |t| <= gamma_roundings. A centred
    /// matrix fl(v - c) has one. The result then encloses the Gram matrix of the exact E.
    unsigned roundings = 0;
    Instructions instructions = best_instructions();
};

/// sum_j w_j e_j e_j' over the rows e_j of a T x n matrix: n x n (ReadKV E.3.3: G_K; with weights the
/// covariances of the sharper certificate). For E E' pass e.transposed(). Columns are scaled by one power of
/// two, so that neither overflows nor underflows. Throws Error(bad_number) on an entry or a weight that is
/// not finite, and on a weight out of range. Time: T n^2 / 2 multiplications and as many additions.
[[nodiscard]] Gram column_gram(const MatrixView& e, const GramOptions& options = {});

/// The same for the matrix 2^-(row_exponents[j] + column_exponents[a]) e_ja, whose entries must be below 2^24
/// in magnitude; exponents within [-1000, 1000], and one of the two lists empty (all zero). Its `exponent` is
/// 0.
[[nodiscard]] Gram scaled_column_gram(const MatrixView& e, std::span<const int> row_exponents,
                                      std::span<const int> column_exponents, const GramOptions& options = {});

} // namespace kvproof
