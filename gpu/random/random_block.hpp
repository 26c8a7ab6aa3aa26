#pragma once

#include "gpu/group/group.hpp"
#include "lib/portable/philox.hpp"

namespace kvproof::gpu {

/// Where a thread draws from: the numbers of RandomPlace (lib/random), which device code cannot include.
struct DrawPlace {
    std::uint64_t seed;
    std::uint64_t trial;
    std::uint32_t experiment_and_stream; ///< experiment << 16 | stream
};

struct RandomWords {
    std::uint32_t word[4];
};

/// The 128 random bits number `sample` of a place: those of kvproof::random_block, hence Random123's.
[[nodiscard]] KVPROOF_DEVICE RandomWords random_block(const DrawPlace& place, std::uint32_t sample) {
    RandomWords out = {{static_cast<std::uint32_t>(place.trial),
                        static_cast<std::uint32_t>(place.trial >> 32U), place.experiment_and_stream, sample}};
    portable::philox_rounds(out.word[0], out.word[1], out.word[2], out.word[3],
                            static_cast<std::uint32_t>(place.seed),
                            static_cast<std::uint32_t>(place.seed >> 32U));
    return out;
}

/// Samples first, first + 1, ... (modulo 2^32) of a place, one after the other: out [count][4].
template <Group G>
KVPROOF_KERNEL void fill_random_words(G& g, const DrawPlace& place, std::uint32_t first, int count,
                                      RandomWords* out) {
    for (int i = g.rank(); i < count; i += g.size())
        out[i] = random_block(place, first + static_cast<std::uint32_t>(i));
}

/// The same on the device, by one block for each 1024 samples. Starts the work and returns.
void launch_random_words(const DrawPlace& place, std::uint32_t first, int count, RandomWords* out);

} // namespace kvproof::gpu
