#pragma once

#include "lib/allocate/gain_key.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kvproof {

/// How many weights have at least a given coarse key, at the edges of equal bins of keys (so of nearly equal
/// ratios of weights). The top bin holds the largest key; what lies below all bins counts to the lowest,
/// whose edge is 0.
template <class Number>
class WeightHistogram {
public:
    /// For keys of coarse_keys, the largest of which is `largest` >= 0. `counts` is memory.
    WeightHistogram(std::span<const std::int32_t> keys, std::int32_t largest,
                    std::vector<std::uint32_t>& counts);

    /// The number of bins, at least 1.
    [[nodiscard]] std::size_t bins() const { return bins_; }

    /// How many positive weights lie in `bin` and above; 0 for bin == bins().
    [[nodiscard]] std::uint32_t from(std::size_t bin) const { return counts_[bin + 1]; }

    /// The least coarse key of a bin; of bin == bins() one that no weight has.
    [[nodiscard]] std::int32_t edge(std::size_t bin) const {
        return bin == 0 ? 0 : static_cast<std::int32_t>((first_ + static_cast<std::int64_t>(bin)) << shift_);
    }

    /// The least number with the least coarse key of a bin.
    [[nodiscard]] Number weight(std::size_t bin) const {
        const auto key = static_cast<GainKey<Number>>(edge(bin));
        return std::bit_cast<Number>(static_cast<GainKey<Number>>(key << unused_bits));
    }

    /// The bin of a positive number, or the nearest one.
    [[nodiscard]] std::size_t bin_of(Number weight) const;

private:
    static constexpr int unused_bits = static_cast<int>(sizeof(Number)) * 8 - 32;

    std::span<std::uint32_t>
        counts_; ///< [0]: weights that are 0; [1 + bin]: in the bin, then: in it and above
    std::size_t bins_ = 0;
    int shift_ = 0;
    std::int64_t first_ = 0; ///< the lowest bin's key, shifted
};

} // namespace kvproof
