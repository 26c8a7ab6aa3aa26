#pragma once

#include "gpu/device/warp_group.cuh"

namespace kvproof::gpu {

/// A whole block of Threads threads: each collective within the warps first, then over one word of each.
template <int Threads>
class BlockGroup {
    static_assert(Threads % warp_size == 0 && Threads <= warp_size * warp_size);
    static constexpr unsigned warps = Threads / warp_size;

public:
    /// The block that calls; shared() gives out its dynamic shared memory. One group to a kernel.
    static __device__ __forceinline__ BlockGroup here() {
        __shared__ std::uint64_t slots[2 * warps];
        return BlockGroup(shared_arena(), slots);
    }

    __device__ __forceinline__ int rank() const { return static_cast<int>(threadIdx.x); }
    static constexpr __device__ __forceinline__ int size() { return Threads; }
    __device__ __forceinline__ void sync() { __syncthreads(); }

    template <class Number>
    __device__ __forceinline__ Number sum(Number x) {
        x = WarpShuffle::sum(x);
        if constexpr (warps == 1) return x;
        return WarpShuffle::sum(of_warps(x));
    }
    __device__ __forceinline__ std::uint32_t max(std::uint32_t x) { return max_of(x); }
    __device__ __forceinline__ float max(float x) { return from_ordered_bits(max_of(ordered_bits(x))); }
    __device__ __forceinline__ double max(double x) { return from_ordered_bits(max_of(ordered_bits(x))); }
    __device__ __forceinline__ std::uint32_t exclusive_sum(std::uint32_t x) {
        const std::uint32_t through = WarpShuffle::inclusive_sum(x);
        if constexpr (warps == 1) return through - x;
        const std::uint32_t of_warp = of_warps(WarpShuffle::last(through));
        return WarpShuffle::sum(WarpShuffle::lane() < threadIdx.x / warp_size ? of_warp : 0U) + through - x;
    }
    template <class T>
    __device__ __forceinline__ T* shared(int n) {
        return pieces_.take<T>(n);
    }

private:
    __device__ __forceinline__ BlockGroup(unsigned char* memory, std::uint64_t* slots)
        : pieces_(memory), slots_(slots) {}

    template <class Bits>
    __device__ __forceinline__ Bits max_of(Bits x) {
        x = WarpShuffle::max(x);
        if constexpr (warps == 1) return x;
        return WarpShuffle::max(of_warps(x));
    }

    /// From one word of each warp: in lane l that of warp l, or 0. Two rows of slots take turns, so that one
    /// barrier is enough: who writes a row again has passed the barrier after all had read it.
    template <class Word>
    __device__ __forceinline__ Word of_warps(Word word) {
        Word* const row = reinterpret_cast<Word*>(slots_ + turn_ * warps);
        turn_ ^= 1;
        if (WarpShuffle::lane() == 0) row[threadIdx.x / warp_size] = word;
        __syncthreads();
        return WarpShuffle::lane() < warps ? row[WarpShuffle::lane()] : Word(0);
    }

    SharedPieces pieces_;
    std::uint64_t* slots_;
    unsigned turn_ = 0;
};

static_assert(Group<BlockGroup<32>>);
static_assert(Group<BlockGroup<256>>);

} // namespace kvproof::gpu
