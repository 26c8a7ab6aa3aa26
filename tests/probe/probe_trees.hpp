#pragma once
// All probe trees of small depth, listed by how many batches they are made of: each is built batch by batch.

#include "sim/probe/protocol.hpp"

#include <set>
#include <vector>

namespace kvproof::testing_support {

/// Addresses in heap order, compared as a list.
using Heap = std::vector<int>;

/// The heap whose first levels are `addresses`, one each, above these subtrees.
inline Heap joined(const std::vector<int>& addresses, const std::vector<Heap>& below, int depth) {
    Heap out;
    for (int level = 0; level < depth; ++level) {
        const std::size_t taken = addresses.size();
        if (static_cast<std::size_t>(level) < taken) {
            out.insert(out.end(), std::size_t{1} << level, addresses[static_cast<std::size_t>(level)]);
            continue;
        }
        const int inner = level - static_cast<int>(taken);
        const std::size_t first = (std::size_t{1} << inner) - 1;
        for (const Heap& tree : below)
            out.insert(out.end(), tree.begin() + static_cast<long>(first),
                       tree.begin() + static_cast<long>(2 * first + 1));
    }
    return out;
}

/// Every tree of `depth` levels over w addresses that at most `batches` batches request.
inline std::set<Heap> trees_of(int depth, int bits, int batches) {
    std::set<Heap> out = {Heap((std::size_t{1} << depth) - 1, ProbeTree::stop)};
    if (batches == 0) return out;
    for (int size = 1; size <= depth; ++size) {
        const std::set<Heap> rest = trees_of(depth - size, bits, batches - 1);
        const std::vector<Heap> choices(rest.begin(), rest.end());
        std::vector<int> addresses(static_cast<std::size_t>(size));
        while (true) {
            std::vector<std::size_t> pick(std::size_t{1} << size);
            while (true) {
                std::vector<Heap> below;
                for (const std::size_t i : pick) below.push_back(choices[i]);
                out.insert(joined(addresses, below, depth));
                std::size_t at = 0;
                while (at < pick.size() && ++pick[at] == choices.size()) pick[at++] = 0;
                if (at == pick.size()) break;
            }
            std::size_t at = 0;
            while (at < addresses.size() && ++addresses[at] == bits) addresses[at++] = 0;
            if (at == addresses.size()) break;
        }
    }
    return out;
}

} // namespace kvproof::testing_support
