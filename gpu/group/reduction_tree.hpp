#pragma once

#include <cstddef>

namespace kvproof::gpu {

/// Threads whose values a device adds without going through memory; the inner part of the tree.
inline constexpr int warp_size = 32;

/// The sum of 32 numbers by the butterfly l[i] + l[i ^ step], step 16, 8, 4, 2, 1: sums commute, so all 32
/// come out equal. Overwrites the numbers.
template <class Number>
[[nodiscard]] Number butterfly_sum(Number* lanes) {
    for (int step = warp_size / 2; step > 0; step /= 2)
        for (int i = 0; i < warp_size; ++i)
            if ((i & step) == 0) lanes[i] = lanes[i ^ step] = lanes[i] + lanes[i ^ step];
    return lanes[0];
}

/// The tree by which every group of more than one thread adds: each 32 values by the butterfly, missing ones
/// 0, and where there are several such sums, those (at most 32) by the butterfly again.
template <class Number>
[[nodiscard]] Number tree_sum(const Number* values, int count) {
    Number partial[warp_size] = {};
    const int warps = (count + warp_size - 1) / warp_size;
    for (int w = 0; w < warps; ++w) {
        Number lanes[warp_size] = {};
        for (int i = 0; i < warp_size && w * warp_size + i < count; ++i) lanes[i] = values[w * warp_size + i];
        partial[w] = butterfly_sum(lanes);
    }
    return warps == 1 ? partial[0] : butterfly_sum(partial);
}

} // namespace kvproof::gpu
