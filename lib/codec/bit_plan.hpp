#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace kvproof {

/// What groups of coordinates may be: how many of them, and with how many bits for each.
struct GroupMenu {
    /// Ascending, 1 among them: so every number of coordinates can be covered.
    std::vector<std::size_t> sizes;
    std::vector<int> bits;        ///< ascending, 0 among them
    std::uint64_t field_bits = 0; ///< what a group that is not of 0 bits costs beside its codes

    /// Bits of a group for each vector: nothing at 0 bits a coordinate.
    [[nodiscard]] std::uint64_t cost(std::size_t size, int group_bits) const {
        return group_bits == 0 ? 0 : field_bits + size * static_cast<std::uint64_t>(group_bits);
    }
};

/// Coordinates first .. first + size - 1, coded with so many bits each.
struct CoordinateGroup {
    std::size_t first = 0;
    std::size_t size = 0;
    int bits = 0;
    [[nodiscard]] bool operator==(const CoordinateGroup&) const = default;
};

/// A partition of the coordinates 0 .. n-1 into groups, in order.
struct BitPlan {
    std::vector<CoordinateGroup> groups;
    double distortion = 0;  ///< the sum of the groups'
    std::uint64_t bits = 0; ///< for each vector
};

/// What a group would add to the distortion, >= 0; asked once for every group that fits.
using GroupDistortion = std::function<double(const CoordinateGroup&)>;

/// The partition of least distortion among all that cost at most `budget`, and among those the cheapest; a
/// group longer than what is left of the n coordinates is no option. By dynamic programming over (coordinates
/// covered, bits spent), n x budget x options steps. The optimum is over sums added from the left in double:
/// exact where those sums are, within their rounding else.
[[nodiscard]] BitPlan best_bit_plan(std::size_t n, std::uint64_t budget, const GroupMenu& menu,
                                    const GroupDistortion& distortion);

} // namespace kvproof
