#include "lib/codec/level_quantiser.hpp"

#include "lib/codec/lloyd_max.hpp"

#include <algorithm>
#include <utility>

namespace kvproof {

LevelQuantiser::LevelQuantiser(std::vector<double> levels) : levels_(std::move(levels)) {
    for (std::size_t i = 1; i < levels_.size(); ++i) boundaries_.push_back((levels_[i - 1] + levels_[i]) / 2);
}

std::size_t LevelQuantiser::code(double z) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(boundaries_, z) - boundaries_.begin());
}

LevelQuantiser gaussian_levels(int bits) {
    std::vector<double> levels;
    constexpr Bits accuracy = 80; // both ends round to one double but in cases that do not occur
    for (const Interval& centroid : lloyd_max(bits, accuracy).centroids)
        levels.push_back(nearest_float64(centroid.lower_rational()));
    return LevelQuantiser(std::move(levels));
}

} // namespace kvproof
