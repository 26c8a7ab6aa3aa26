#pragma once

#include <vector>

namespace kvproof {

/// The vector instructions a kernel may use; the wider two come with fused operations. Every kernel gives the
/// same bits with each of them: lanes never share a rounding, and sums over lanes have a fixed tree. Results
/// do not depend on this choice, only time does.
enum class Instructions { baseline, avx2, avx512 };

/// The widest that this processor has.
[[nodiscard]] Instructions best_instructions();

/// All that this processor has: for tests that compare them.
[[nodiscard]] std::vector<Instructions> available_instructions();

#if defined(__x86_64__) && defined(__GNUC__)

/// How many doubles a vector register holds.
template <class Kernel, class... Arguments>
[[gnu::target("avx2,fma")]] auto run_avx2(Arguments... arguments) {
    return Kernel::template run<4>(arguments...);
}

template <class Kernel, class... Arguments>
[[gnu::target("avx512f,fma")]] auto run_avx512(Arguments... arguments) {
    return Kernel::template run<8>(arguments...);
}

/// Kernel::run<lanes>(arguments...), compiled for these instructions: `run` and all that it calls in its
/// loops are always_inline, so that they become part of a function with the right target. Not target_clones:
/// its resolvers run before a sanitizer's runtime is ready.
template <class Kernel, class... Arguments>
auto run_kernel(Instructions instructions, Arguments... arguments) {
    switch (instructions) {
    case Instructions::avx512: return run_avx512<Kernel>(arguments...);
    case Instructions::avx2: return run_avx2<Kernel>(arguments...);
    case Instructions::baseline: break;
    }
    return Kernel::template run<2>(arguments...);
}

#else

template <class Kernel, class... Arguments>
auto run_kernel(Instructions /*instructions*/, Arguments... arguments) {
    return Kernel::template run<2>(arguments...);
}

#endif

} // namespace kvproof
