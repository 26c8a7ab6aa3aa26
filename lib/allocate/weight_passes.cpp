#include "lib/allocate/weight_passes.hpp"

#include "lib/avx2.hpp"

#include <algorithm>
#include <bit>

namespace kvproof {
namespace {

[[gnu::always_inline]] inline std::uint32_t upper_bits(float x) {
    return std::bit_cast<std::uint32_t>(x);
}

[[gnu::always_inline]] inline std::uint32_t upper_bits(double x) {
    return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(x) >> 32);
}

template <class Number>
[[gnu::always_inline]] inline WeightSummary coarse_keys_body(const Number* weights, std::size_t n,
                                                             std::int32_t* __restrict keys) {
    std::uint32_t largest = 0;
    std::uint32_t zeros = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const Number weight = weights[i] + Number(0); // -0 becomes 0
        const std::uint32_t bits = upper_bits(weight);
        largest = std::max(largest, bits);
        const bool zero = weight == Number(0);
        zeros += zero ? 1U : 0U;
        keys[i] = static_cast<std::int32_t>(zero ? 0xffffffffU : bits);
    }
    return {largest, static_cast<std::uint32_t>(n) - zeros};
}

[[gnu::always_inline]] inline void count_levels_body(const std::int32_t* keys, std::size_t n, KeyCuts lower,
                                                     KeyCuts upper, std::uint8_t* __restrict sure,
                                                     std::uint8_t* __restrict open) {
    for (std::size_t i = 0; i < n; ++i) {
        std::int32_t reached = 0;
        std::int32_t possible = 0;
        for (std::size_t t = 0; t < pass_levels; ++t) {
            reached += keys[i] >= upper[t] ? 1 : 0;
            possible += keys[i] >= lower[t] ? 1 : 0;
        }
        sure[i] = static_cast<std::uint8_t>(sure[i] + reached);
        open[i] = static_cast<std::uint8_t>(open[i] + possible - reached);
    }
}

KVPROOF_AVX2 WeightSummary coarse_keys_avx2(const float* weights, std::size_t n, std::int32_t* keys) {
    return coarse_keys_body(weights, n, keys);
}
KVPROOF_AVX2 WeightSummary coarse_keys_avx2(const double* weights, std::size_t n, std::int32_t* keys) {
    return coarse_keys_body(weights, n, keys);
}
KVPROOF_AVX2 void count_levels_avx2(const std::int32_t* keys, std::size_t n, const KeyCuts& lower,
                                    const KeyCuts& upper, std::uint8_t* sure, std::uint8_t* open) {
    count_levels_body(keys, n, lower, upper, sure, open);
}

} // namespace

namespace any_processor {

WeightSummary coarse_keys(const float* weights, std::size_t n, std::int32_t* keys) {
    return coarse_keys_body(weights, n, keys);
}

WeightSummary coarse_keys(const double* weights, std::size_t n, std::int32_t* keys) {
    return coarse_keys_body(weights, n, keys);
}

void count_levels(const std::int32_t* keys, std::size_t n, const KeyCuts& lower, const KeyCuts& upper,
                  std::uint8_t* sure, std::uint8_t* open) {
    count_levels_body(keys, n, lower, upper, sure, open);
}

} // namespace any_processor

WeightSummary coarse_keys(const float* weights, std::size_t n, std::int32_t* keys) {
    return has_avx2() ? coarse_keys_avx2(weights, n, keys) : any_processor::coarse_keys(weights, n, keys);
}

WeightSummary coarse_keys(const double* weights, std::size_t n, std::int32_t* keys) {
    return has_avx2() ? coarse_keys_avx2(weights, n, keys) : any_processor::coarse_keys(weights, n, keys);
}

void count_levels(const std::int32_t* keys, std::size_t n, const KeyCuts& lower, const KeyCuts& upper,
                  std::uint8_t* sure, std::uint8_t* open) {
    if (has_avx2())
        count_levels_avx2(keys, n, lower, upper, sure, open);
    else
        any_processor::count_levels(keys, n, lower, upper, sure, open);
}

} // namespace kvproof
