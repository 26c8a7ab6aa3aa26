#pragma once

#include <vector>

namespace kvproof {

/// How a tree of requests is cut into batches (docs/probe.md, "Shapes"): which nodes must hold the same
/// address. A slot is a level of a batch: one address.
struct TreeShape {
    std::vector<int> slot;   ///< [2^depth - 1]: the slot of each node
    std::vector<bool> first; ///< [slots]: whether the slot is its batch's first

    [[nodiscard]] int slots() const { return static_cast<int>(first.size()); }
    bool operator==(const TreeShape&) const = default;
};

/// Beyond this many an encoding is hopeless anyway.
constexpr std::size_t most_shapes = 4096;

/// All shapes of `depth` >= 1 levels in `batches` batches, 1 <= batches <= depth, in order of the first
/// batch's levels, then of the outcomes' shapes, the last one's changing fastest. Slots are numbered batch by
/// batch, a batch before its outcomes. Throws Error(bad_option) where there are more than most_shapes.
[[nodiscard]] std::vector<TreeShape> shapes(int depth, int batches);

} // namespace kvproof
