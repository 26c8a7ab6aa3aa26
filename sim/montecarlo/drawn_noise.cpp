#include "sim/montecarlo/drawn_noise.hpp"

#include "lib/portable/philox.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof {
namespace {

/// Words of blocks 0 .. blocks - 1, by word, then by block.
std::vector<std::uint32_t> words_of(const RandomPlace& place, std::size_t blocks) {
    std::vector<std::uint32_t> out(4 * blocks);
    const auto low = static_cast<std::uint32_t>(place.trial);
    const auto high = static_cast<std::uint32_t>(place.trial >> 32U);
    const std::uint32_t where = (std::uint32_t{place.experiment} << 16U) | place.stream;
    const auto k0 = static_cast<std::uint32_t>(place.seed);
    const auto k1 = static_cast<std::uint32_t>(place.seed >> 32U);
    std::uint32_t* __restrict__ w0 = out.data();
    std::uint32_t* __restrict__ w1 = w0 + blocks;
    std::uint32_t* __restrict__ w2 = w1 + blocks;
    std::uint32_t* __restrict__ w3 = w2 + blocks;
    for (std::size_t b = 0; b < blocks; ++b) {
        std::uint32_t c0 = low;
        std::uint32_t c1 = high;
        std::uint32_t c2 = where;
        auto c3 = static_cast<std::uint32_t>(b);
        portable::philox_rounds(c0, c1, c2, c3, k0, k1);
        w0[b] = c0;
        w1[b] = c1;
        w2[b] = c2;
        w3[b] = c3;
    }
    return out;
}

} // namespace

double kappa_of(NoiseLaw law) {
    return law == NoiseLaw::signs ? 1 : std::sqrt(3.0);
}

DrawnNoise::DrawnNoise(NoiseLaw law, const RandomPlace& place, std::size_t rows, std::size_t columns)
    : law_(law), rows_(rows), columns_(columns),
      words_(words_of(place, (rows * columns + (law == NoiseLaw::signs ? 127 : 3)) /
                                 (law == NoiseLaw::signs ? 128 : 4))) {}

void DrawnNoise::row(std::size_t r, double* __restrict__ out) const {
    if (law_ == NoiseLaw::uniform) {
        const std::uint32_t* words = words_.data() + r * columns_;
        for (std::size_t c = 0; c < columns_; ++c)
            out[c] = (static_cast<double>(static_cast<std::int32_t>(words[c] ^ 0x80000000U)) + 0.5) * 0x1p-31;
        return;
    }
    for (std::size_t c = 0; c < columns_; ++c) {
        const std::size_t entry = r * columns_ + c;
        out[c] =
            1 - 2 * static_cast<double>(static_cast<std::int32_t>(words_[entry / 32] >> (entry % 32) & 1U));
    }
}

void DrawnNoise::over_rows(std::span<const double> weights, std::span<double> out) const {
    std::vector<double> noise(columns_);
    std::ranges::fill(out, 0.0);
    for (std::size_t r = 0; r < rows_; ++r) {
        row(r, noise.data());
        const double weight = weights[r];
        for (std::size_t c = 0; c < columns_; ++c) out[c] += weight * noise[c];
    }
    if (law_ == NoiseLaw::uniform)
        for (double& x : out) x *= std::sqrt(3.0);
}

} // namespace kvproof
