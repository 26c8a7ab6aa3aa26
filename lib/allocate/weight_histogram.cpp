#include "lib/allocate/weight_histogram.hpp"

#include <algorithm>

namespace kvproof {
namespace {

/// The width of the bins: finer bins leave fewer candidates, and cost more to clear and add up.
struct Resolution {
    int octaves_log;         ///< log2 of how many powers of two below the largest weight have bins
    int bins_per_octave_log; ///< log2 of how many bins a power of two has
};

Resolution resolution_for(std::size_t n) {
    if (n <= 512) return {.octaves_log = 5, .bins_per_octave_log = 3};
    if (n <= 4096) return {.octaves_log = 6, .bins_per_octave_log = 4};
    return {.octaves_log = 6, .bins_per_octave_log = 6};
}

} // namespace

template <class Number>
WeightHistogram<Number>::WeightHistogram(std::span<const std::int32_t> keys, std::int32_t largest,
                                         std::vector<std::uint32_t>& counts) {
    constexpr int mantissa_bits = sizeof(Number) == 4 ? 23 : 20; // of the coarse key
    const Resolution resolution = resolution_for(keys.size());
    shift_ = mantissa_bits - resolution.bins_per_octave_log;
    bins_ = std::size_t{1} << (resolution.octaves_log + resolution.bins_per_octave_log);
    const std::int64_t top = largest >> shift_;
    first_ = std::max<std::int64_t>(0, top - static_cast<std::int64_t>(bins_) + 1);
    bins_ = static_cast<std::size_t>(top - first_ + 1);

    // Two tables: where neighbours fall into one bin, the second count need not wait for the first.
    const std::size_t slots = bins_ + 2;
    counts.assign(2 * slots, 0);
    std::uint32_t* const even = counts.data();
    std::uint32_t* const odd = even + slots;
    const auto base = static_cast<std::int32_t>(first_ << shift_);
    const int shift = shift_;
    const auto slot = [base, shift](std::int32_t key) { // zeros: key -1, slot 0
        return static_cast<std::uint32_t>((std::max(key - base, 0) >> shift) + (key >= 0 ? 1 : 0));
    };
    std::size_t i = 0;
    for (; i + 1 < keys.size(); i += 2) {
        ++even[slot(keys[i])];
        ++odd[slot(keys[i + 1])];
    }
    if (i < keys.size()) ++even[slot(keys[i])];
    std::uint32_t above = 0;
    for (std::size_t s = bins_ + 1; s-- > 1;) {
        above += even[s] + odd[s];
        even[s] = above;
    }
    counts_ = {even, slots};
}

template <class Number>
std::size_t WeightHistogram<Number>::bin_of(Number weight) const {
    const auto key = static_cast<std::int64_t>(std::bit_cast<GainKey<Number>>(weight) >> unused_bits);
    const std::int64_t bin = (key >> shift_) - first_;
    return static_cast<std::size_t>(std::clamp<std::int64_t>(bin, 0, static_cast<std::int64_t>(bins_) - 1));
}

template class WeightHistogram<float>;
template class WeightHistogram<double>;

} // namespace kvproof
