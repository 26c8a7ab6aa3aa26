#pragma once

// The least expected loss of deterministic protocols against a prior, by trying all of them.

#include "probe_tree.hpp"

namespace kvcheck {

struct WeightedPair {
    std::size_t x, y;
    mpz_class weight; ///< positive
};

/// The prior's pairs ascend by x, then y. Throws TooLarge.
[[nodiscard]] mpq_class least_expected_loss(const ProbeFamily& family, const Access& access, unsigned w,
                                            unsigned r, const std::vector<WeightedPair>& prior);

} // namespace kvcheck
