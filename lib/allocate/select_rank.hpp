#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace kvproof {

/// The rank-th largest key, 1 <= rank <= keys.size(). Each round counts the keys in 1024 equal parts of their
/// range and keeps the part that holds the rank, so a range of 64 bits is used up after seven rounds: linear
/// time for every input. `spare` is memory.
template <std::unsigned_integral Key>
[[nodiscard]] Key select_rank(std::span<const Key> keys, std::uint64_t rank, std::vector<Key>& spare) {
    constexpr int part_bits = 10;
    constexpr std::size_t few = 64;
    while (keys.size() > few) {
        const auto [least, largest] = std::ranges::minmax(keys);
        if (least == largest) return least;
        const int shift = std::max(0, static_cast<int>(std::bit_width(Key(largest - least))) - part_bits);
        std::array<std::uint32_t, std::size_t{1} << part_bits> counts{};
        for (const Key key : keys) ++counts[static_cast<Key>(key - least) >> shift];
        std::size_t part = counts.size() - 1;
        while (counts[part] < rank) rank -= counts[part--];
        if (shift == 0) return static_cast<Key>(least + part);
        // Writing stays behind reading where `keys` lies in `spare` already.
        if (spare.size() < keys.size()) spare.resize(keys.size());
        std::size_t kept = 0;
        for (const Key key : keys) {
            spare[kept] = key;
            kept += (static_cast<Key>(key - least) >> shift) == part ? 1 : 0;
        }
        keys = std::span<const Key>(spare.data(), kept);
    }
    std::array<Key, few> last{};
    std::ranges::copy(keys, last.begin());
    const auto at = last.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::nth_element(last.begin(), at, last.begin() + static_cast<std::ptrdiff_t>(keys.size()),
                     std::greater<>());
    return *at;
}

} // namespace kvproof
