#pragma once

#include "sim/probe/access_class.hpp"
#include "sim/probe/family.hpp"

#include <cstdint>
#include <vector>

namespace kvproof {

/// The addresses that a reader requests for one query: a complete binary tree of `depth` levels, in the order
/// of a heap. Node 0 is the root; the bit read at node p leads to 2p+1 (zero) or 2p+2 (one). Below `stop`
/// nothing is read.
struct ProbeTree {
    static constexpr int stop = -1;

    int depth = 0;
    std::vector<int> addresses; ///< [2^depth - 1], 0 to bits - 1, or stop

    /// The leaf that a record ends in, 0 to 2^depth - 1: the bits read, the first one highest; 0 for a level
    /// that is not read.
    [[nodiscard]] int leaf(std::uint32_t record) const;
    /// The fewest batches in which these addresses can be requested: within a batch the addresses of a level
    /// are the same whatever its bits turn out to be. 0 where nothing is read.
    [[nodiscard]] int batches() const;

    bool operator==(const ProbeTree&) const = default;
};

/// What a protocol without coins writes and reads. The decoder is not part of it: the best one is the centre
/// of the smallest ball (worst case), or the conditional mean (for a prior).
struct Protocol {
    int bits = 0;                       ///< w
    std::vector<std::uint32_t> records; ///< [sources]; bit i is address i
    std::vector<ProbeTree> trees = {};  ///< one for each query; one in all where the path must not see it

    [[nodiscard]] const ProbeTree& tree(int y) const {
        return trees.size() == 1 ? trees.front() : trees[static_cast<std::size_t>(y)];
    }
    bool operator==(const Protocol&) const = default;
};

/// A tree that reads nothing.
[[nodiscard]] ProbeTree unread_tree(int depth);

/// The protocol of the class that writes zeros and reads nothing; its trees have min(bits, probes) levels.
[[nodiscard]] Protocol unread_protocol(const Family& family, const AccessClass& access, int bits, int probes);

/// Throws Error(internal) unless this is a protocol of the class with these budgets.
void require_within(const Protocol& protocol, const Family& family, const AccessClass& access, int bits,
                    int probes);

/// The sources that end in each leaf for query y, [2^depth] sets.
[[nodiscard]] std::vector<std::uint64_t> leaves(const Protocol& protocol, int y);

/// The largest loss over all pairs under the best decoder: a true squared error, divided by the scale.
[[nodiscard]] Rational worst_loss(const Protocol& protocol, const Family& family);

} // namespace kvproof
