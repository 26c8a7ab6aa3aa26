#pragma once

#include "lib/random/philox.hpp"

#include <cstdint>
#include <vector>

namespace kvproof {

/// The random numbers of one place, one after the other: pure functions of the place and of how many words
/// came before. From IEEE operations and lib/portable only: the same bits on every machine.
class RandomStream {
public:
    explicit RandomStream(const RandomPlace& place) : place_(place) {}

    [[nodiscard]] std::uint32_t word();
    /// 0, ..., n - 1; no further from uniform than n / 2^32.
    [[nodiscard]] int below(int n);
    /// Whether an event of probability 1/n happens.
    [[nodiscard]] bool one_in(int n) { return below(n) == 0; }
    [[nodiscard]] int pick(const std::vector<int>& from) {
        return from[static_cast<std::size_t>(below(static_cast<int>(from.size())))];
    }
    /// In (0, 1), an odd multiple of 2^-33.
    [[nodiscard]] double uniform();
    /// In (-1, 1), an odd multiple of 2^-53 (symmetric53), from two words.
    [[nodiscard]] double symmetric();
    /// Standard normal, by Marsaglia's polar method.
    [[nodiscard]] double normal();

private:
    RandomPlace place_;
    std::uint32_t drawn_ = 0; // words
    std::array<std::uint32_t, 4> block_{};
};

} // namespace kvproof
