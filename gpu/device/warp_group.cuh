#pragma once

#include "gpu/group/group.hpp"
#include "gpu/group/ordered_bits.hpp"
#include "gpu/group/reduction_tree.hpp"

namespace kvproof::gpu {

/// What the 32 threads of a warp do without memory; every one of them calls.
struct WarpShuffle {
    static constexpr unsigned all = 0xffffffffU;

    static __device__ __forceinline__ unsigned lane() { return threadIdx.x % warp_size; }

    static __device__ __forceinline__ std::uint32_t sum(std::uint32_t x) { return __reduce_add_sync(all, x); }
    static __device__ __forceinline__ std::uint32_t max(std::uint32_t x) { return __reduce_max_sync(all, x); }

    /// Butterflies, as in reduction_tree.hpp.
    template <class Number>
    static __device__ __forceinline__ Number sum(Number x) {
#pragma unroll
        for (int step = warp_size / 2; step > 0; step /= 2) x += __shfl_xor_sync(all, x, step);
        return x;
    }
    static __device__ __forceinline__ std::uint64_t max(std::uint64_t x) {
#pragma unroll
        for (int step = warp_size / 2; step > 0; step /= 2) {
            const std::uint64_t other = __shfl_xor_sync(all, x, step);
            x = x < other ? other : x;
        }
        return x;
    }
    static __device__ __forceinline__ std::uint32_t inclusive_sum(std::uint32_t x) {
#pragma unroll
        for (unsigned step = 1; step < warp_size; step *= 2) {
            const std::uint32_t below = __shfl_up_sync(all, x, step);
            x += lane() >= step ? below : 0;
        }
        return x;
    }
    static __device__ __forceinline__ std::uint32_t last(std::uint32_t x) {
        return __shfl_sync(all, x, warp_size - 1);
    }
};

/// The dynamic shared memory of this block.
inline __device__ unsigned char* shared_arena() {
    extern __shared__ __align__(16) unsigned char kvproof_arena[];
    return kvproof_arena;
}

/// Gives out pieces of memory, each aligned for its type.
class SharedPieces {
public:
    explicit __device__ __forceinline__ SharedPieces(unsigned char* memory) : memory_(memory) {}

    template <class T>
    __device__ __forceinline__ T* take(int n) {
        used_ = (used_ + alignof(T) - 1) / alignof(T) * alignof(T);
        T* const piece = reinterpret_cast<T*>(memory_ + used_);
        used_ += static_cast<unsigned>(n) * sizeof(T);
        return piece;
    }

private:
    unsigned char* memory_;
    unsigned used_ = 0;
};

/// One warp: all collectives stay in registers.
class WarpGroup {
public:
    /// The warp that calls; `memory`, 16-byte aligned, is its own part of the block's shared memory.
    explicit __device__ __forceinline__ WarpGroup(unsigned char* memory = nullptr) : pieces_(memory) {}

    __device__ __forceinline__ int rank() const { return static_cast<int>(WarpShuffle::lane()); }
    static constexpr __device__ __forceinline__ int size() { return warp_size; }
    __device__ __forceinline__ void sync() { __syncwarp(); }

    template <class Number>
    __device__ __forceinline__ Number sum(Number x) {
        return WarpShuffle::sum(x);
    }
    __device__ __forceinline__ std::uint32_t max(std::uint32_t x) { return WarpShuffle::max(x); }
    __device__ __forceinline__ float max(float x) {
        return from_ordered_bits(WarpShuffle::max(ordered_bits(x)));
    }
    __device__ __forceinline__ double max(double x) {
        return from_ordered_bits(WarpShuffle::max(ordered_bits(x)));
    }
    __device__ __forceinline__ std::uint32_t exclusive_sum(std::uint32_t x) {
        return WarpShuffle::inclusive_sum(x) - x;
    }
    template <class T>
    __device__ __forceinline__ T* shared(int n) {
        return pieces_.take<T>(n);
    }

private:
    SharedPieces pieces_;
};

static_assert(Group<WarpGroup>);

} // namespace kvproof::gpu
