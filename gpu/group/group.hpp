#pragma once

#include "lib/portable/device.hpp"

#include <concepts>
#include <cstdint>

// What a kernel body is under each compiler: nvcc makes the device instances, g++ the ones on the processor.
#ifdef __CUDACC__
#define KVPROOF_KERNEL __device__ __forceinline__
#else
#define KVPROOF_KERNEL inline
#endif

namespace kvproof::gpu {

/// The threads that work on one problem together. A kernel body is a function template over a Group that
/// knows no more than this, and any width: `for (i = g.rank(); i < n; i += g.size())`.
///
/// - rank() from 0 to size() - 1.
/// - sync(): what a thread wrote before it, every thread sees after it. Nothing else orders memory, above all
///   no collective, even where a device's happens to.
/// - sum, max: the same result in every thread. Sums of floating numbers follow one tree, reduction_tree.hpp:
///   the same bits for the same width, on the processor and on the device. max takes numbers that are not NaN
///   (of zeros, +0 is the larger).
/// - exclusive_sum: the sum over lower ranks, modulo 2^32; 0 in rank 0.
/// - shared<T>(n): memory for n numbers that all threads share, with rubbish in it. All threads ask for the
///   same, in the same order.
///
/// sync, the collectives and shared are called by all threads of the group, in the same order.
template <class G>
concept Group = requires(G& g, std::uint32_t small, std::uint64_t large, float single, double number,
                         int count) {
    { g.rank() } -> std::same_as<int>;
    { g.size() } -> std::same_as<int>;
    { g.sync() } -> std::same_as<void>;
    { g.sum(small) } -> std::same_as<std::uint32_t>;
    { g.sum(large) } -> std::same_as<std::uint64_t>;
    { g.sum(single) } -> std::same_as<float>;
    { g.sum(number) } -> std::same_as<double>;
    { g.max(small) } -> std::same_as<std::uint32_t>;
    { g.max(single) } -> std::same_as<float>;
    { g.max(number) } -> std::same_as<double>;
    { g.exclusive_sum(small) } -> std::same_as<std::uint32_t>;
    { g.template shared<float>(count) } -> std::same_as<float*>;
};

} // namespace kvproof::gpu
