#include "lib/attention/spread.hpp"

#include "lib/attention/largest_eigenvalue.hpp"
#include "lib/attention/single_gram.hpp"
#include "lib/portable/error_bound.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace kvproof {
namespace {

/// The rows that count in directions: all but those of the least shares, whose sum may be the allowance.
std::vector<std::uint32_t> rows_that_count(std::span<const double> shares, double allowance) {
    // shares by half powers of two below the largest: what all lower ones sum to decides the cut
    constexpr std::uint64_t halves = 64;
    const auto key = [](double share) { return std::bit_cast<std::uint64_t>(share) >> 51U; };
    const double largest = *std::ranges::max_element(shares);
    const std::uint64_t top = key(largest);
    std::array<double, halves> sums{};
    const auto place = [&](double share) { return std::min(halves - 1, top - key(share)); };
    for (const double share : shares) sums[place(share)] += share;
    std::uint64_t cut = halves - 1; // the last place that is kept
    for (double below = sums[cut]; cut > 0 && below <= allowance; below += sums[cut]) --cut;
    std::vector<std::uint32_t> kept;
    kept.reserve(shares.size());
    for (std::size_t j = 0; j < shares.size(); ++j)
        if (place(shares[j]) <= cut && shares[j] > 0) kept.push_back(static_cast<std::uint32_t>(j));
    return kept;
}

} // namespace

double spread_up(std::span<const double> rows, std::size_t dim, const Softmax& weights,
                 std::span<const double> squared_norms, std::span<const double> centre) {
    const std::vector<double>& p = weights.probabilities;
    const std::size_t tokens = p.size();
    const double inflation =
        div_up(1, sub_down(1, weights.relative)); // p <= p~ times this, but for `absolute`
    std::vector<double> shares(tokens);
    double trace = 0;
    double largest = 0;
    double squares = 0;
    for (std::size_t j = 0; j < tokens; ++j) {
        shares[j] = p[j] * squared_norms[j];
        trace += shares[j];
        squares += squared_norms[j];
        largest = std::max(largest, squared_norms[j]);
    }
    if (largest == 0) return 0;
    const std::vector<std::uint32_t> kept = rows_that_count(shares, trace * 1e-3 / static_cast<double>(dim));
    double rest = 0;
    std::size_t next = 0;
    for (std::size_t j = 0; j < tokens; ++j) {
        if (next < kept.size() && kept[next] == j)
            ++next;
        else
            rest += shares[j];
    }
    rest = add_up(mul_up(rest, add_up(1, gamma_up(tokens + 4))), static_cast<double>(tokens) * 0x1p-1074);
    EigenvalueOptions options;
    options.slack = 1e-5;
    options.residual = 1e-4;
    const double above =
        largest_eigenvalue(single_gram({rows.data(), dim, centre, p, kept, std::sqrt(largest)}).matrix(),
                           options)
            .upper;
    const double total = mul_up(inflation, add_up(above, rest));
    // half of it would do
    return add_up(total, mul_up(weights.absolute, mul_up(4, squares)));
}

} // namespace kvproof
