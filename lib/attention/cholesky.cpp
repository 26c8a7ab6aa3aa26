#include "lib/attention/cholesky.hpp"

#include "lib/portable/error_bound.hpp"
#include "lib/portable/lanes.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof {

namespace {

/// Factors padded strips in place; the first row without a positive pivot, or `size`. Left-looking by blocks
/// of eight columns: a block first loses the products of all columns before it, in registers, then is
/// finished.
struct FactorStrips {
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline std::size_t run(double* strips, std::size_t size) {
        const std::size_t count = size / strip;
        const std::size_t step = size * strip; // from a strip to the next
        for (std::size_t j = 0; j < count; ++j) {
            const double* row = strips + j * step;
            double* diagonal = strips + j * step + j * strip * strip;
            outer_products<lanes, true>(row, row, j * strip, diagonal);
            const std::size_t failed = factor_diagonal(diagonal);
            if (failed < strip) return j * strip + failed;
            for (std::size_t i = j + 1; i < count; ++i) {
                double* block = strips + i * step + j * strip * strip;
                outer_products<lanes, true>(row, strips + i * step, j * strip, block);
                solve<lanes>(diagonal, block);
            }
        }
        return size;
    }

private:
    /// An 8 x 8 block, column by column: block[c][r] = l_rc. What lies above its diagonal is never read.
    [[gnu::always_inline]] static inline std::size_t factor_diagonal(double* block) {
        for (std::size_t c = 0; c < strip; ++c) {
            const double pivot = block[c * strip + c];
            if (!(pivot > 0)) return c;
            const double root = std::sqrt(pivot);
            block[c * strip + c] = root;
            for (std::size_t r = c + 1; r < strip; ++r) block[c * strip + r] /= root;
            for (std::size_t d = c + 1; d < strip; ++d)
                for (std::size_t r = d; r < strip; ++r)
                    block[d * strip + r] =
                        portable::fused(-block[c * strip + d], block[c * strip + r], block[d * strip + r]);
        }
        return strip;
    }

    /// The block below: eight rows at once, column c after the columns before it.
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline void solve(const double* diagonal, double* block) {
        using L = Lanes<lanes>;
        for (std::size_t r = 0; r < strip; r += lanes)
            for (std::size_t c = 0; c < strip; ++c) {
                typename L::Vector x = L::at(block + c * strip + r);
                for (std::size_t k = 0; k < c; ++k)
                    add_fused<L, true>(x, diagonal[k * strip + c], L::at(block + k * strip + r));
                L::at(block + c * strip + r) = x / diagonal[c * strip + c];
            }
    }
};

} // namespace

Cholesky::Cholesky(const std::vector<double>& matrix, std::size_t n, Instructions instructions)
    : size_(n), failed_at_(n), strips_(padded(n) * padded(n)) {
    const std::size_t size = padded(n);
    for (std::size_t i = 0; i < size; ++i) {
        double* row = strips_.data() + i / strip * size * strip + i % strip;
        if (i < n)
            for (std::size_t k = 0; k <= i; ++k) row[k * strip] = matrix[i * n + k];
        else
            row[i * strip] = 1; // the identity, which meets nothing else
    }
    failed_at_ = std::min(n, run_kernel<FactorStrips>(instructions, strips_.data(), size));
}

double Cholesky::factor(std::size_t i, std::size_t k) const {
    return strips_[(i / strip * padded(size_) + k) * strip + i % strip];
}

std::vector<double> Cholesky::failed_direction() const {
    std::vector<double> x(size_);
    if (succeeded()) return x;
    x[failed_at_] = 1;
    for (std::size_t k = 0; k < failed_at_; ++k) x[k] = -factor(failed_at_, k);
    for (std::size_t k = failed_at_; k-- > 0;) {
        x[k] /= factor(k, k);
        for (std::size_t i = 0; i < k; ++i) x[i] -= factor(k, i) * x[k];
    }
    return x;
}

double cholesky_backward_error(std::size_t n, double trace_up) {
    const double gamma = gamma_up(n + 1);
    return add_up(mul_up(div_up(gamma, sub_down(1, gamma)), trace_up), 0x1p-1000);
}

} // namespace kvproof
