#pragma once

#include "lib/codec/level_quantiser.hpp"

#include <vector>

namespace kvproof {

struct WeightedSample {
    double value = 0;
    double weight = 1; ///< >= 0
};

/// 2^bits levels for the samples by weighted k-means in one dimension: Lloyd's iteration from levels evenly
/// spaced over the samples' range, at most 100 rounds, ended where the codes stand still; a level without
/// weight stays where it is. Rounded to float32 at the end. The order of the samples does not matter. Without
/// samples of positive weight: evenly over [-1, 1]. 1 <= bits <= 8.
[[nodiscard]] LevelQuantiser weighted_levels(std::vector<WeightedSample> samples, int bits);

} // namespace kvproof
