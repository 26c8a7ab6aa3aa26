#pragma once
// Vector code by target attribute: a body marked [[gnu::always_inline]] is compiled once for every x86-64 and
// once, in a function marked KVPROOF_AVX2, for those with AVX2; has_avx2() chooses when it is called. Bodies
// are exact (integers, comparisons, single IEEE operations), so both forms give the same bits.
//
// Not target_clones: its resolvers run before sanitizers and static libraries are ready.

namespace kvproof {

#if defined(__x86_64__)
#define KVPROOF_AVX2 [[gnu::target("avx2")]]
inline bool has_avx2() {
    return __builtin_cpu_supports("avx2") != 0;
}
#else
#define KVPROOF_AVX2
inline bool has_avx2() {
    return false;
}
#endif

} // namespace kvproof
