#pragma once
// Sums that do not depend on how many threads form them.

#include "gpu/group/group.hpp"

#include <cstdint>

namespace kvproof::gpu {

/// Strands of a sum: term i belongs to strand i mod 128. A thread adds up one strand after the other, and a
/// fixed tree adds the strands, so the bits are the same at every width.
inline constexpr int strands = 128;

/// No term of a sum of n passes through more roundings than this.
[[nodiscard]] KVPROOF_DEVICE std::uint64_t strand_roundings(std::uint64_t n) {
    return (n + strands - 1) / strands + 7;
}

/// The sum of term(i), 0 <= i < n, in every thread. What terms read must be synchronised; `scratch` is shared
/// memory for `strands` numbers that may be used again at once.
template <Group G, class Term>
KVPROOF_KERNEL double strand_sum(G& g, std::uint32_t n, double* scratch, const Term& term) {
    for (int s = g.rank(); s < strands; s += g.size()) {
        double sum = 0;
        for (auto i = static_cast<std::uint32_t>(s); i < n; i += strands) sum += term(i);
        scratch[s] = sum;
    }
    g.sync();
    for (int half = strands / 2; half > 0; half /= 2) {
        for (int s = g.rank(); s < half; s += g.size()) scratch[s] += scratch[s + half];
        g.sync();
    }
    const double total = scratch[0];
    g.sync();
    return total;
}

} // namespace kvproof::gpu
