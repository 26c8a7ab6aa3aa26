#pragma once

#include "lib/random/philox.hpp"

#include <cstdint>
#include <vector>

namespace kvproof {

/// The random numbers of one case, one after the other: pure functions of (seed, case, stream) and of how
/// many came before. From IEEE operations and lib/portable only: the same bits on every machine.
class Draws {
public:
    Draws(std::uint64_t seed, std::uint64_t index, std::uint16_t stream)
        : place_{.seed = seed,
                 .trial = index,
                 .experiment = random_experiment::reader_cases,
                 .stream = stream} {}

    [[nodiscard]] std::uint32_t word();
    /// 0, ..., n - 1; no further from uniform than n / 2^32.
    [[nodiscard]] int below(int n);
    /// Whether an event of probability 1/n happens.
    [[nodiscard]] bool one_in(int n) { return below(n) == 0; }
    [[nodiscard]] int pick(const std::vector<int>& from) {
        return from[static_cast<std::size_t>(below(static_cast<int>(from.size())))];
    }
    /// In (0, 1), a multiple of 2^-33.
    [[nodiscard]] double uniform();
    /// Standard normal, by Marsaglia's polar method.
    [[nodiscard]] double normal();

private:
    RandomPlace place_;
    std::uint32_t drawn_ = 0; // words
    std::array<std::uint32_t, 4> block_{};
};

} // namespace kvproof
