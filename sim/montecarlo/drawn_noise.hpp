#pragma once

#include "lib/random/philox.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kvproof {

/// Laws of noise of variance 1 that obey Assumptions 1 and 2: -1 or 1, or uniform within sqrt(3).
enum class NoiseLaw { signs, uniform };

/// The bound of a law's noise over its deviation.
[[nodiscard]] double kappa_of(NoiseLaw law);

/// The noise of a place: an array [rows, columns], independent entries of mean 0 and variance 1, as sums over
/// it that never store it. Uniform entries are odd multiples of 2^-32, times sqrt(3): symmetric exactly.
/// Entry e = row * columns + column of uniform noise is word e of the words below; of signs it is bit e mod
/// 32 of word floor(e / 32). Words 0 .. B-1 are the first ones of blocks 0 .. B-1, then come the second ones,
/// and so on; B blocks are as many as are needed.
class DrawnNoise {
public:
    DrawnNoise(NoiseLaw law, const RandomPlace& place, std::size_t rows, std::size_t columns);

    /// out[c] = sum_r weights[r] n_rc.
    void over_rows(std::span<const double> weights, std::span<double> out) const;

private:
    void row(std::size_t r, double* out) const;

    NoiseLaw law_;
    std::size_t rows_;
    std::size_t columns_;
    std::vector<std::uint32_t> words_;
};

} // namespace kvproof
