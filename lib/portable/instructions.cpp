#include "lib/portable/instructions.hpp"

namespace kvproof {

std::vector<Instructions> available_instructions() {
    std::vector<Instructions> available = {Instructions::baseline};
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("fma") == 0) return available;
    if (__builtin_cpu_supports("avx2") != 0) available.push_back(Instructions::avx2);
    if (__builtin_cpu_supports("avx512f") != 0) available.push_back(Instructions::avx512);
#endif
    return available;
}

Instructions best_instructions() {
    static const Instructions best = available_instructions().back();
    return best;
}

} // namespace kvproof
