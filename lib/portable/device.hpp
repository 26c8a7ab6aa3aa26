#pragma once

#include <bit>
#include <cstdint>

// The only place outside gpu/ that knows of a device compiler.
#ifdef __CUDACC__
#define KVPROOF_DEVICE __host__ __device__ __forceinline__
#else
#define KVPROOF_DEVICE [[gnu::always_inline]] inline
#endif

// KVPROOF_UNROLL(n) stands before a loop. nvcc compiles its sources for the processor too, where it hands
// pragmas on to a compiler that knows others; no loop of ours runs there.
#define KVPROOF_PRAGMA(text) _Pragma(#text)
#if defined(__CUDA_ARCH__)
#define KVPROOF_UNROLL(n) KVPROOF_PRAGMA(unroll n)
#elif defined(__CUDACC__)
#define KVPROOF_UNROLL(n)
#else
#define KVPROOF_UNROLL(n) KVPROOF_PRAGMA(GCC unroll n)
#endif

namespace kvproof::portable {

[[nodiscard]] KVPROOF_DEVICE std::uint64_t bits_of(double x) {
#ifdef __CUDA_ARCH__
    return static_cast<std::uint64_t>(__double_as_longlong(x));
#else
    return std::bit_cast<std::uint64_t>(x);
#endif
}

[[nodiscard]] KVPROOF_DEVICE std::uint32_t bits_of(float x) {
#ifdef __CUDA_ARCH__
    return __float_as_uint(x);
#else
    return std::bit_cast<std::uint32_t>(x);
#endif
}

[[nodiscard]] KVPROOF_DEVICE double from_bits(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
    return __longlong_as_double(static_cast<long long>(bits));
#else
    return std::bit_cast<double>(bits);
#endif
}

[[nodiscard]] KVPROOF_DEVICE float from_bits(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
    return __uint_as_float(bits);
#else
    return std::bit_cast<float>(bits);
#endif
}

/// a b + c, rounded once: the only way in which two operations share a rounding.
[[nodiscard]] KVPROOF_DEVICE float fused(float a, float b, float c) {
#ifdef __CUDA_ARCH__
    return __fmaf_rn(a, b, c);
#else
    return __builtin_fmaf(a, b, c);
#endif
}

[[nodiscard]] KVPROOF_DEVICE double fused(double a, double b, double c) {
#ifdef __CUDA_ARCH__
    return __fma_rn(a, b, c);
#else
    return __builtin_fma(a, b, c);
#endif
}

} // namespace kvproof::portable
