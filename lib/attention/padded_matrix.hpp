#pragma once

#include "lib/portable/instructions.hpp"
#include "lib/portable/lanes.hpp"

#include <cstddef>
#include <vector>

namespace kvproof {

/// A symmetric matrix with rows of padded length, zeros in the padding.
struct PaddedMatrix {
    std::size_t size = 0;
    std::vector<double> entries; ///< padded(size) * padded(size)

    [[nodiscard]] std::size_t step() const { return padded(size); }
};

template <class L, std::size_t vectors, bool absolute>
[[gnu::always_inline]] inline void multiply_columns(const double* c, std::size_t size, const double* x,
                                                    double* y) {
    constexpr std::size_t width = sizeof(typename L::Vector) / sizeof(double);
    const std::size_t step = padded(size);
    typename L::Vector sums[vectors] = {};
    for (std::size_t k = 0; k < size; ++k) {
        const double factor = absolute && x[k] < 0 ? -x[k] : x[k];
#pragma GCC unroll 16
        for (std::size_t v = 0; v < vectors; ++v) {
            typename L::Vector entry = L::at(c + k * step + v * width);
            if constexpr (absolute) entry = entry < 0 ? -entry : entry;
            sums[v] += factor * entry;
        }
    }
    for (std::size_t v = 0; v < vectors; ++v) L::at(y + v * width) = sums[v];
}

/// y = C x (or |C| |x|) of padded lengths for a symmetric C: entry a sums C_ka x_k with k ascending, k <
/// size.
template <std::size_t lanes, bool absolute>
[[gnu::always_inline]] inline void multiply(const double* c, std::size_t size, const double* x, double* y) {
    using L = Lanes<lanes>;
    constexpr std::size_t widest = 4 * strip;
    const std::size_t step = padded(size);
    std::size_t a = 0;
    for (; a + widest <= step; a += widest)
        multiply_columns<L, widest / lanes, absolute>(c + a, size, x, y + a);
    for (; a < step; a += strip) multiply_columns<L, strip / lanes, absolute>(c + a, size, x, y + a);
}

} // namespace kvproof
