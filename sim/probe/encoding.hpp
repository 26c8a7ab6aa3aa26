#pragma once

#include "sim/probe/access_class.hpp"
#include "sim/probe/conflicts.hpp"
#include "sim/probe/protocol.hpp"
#include "sim/probe/shapes.hpp"

#include <vector>

namespace kvproof {

/// Clauses over variables 1, 2, ...: a literal is a variable or its negative.
struct Cnf {
    int variables = 0;
    std::vector<std::vector<int>> clauses;
};

/// The formula of docs/probe.md, "The clauses": it holds for some protocol exactly where one has a risk below
/// the value whose conflicts these are. Variables and clauses are in the documented order.
class Encoding {
public:
    /// Lists of conflict_lists for the same class; bits, probes >= 1.
    Encoding(const ConflictLists& lists, const AccessClass& access, int sources, int bits, int probes);

    [[nodiscard]] const Cnf& cnf() const { return cnf_; }
    /// How many bits of a record the formula has variables for; bit i of source x is 1 + i [sources] + x.
    [[nodiscard]] int bits() const { return bits_; }

    /// The protocol that an assignment of the variables stands for, which must satisfy the formula; more
    /// variables than the formula's own mean nothing.
    [[nodiscard]] Protocol protocol(const std::vector<bool>& model) const;

private:
    /// Where the variables of one list begin.
    struct Block {
        int choice = 0;             ///< u(0)
        std::vector<int> addresses; ///< [shapes]: a(s, 0, 0)
        int together = 0;           ///< t(0, 1)
    };

    [[nodiscard]] int bit(int i, int x) const { return 1 + i * sources_ + x; }
    [[nodiscard]] int address(const Block& block, std::size_t shape, int slot, int i) const {
        return block.addresses[shape] + slot * bits_ + i;
    }
    [[nodiscard]] int together(const Block& block, std::size_t conflict, std::size_t p) const {
        return block.together + static_cast<int>(conflict * inner_nodes() + p - 1);
    }
    [[nodiscard]] std::size_t nodes() const { return shapes_.front().slot.size(); }
    /// Nodes that are neither the root nor leaves.
    [[nodiscard]] std::size_t inner_nodes() const { return nodes() - 1; }

    void number_variables();
    void add_order_of_bits();
    void add_addresses(const Block& block);
    void add_conflict(const Block& block, std::size_t conflict, std::uint64_t members);
    [[nodiscard]] ProbeTree tree(const Block& block, const std::vector<bool>& model) const;

    ConflictLists lists_;
    bool sees_query_;
    int sources_;
    int record_bits_; ///< w as it was asked for
    int bits_;        ///< w of the formula
    int depth_;
    bool reads_all_; ///< every bit of the formula is read
    std::vector<TreeShape> shapes_;
    std::vector<Block> blocks_; ///< [lists]
    Cnf cnf_;
};

} // namespace kvproof
