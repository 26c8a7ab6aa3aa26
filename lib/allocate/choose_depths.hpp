#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kvproof {

/// The memory of an allocation, kept between calls so that a reader that allocates for every query does not
/// allocate memory for every query. One for each thread; what it holds is nobody's business.
struct AllocationWorkspace {
    std::vector<std::int32_t> keys;
    std::vector<std::uint8_t> open;
    std::vector<std::uint32_t> counts;
    std::vector<std::uint32_t> items;
    std::vector<std::uint32_t> gains32;
    std::vector<std::uint64_t> gains64;
    std::vector<std::uint32_t> spare32;
    std::vector<std::uint64_t> spare64;
    std::vector<std::uint64_t> heap32;
    struct Entry {
        std::uint64_t gain;
        std::uint64_t order; ///< larger for lower items
        bool operator<(const Entry& other) const {
            __extension__ typedef unsigned __int128 Both;
            return (Both{gain} << 64 | order) < (Both{other.gain} << 64 | other.order);
        }
    };
    std::vector<Entry> heap64;
};

/// ChooseDepths (ReadKV 3.3): from depth 0, raises again and again the depth whose next gain is the largest;
/// stops after `budget` increments or when no positive gain is left. Equal gains: the lower item first.
///
/// `weights` [N] are the a_i; `gains` [W], W <= 255, are the codebook's Delta_1..Delta_W. The gain of level t
/// of item i is the product a_i * Delta_t, rounded once to the type of the two; equality is equality of these
/// products. The depths come out in `depths` [N], and the number of increments spent is returned.
///
/// All three forms return the very same depths for every input, on every machine.
/// Throws Error(bad_weight), naming the entry, on a weight that is NaN, infinite or negative (-0 is 0), on a
/// gain that is NaN or infinite, and where a product overflows. Throws Error(internal) where sizes disagree.
///
/// Where the gains do not fall (Delta_t < Delta_{t+1} for some t), the rule above is still what is computed,
/// but it is optimal no longer (Proposition 8).
[[nodiscard]] std::uint64_t choose_depths(std::span<const float> weights, std::span<const float> gains,
                                          std::uint64_t budget, std::span<std::uint8_t> depths,
                                          AllocationWorkspace& workspace);
[[nodiscard]] std::uint64_t choose_depths(std::span<const double> weights, std::span<const double> gains,
                                          std::uint64_t budget, std::span<std::uint8_t> depths,
                                          AllocationWorkspace& workspace);

/// The rule as it is written, with a heap: O(N + B log N). What the other form is tested against.
[[nodiscard]] std::uint64_t choose_depths_heap(std::span<const float> weights, std::span<const float> gains,
                                               std::uint64_t budget, std::span<std::uint8_t> depths,
                                               AllocationWorkspace& workspace);
[[nodiscard]] std::uint64_t choose_depths_heap(std::span<const double> weights, std::span<const double> gains,
                                               std::uint64_t budget, std::span<std::uint8_t> depths,
                                               AllocationWorkspace& workspace);

/// The same depths in O(N) for given W, from the B-th largest gain: choose_depths_threshold.cpp says how.
/// Needs nonnegative gains Delta_t that do not rise with t; leaves any others to the heap.
[[nodiscard]] std::uint64_t choose_depths_threshold(std::span<const float> weights,
                                                    std::span<const float> gains, std::uint64_t budget,
                                                    std::span<std::uint8_t> depths,
                                                    AllocationWorkspace& workspace);
[[nodiscard]] std::uint64_t choose_depths_threshold(std::span<const double> weights,
                                                    std::span<const double> gains, std::uint64_t budget,
                                                    std::span<std::uint8_t> depths,
                                                    AllocationWorkspace& workspace);

} // namespace kvproof
