#pragma once

#include "lib/codec/transform.hpp"
#include "lib/codec/whitening.hpp"

#include <cstdint>
#include <span>

namespace kvproof {

/// How PALU codes the vectors of a head group.
struct PaluCode {
    WhitenedSvd factors;
    std::size_t rank = 0; ///< latents kept
    int bits = 0;         ///< of a latent
    Transform block;      ///< of the latents, block after block; its dimension divides the rank

    /// Replaces the rows [tokens, width] by what their codes say. Returns how many latents binary16 fields
    /// could not hold.
    [[nodiscard]] std::uint64_t quantise(std::span<double> rows) const;
};

/// The rotation of `rank` latents: H/sqrt(m), m the largest power of two that divides it.
[[nodiscard]] Transform palu_block(std::size_t rank);

} // namespace kvproof
