#pragma once

#include "sim/probe/access_class.hpp"
#include "sim/probe/enclosing_ball.hpp"
#include "sim/probe/family.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace kvproof::testing_support {

/// Deterministic minimax risks by definition: every table of records, every tree. Nothing is left out for
/// being equivalent to something else, and nothing but set_loss is shared with the searches.
class BruteForce {
public:
    explicit BruteForce(const Family& family) : family_(family) {
        const std::size_t sets = std::size_t{1} << static_cast<unsigned>(family.sources);
        std::vector<Rational> losses;
        for (int y = 0; y < family.queries; ++y)
            for (std::size_t set = 0; set < sets; ++set) losses.push_back(set_loss(family, set, y));
        std::map<Rational, int> rank;
        for (const Rational& loss : losses) rank.emplace(loss, 0);
        for (auto& [value, index] : rank) {
            index = static_cast<int>(values_.size());
            values_.push_back(value);
        }
        for (const Rational& loss : losses) ranks_.push_back(rank.at(loss));
    }

    [[nodiscard]] Rational risk(const AccessClass& access, int bits, int probes) const {
        const std::vector<Tree> trees = all_trees(bits, std::min(bits, probes), access.batches);
        std::vector<std::uint32_t> records(static_cast<std::size_t>(family_.sources));
        auto best = static_cast<int>(values_.size());
        do {
            best = std::min(best, access.sees_query ? worst_query(trees, records) : blind(trees, records));
        } while (advance(records, bits));
        return values_[static_cast<std::size_t>(best)];
    }

private:
    using Tree = std::vector<int>; ///< addresses in heap order

    /// Whether the nodes from p on can be read in so many batches: a batch takes some whole levels below p.
    static bool fits(const Tree& tree, std::size_t p, int batches) {
        if (p >= tree.size()) return true;
        if (batches == 0) return false;
        std::vector<std::size_t> level = {p};
        while (true) {
            for (const std::size_t node : level)
                if (tree[node] != tree[level.front()]) return false;
            std::vector<std::size_t> below;
            for (const std::size_t node : level) {
                below.push_back(2 * node + 1);
                below.push_back(2 * node + 2);
            }
            level = below;
            if (std::ranges::all_of(level, [&](std::size_t node) { return fits(tree, node, batches - 1); }))
                return true;
            if (level.front() >= tree.size()) return false;
        }
    }

    static std::vector<Tree> all_trees(int bits, int depth, int batches) {
        std::vector<Tree> out;
        Tree tree((std::size_t{1} << static_cast<unsigned>(depth)) - 1);
        while (true) {
            if (fits(tree, 0, batches)) out.push_back(tree);
            std::size_t p = 0;
            while (p < tree.size() && ++tree[p] == bits) tree[p++] = 0;
            if (p == tree.size()) return out;
        }
    }

    static bool advance(std::vector<std::uint32_t>& records, int bits) {
        for (std::uint32_t& record : records) {
            if (++record < std::uint32_t{1} << static_cast<unsigned>(bits)) return true;
            record = 0;
        }
        return false;
    }

    [[nodiscard]] int loss(const Tree& tree, const std::vector<std::uint32_t>& records, int y) const {
        std::vector<std::size_t> leaf(tree.size() + 1);
        for (std::size_t x = 0; x < records.size(); ++x) {
            std::size_t p = 0;
            while (p < tree.size()) p = 2 * p + 1 + (records[x] >> static_cast<unsigned>(tree[p]) & 1U);
            leaf[p - tree.size()] |= std::size_t{1} << x;
        }
        int worst = 0;
        for (const std::size_t set : leaf)
            worst = std::max(
                worst, ranks_[(static_cast<std::size_t>(y) << static_cast<unsigned>(family_.sources)) + set]);
        return worst;
    }

    [[nodiscard]] int worst_query(const std::vector<Tree>& trees,
                                  const std::vector<std::uint32_t>& records) const {
        int worst = 0;
        for (int y = 0; y < family_.queries; ++y) {
            auto best = static_cast<int>(values_.size());
            for (const Tree& tree : trees) best = std::min(best, loss(tree, records, y));
            worst = std::max(worst, best);
        }
        return worst;
    }

    [[nodiscard]] int blind(const std::vector<Tree>& trees, const std::vector<std::uint32_t>& records) const {
        auto best = static_cast<int>(values_.size());
        for (const Tree& tree : trees) {
            int worst = 0;
            for (int y = 0; y < family_.queries; ++y) worst = std::max(worst, loss(tree, records, y));
            best = std::min(best, worst);
        }
        return best;
    }

    const Family& family_;
    std::vector<Rational> values_; ///< ascending
    std::vector<int> ranks_;       ///< [queries, 2^sources]
};

} // namespace kvproof::testing_support
