#include "lib/attention/spread.hpp"

#include "lib/attention/largest_eigenvalue.hpp"
#include "lib/attention/single_gram.hpp"
#include "lib/attention/vector_kernels.hpp"
#include "lib/portable/error_bound.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace kvproof {
namespace {

/// shares_j = p_j ||v_j - c||^2.
struct Shares {
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline void run(const double* p, const double* squares,
                                                  double* __restrict__ shares, std::size_t count) {
        for (std::size_t j = 0; j < count; ++j) shares[j] = p[j] * squares[j];
    }
};

/// The least share that counts in directions: all below it sum to no more than the allowance.
double least_that_counts(std::span<const double> shares, double largest, double allowance) {
    // shares by half powers of two below the largest: what all lower ones sum to decides the cut
    constexpr std::uint64_t halves = 64;
    constexpr unsigned low_bits = 51;
    constexpr std::size_t tallies = 4; // side by side: neighbours often fall in the same place
    const auto key = [](double share) { return std::bit_cast<std::uint64_t>(share) >> low_bits; };
    const std::uint64_t top = key(largest);
    std::array<std::array<double, halves>, tallies> sums{};
    for (std::size_t j = 0; j < shares.size(); ++j)
        sums[j % tallies][std::min(halves - 1, top - key(shares[j]))] += shares[j];
    const auto sum = [&](std::uint64_t place) {
        return (sums[0][place] + sums[1][place]) + (sums[2][place] + sums[3][place]);
    };
    std::uint64_t cut = halves - 1; // the last place that is kept: it and all below
    for (double below = sum(cut); cut > 0 && below <= allowance; below += sum(cut)) --cut;
    if (cut == halves - 1 || top < cut) return std::numeric_limits<double>::denorm_min();
    return std::max(std::bit_cast<double>((top - cut) << low_bits),
                    std::numeric_limits<double>::denorm_min());
}

/// The rows from the least share on, and what the others sum to.
struct Kept {
    std::vector<std::uint32_t> rows;
    double rest = 0;
};

Kept rows_from(std::span<const double> shares, double least) {
    Kept out{std::vector<std::uint32_t>(shares.size()), 0};
    std::size_t count = 0;
    for (std::size_t j = 0; j < shares.size(); ++j) { // no branches: large and small come as they like
        const bool counts = shares[j] >= least;
        out.rows[count] = static_cast<std::uint32_t>(j);
        count += counts ? 1 : 0;
        out.rest += counts ? 0 : shares[j];
    }
    out.rows.resize(count);
    return out;
}

} // namespace

double spread_up(std::span<const double> rows, std::size_t dim, const Softmax& weights,
                 std::span<const double> squared_norms, std::span<const double> centre) {
    const std::vector<double>& p = weights.probabilities;
    const std::size_t tokens = p.size();
    const double inflation =
        div_up(1, sub_down(1, weights.relative)); // p <= p~ times this, but for `absolute`
    const double largest = magnitude_of(squared_norms.data(), tokens).largest;
    if (largest == 0) return 0;
    std::vector<double> shares(tokens);
    run_kernel<Shares>(best_instructions(), p.data(), squared_norms.data(), shares.data(), tokens);
    const double trace = sum_of(shares.data(), tokens);
    const double squares = sum_of(squared_norms.data(), tokens);
    const double largest_share = magnitude_of(shares.data(), tokens).largest;
    const Kept kept =
        rows_from(shares, least_that_counts(shares, largest_share, trace * 1e-3 / static_cast<double>(dim)));
    const double rest =
        add_up(mul_up(kept.rest, add_up(1, gamma_up(tokens + 4))), static_cast<double>(tokens) * 0x1p-1074);
    EigenvalueOptions options;
    options.slack = 1e-5;
    options.residual = 1e-4;
    const double above =
        largest_eigenvalue(single_gram({rows.data(), dim, centre, p, kept.rows, std::sqrt(largest)}).matrix(),
                           options)
            .upper;
    const double total = mul_up(inflation, add_up(above, rest));
    // half of it would do
    return add_up(total, mul_up(weights.absolute, mul_up(4, squares)));
}

} // namespace kvproof
