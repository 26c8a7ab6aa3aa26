#pragma once

#include "lib/random/random_stream.hpp"

namespace kvproof {

/// The random numbers of one case of a claim about the running reader: of (seed, case, stream).
class Draws : public RandomStream {
public:
    Draws(std::uint64_t seed, std::uint64_t index, std::uint16_t stream)
        : RandomStream({.seed = seed,
                        .trial = index,
                        .experiment = random_experiment::reader_cases,
                        .stream = stream}) {}
};

} // namespace kvproof
