#pragma once

// Access classes, and protocols of the probe model: records of the sources and trees of addresses.

#include "probe_family.hpp"

namespace kvcheck {

struct Access {
    bool sees_query = false;
    unsigned batches = 1; ///< 100 where any number is allowed: a tree has at most 16 levels
};

[[nodiscard]] std::optional<Access> read_access(std::string_view text);

/// 2^depth - 1 addresses in heap order, or `stop`.
struct Tree {
    static constexpr int stop = -1;

    unsigned depth = 0;
    std::vector<int> addresses;

    [[nodiscard]] std::size_t leaf(unsigned record) const;
    [[nodiscard]] unsigned fewest_batches() const;
};

struct Protocol {
    std::vector<unsigned> records; ///< of each source
    std::vector<Tree> trees;       ///< of each query, or one

    [[nodiscard]] std::size_t leaf(std::size_t x, std::size_t y) const {
        return trees[trees.size() > 1 ? y : 0].leaf(records[x]);
    }
};

/// `record` and `tree` lines; throws Invalid where they are none of the class.
[[nodiscard]] Protocol read_protocol(Records& records, const ProbeFamily& family, const Access& access,
                                     unsigned w, unsigned r);

/// The largest loss over queries and leaves.
[[nodiscard]] mpq_class worst_loss(const Protocol& protocol, const ProbeFamily& family);

} // namespace kvcheck
