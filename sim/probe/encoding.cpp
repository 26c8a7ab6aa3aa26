#include "sim/probe/encoding.hpp"

#include "lib/error.hpp"

#include <algorithm>

namespace kvproof {

Encoding::Encoding(const ConflictLists& lists, const AccessClass& access, int sources, int bits, int probes)
    : lists_(lists), sees_query_(access.sees_query), sources_(sources), record_bits_(bits),
      // who does not see the query reads the same bits whatever happens: the others need not be written
      bits_(access.sees_query ? bits : std::min(bits, probes)), depth_(std::min(bits, probes)),
      reads_all_(depth_ == bits_) {
    if (depth_ < 1) throw Error(ErrorCode::internal, "an encoding of a reader that reads nothing");
    shapes_ = shapes(depth_, reads_all_ ? 1 : std::min(access.batches, depth_));
    number_variables();
    add_order_of_bits();
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
        add_addresses(blocks_[k]);
        for (std::size_t c = 0; c < lists_.lists[k].size(); ++c)
            add_conflict(blocks_[k], c, lists_.lists[k][c]);
    }
}

void Encoding::number_variables() {
    int next = bit(bits_, 0);
    for (const auto& list : lists_.lists) {
        Block block;
        block.choice = next;
        if (shapes_.size() > 1) next += static_cast<int>(shapes_.size());
        for (const TreeShape& shape : shapes_) {
            block.addresses.push_back(next);
            next += shape.slots() * bits_;
        }
        block.together = next;
        next += static_cast<int>(list.size() * inner_nodes());
        blocks_.push_back(std::move(block));
    }
    cnf_.variables = next - 1;
}

void Encoding::add_order_of_bits() {
    for (int i = 0; i < bits_; ++i) cnf_.clauses.push_back({-bit(i, 0)});
    if (sources_ == 1) return;
    for (int i = 0; i + 1 < bits_; ++i) cnf_.clauses.push_back({-bit(i, 1), bit(i + 1, 1)});
}

void Encoding::add_addresses(const Block& block) {
    if (shapes_.size() > 1) {
        std::vector<int> some;
        for (std::size_t s = 0; s < shapes_.size(); ++s) some.push_back(block.choice + static_cast<int>(s));
        cnf_.clauses.push_back(std::move(some));
    }
    for (std::size_t s = 0; s < shapes_.size(); ++s)
        for (int slot = 0; slot < shapes_[s].slots(); ++slot) {
            if (reads_all_) {
                cnf_.clauses.push_back({address(block, s, slot, slot)});
                continue;
            }
            std::vector<int> some;
            for (int i = 0; i < bits_; ++i) some.push_back(address(block, s, slot, i));
            cnf_.clauses.push_back(std::move(some));
            if (shapes_[s].first[static_cast<std::size_t>(slot)]) continue;
            for (int i = 0; i < bits_; ++i)
                for (int j = 0; j <= i; ++j)
                    cnf_.clauses.push_back({-address(block, s, slot - 1, i), -address(block, s, slot, j)});
        }
}

void Encoding::add_conflict(const Block& block, std::size_t conflict, std::uint64_t members) {
    for (std::size_t s = 0; s < shapes_.size(); ++s)
        for (std::size_t p = 0; p < nodes(); ++p) {
            const int slot = shapes_[s].slot[p];
            for (int i = reads_all_ ? slot : 0; i < (reads_all_ ? slot + 1 : bits_); ++i)
                for (const int value : {0, 1}) {
                    std::vector<int> clause;
                    if (shapes_.size() > 1) clause.push_back(-(block.choice + static_cast<int>(s)));
                    if (p > 0) clause.push_back(-together(block, conflict, p));
                    clause.push_back(-address(block, s, slot, i));
                    for (int x = 0; x < sources_; ++x)
                        if ((members >> static_cast<unsigned>(x) & 1U) != 0)
                            clause.push_back(value == 0 ? bit(i, x) : -bit(i, x));
                    const std::size_t below = 2 * p + 1 + static_cast<std::size_t>(value);
                    if (below < nodes()) clause.push_back(together(block, conflict, below));
                    cnf_.clauses.push_back(std::move(clause));
                }
        }
}

ProbeTree Encoding::tree(const Block& block, const std::vector<bool>& model) const {
    const auto holds = [&](int variable) { return model[static_cast<std::size_t>(variable) - 1]; };
    std::size_t s = 0;
    while (shapes_.size() > 1 && !holds(block.choice + static_cast<int>(s))) ++s;
    ProbeTree out{depth_, {}};
    for (const int slot : shapes_[s].slot) {
        int i = reads_all_ ? slot : 0; // nothing is said of the other addresses where all is read
        while (!holds(address(block, s, slot, i))) ++i;
        out.addresses.push_back(i);
    }
    return out;
}

Protocol Encoding::protocol(const std::vector<bool>& model) const {
    Protocol out{.bits = record_bits_,
                 .records = std::vector<std::uint32_t>(static_cast<std::size_t>(sources_))};
    for (int x = 0; x < sources_; ++x)
        for (int i = 0; i < bits_; ++i)
            if (model[static_cast<std::size_t>(bit(i, x)) - 1])
                out.records[static_cast<std::size_t>(x)] |= std::uint32_t{1} << static_cast<unsigned>(i);
    std::vector<ProbeTree> trees;
    for (const Block& block : blocks_) trees.push_back(tree(block, model));
    const ProbeTree nothing{depth_, std::vector<int>(nodes(), ProbeTree::stop)};
    for (const int list : lists_.list_of) {
        out.trees.push_back(list < 0 ? nothing : trees[static_cast<std::size_t>(list)]);
        if (!sees_query_) break;
    }
    return out;
}

} // namespace kvproof
