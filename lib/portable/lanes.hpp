#pragma once

#include "lib/portable/device.hpp"

#include <cstddef>

namespace kvproof {

/// A vector of doubles that may lie anywhere: loads and stores are plain dereferences.
template <std::size_t lanes>
struct Lanes {
    using Number = double;
    // NOLINTNEXTLINE(modernize-use-using): an alias drops the attributes of a dependent type
    typedef double Vector __attribute__((vector_size(lanes * sizeof(double)), aligned(8), may_alias));

    [[gnu::always_inline]] static inline Vector& at(double* p) { return *reinterpret_cast<Vector*>(p); }
    [[gnu::always_inline]] static inline const Vector& at(const double* p) {
        return *reinterpret_cast<const Vector*>(p);
    }
};

/// sum_i += factor x_i (or -=) for vectors of L, each rounded once: by the processor's fused operation where
/// it has one, else by libm's, which is slow and gives the same bits.
template <class L, bool subtract = false>
[[gnu::always_inline]] inline void add_fused(typename L::Vector& sum, typename L::Number factor,
                                             const typename L::Vector& x) {
    const typename L::Vector from = sum; // copies, in registers: the compiler makes one operation of the loop
    const typename L::Vector by = subtract ? -x : x;
    typename L::Vector to;
#pragma GCC unroll 16
    for (std::size_t i = 0; i < sizeof(to) / sizeof(factor); ++i)
        to[i] = portable::fused(factor, by[i], from[i]);
    sum = to;
}

/// *p. The compiler does not see that neighbours are read too, or it would load them as a vector and spread
/// each by a permutation, which takes turns with the products where a broadcast from memory does not.
template <class Number>
[[gnu::always_inline]] inline Number alone(const Number* p) {
    asm("" : "+r"(p));
    return *p;
}

/// Everything is padded to strips of this many doubles, whatever the lanes: order and layout are the same on
/// every machine.
inline constexpr std::size_t strip = 8;

[[nodiscard]] constexpr std::size_t padded(std::size_t n) {
    return (n + strip - 1) / strip * strip;
}

/// Eight running sums, added by a fixed tree: three more roundings a term.
template <std::size_t lanes>
[[gnu::always_inline]] inline double total_of(const typename Lanes<lanes>::Vector* sums) {
    double s[strip];
    for (std::size_t v = 0; v < strip / lanes; ++v) Lanes<lanes>::at(s + v * lanes) = sums[v];
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/// The sum of x_i y_i over a padded length: eight running sums, i mod 8, added by a fixed tree. No term
/// passes through more than n/8 + 4 roundings.
template <std::size_t lanes>
[[gnu::always_inline]] inline double dot(const double* x, const double* y, std::size_t length) {
    constexpr std::size_t vectors = strip / lanes;
    typename Lanes<lanes>::Vector sums[vectors] = {};
    for (std::size_t i = 0; i < length; i += strip)
        for (std::size_t v = 0; v < vectors; ++v)
            sums[v] += Lanes<lanes>::at(x + i + v * lanes) * Lanes<lanes>::at(y + i + v * lanes);
    return total_of<lanes>(sums);
}

/// y += factor x over a padded length.
template <std::size_t lanes>
[[gnu::always_inline]] inline void add_multiple(double* y, double factor, const double* x,
                                                std::size_t length) {
    for (std::size_t i = 0; i < length; i += lanes)
        Lanes<lanes>::at(y + i) += factor * Lanes<lanes>::at(x + i);
}

/// block[r][c] (+ or -)= sum over k < depth of columns[k][r] rows[k][c], where everything has eight columns.
/// Each of the 64 sums starts from what the block holds and takes its terms with k ascending, one rounding
/// for each: the tiles kept in registers change the time, not a bit.
template <std::size_t lanes, bool subtract>
[[gnu::always_inline]] inline void outer_products(const double* columns, const double* rows,
                                                  std::size_t depth, double* block) {
    using L = Lanes<lanes>;
    constexpr std::size_t vectors = strip / lanes;
    constexpr std::size_t height =
        lanes; // times `vectors`: eight accumulators, enough to hide the latency of a sum
    for (std::size_t top = 0; top < strip; top += height) {
        typename L::Vector sums[height][vectors];
#pragma GCC unroll 8
        for (std::size_t r = 0; r < height; ++r)
#pragma GCC unroll 8
            for (std::size_t v = 0; v < vectors; ++v)
                sums[r][v] = L::at(block + (top + r) * strip + v * lanes);
        for (std::size_t k = 0; k < depth; ++k) {
#pragma GCC unroll 8
            for (std::size_t r = 0; r < height; ++r) {
                const double factor = alone(columns + k * strip + top + r);
#pragma GCC unroll 8
                for (std::size_t v = 0; v < vectors; ++v)
                    add_fused<L, subtract>(sums[r][v], factor, L::at(rows + k * strip + v * lanes));
            }
        }
#pragma GCC unroll 8
        for (std::size_t r = 0; r < height; ++r)
#pragma GCC unroll 8
            for (std::size_t v = 0; v < vectors; ++v)
                L::at(block + (top + r) * strip + v * lanes) = sums[r][v];
    }
}

} // namespace kvproof
