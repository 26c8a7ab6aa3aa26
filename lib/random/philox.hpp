#pragma once

#include <array>
#include <cstdint>

namespace kvproof {

/// Where in the space of random numbers an experiment stands. Every number is a pure function of its place:
/// nothing is drawn "next", so threads, ranks and devices only share out places.
struct RandomPlace {
    std::uint64_t seed = 0;
    std::uint64_t trial = 0;
    std::uint16_t experiment = 0; ///< see random_experiment
    std::uint16_t stream = 0;
};

/// The numbers of experiments, so that no two draw the same bits from one seed.
namespace random_experiment {
inline constexpr std::uint16_t transform_signs = 0; ///< streams: 0 keys and queries (U_K), 1 values (U_V)
inline constexpr std::uint16_t key_sketch = 16;     ///< of TurboQuant-prod: two normal numbers a sample
inline constexpr std::uint16_t reader_cases = 32; ///< of the claims about the running reader (proofs/readkv)
// of kvproof montecarlo; the file of each experiment names its streams
inline constexpr std::uint16_t remainder = 48;
inline constexpr std::uint16_t key_separation = 49;
inline constexpr std::uint16_t attention_separation = 50;
inline constexpr std::uint16_t surrogate = 51;
inline constexpr std::uint16_t white_noise = 52;
inline constexpr std::uint16_t quantiser_noise = 53;
} // namespace random_experiment

/// The 128 random bits number `sample` of a place, by Philox4x32-10 (Salmon et al., SC 2011) with
///   key     = (seed low, seed high)
///   counter = (trial low, trial high, experiment << 16 | stream, sample),
/// words of 32 bits, in Random123's order.
[[nodiscard]] std::array<std::uint32_t, 4> random_block(const RandomPlace& place, std::uint32_t sample);

/// The generator itself: ten rounds on a counter under a key.
[[nodiscard]] std::array<std::uint32_t, 4> philox_10(const std::array<std::uint32_t, 4>& counter,
                                                     const std::array<std::uint32_t, 2>& key);

} // namespace kvproof
