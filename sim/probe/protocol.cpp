#include "sim/probe/protocol.hpp"

#include "lib/error.hpp"
#include "sim/probe/enclosing_ball.hpp"

#include <algorithm>

namespace kvproof {
namespace {

std::size_t width(int level) {
    return std::size_t{1} << static_cast<unsigned>(level);
}

/// The descendants of node p, `levels` below it, are consecutive from here.
std::size_t first_below(std::size_t p, int levels) {
    return ((p + 1) << static_cast<unsigned>(levels)) - 1;
}

int level_of(std::size_t p) {
    int level = 0;
    while (width(level + 1) <= p + 1) ++level;
    return level;
}

/// The fewest batches from node p on.
int batches_from(const ProbeTree& tree, std::size_t p) {
    if (p >= tree.addresses.size() || tree.addresses[p] == ProbeTree::stop) return 0;
    int fewest = tree.depth;
    const int height = tree.depth - level_of(p);
    for (int levels = 1; levels <= height; ++levels) {
        // the batch takes the addresses of level `levels - 1` below p, which must agree
        const auto row = std::span(tree.addresses).subspan(first_below(p, levels - 1), width(levels - 1));
        if (row.front() == ProbeTree::stop ||
            std::ranges::any_of(row, [&](int address) { return address != row.front(); }))
            break;
        int later = 0;
        for (std::size_t i = 0; i < width(levels); ++i)
            later = std::max(later, batches_from(tree, first_below(p, levels) + i));
        fewest = std::min(fewest, 1 + later);
    }
    return fewest;
}

void require_tree(const ProbeTree& tree, int bits, int probes, int batches) {
    if (tree.depth < 0 || tree.depth > probes || tree.addresses.size() + 1 != width(tree.depth))
        throw Error(ErrorCode::internal, "a probe tree that reads more than it may");
    for (std::size_t p = 0; p < tree.addresses.size(); ++p) {
        const bool parent_stops = p > 0 && tree.addresses[(p - 1) / 2] == ProbeTree::stop;
        if (tree.addresses[p] < ProbeTree::stop || tree.addresses[p] >= bits ||
            (parent_stops && tree.addresses[p] != ProbeTree::stop))
            throw Error(ErrorCode::internal, "a probe tree with an address outside the record");
    }
    if (tree.batches() > batches) throw Error(ErrorCode::internal, "a probe tree with too many batches");
}

} // namespace

int ProbeTree::leaf(std::uint32_t record) const {
    std::size_t p = 0;
    while (p < addresses.size()) {
        const int address = addresses[p];
        const bool one = address != stop && ((record >> static_cast<unsigned>(address)) & 1U) != 0;
        p = 2 * p + (one ? 2 : 1);
    }
    return static_cast<int>(p - addresses.size());
}

int ProbeTree::batches() const {
    return batches_from(*this, 0);
}

ProbeTree unread_tree(int depth) {
    return {depth, std::vector<int>(width(depth) - 1, ProbeTree::stop)};
}

Protocol unread_protocol(const Family& family, const AccessClass& access, int bits, int probes) {
    const std::size_t paths = access.sees_query ? static_cast<std::size_t>(family.queries) : 1;
    return {bits, std::vector<std::uint32_t>(static_cast<std::size_t>(family.sources)),
            std::vector<ProbeTree>(paths, unread_tree(std::min(bits, probes)))};
}

void require_within(const Protocol& protocol, const Family& family, const AccessClass& access, int bits,
                    int probes) {
    if (protocol.bits != bits || protocol.records.size() != static_cast<std::size_t>(family.sources) ||
        std::ranges::any_of(protocol.records, [bits](std::uint32_t record) {
            return (std::uint64_t{record} >> static_cast<unsigned>(bits)) != 0;
        }))
        throw Error(ErrorCode::internal, "an encoder that is not a table of records of w bits");
    const std::size_t paths = access.sees_query ? static_cast<std::size_t>(family.queries) : 1;
    if (protocol.trees.size() != paths)
        throw Error(ErrorCode::internal, "a protocol without a path for each query that its reader may see");
    for (const ProbeTree& tree : protocol.trees) require_tree(tree, bits, probes, access.batches);
}

std::vector<std::uint64_t> leaves(const Protocol& protocol, int y) {
    const ProbeTree& tree = protocol.tree(y);
    std::vector<std::uint64_t> out(width(tree.depth));
    for (std::size_t x = 0; x < protocol.records.size(); ++x)
        out[static_cast<std::size_t>(tree.leaf(protocol.records[x]))] |= std::uint64_t{1} << x;
    return out;
}

Rational worst_loss(const Protocol& protocol, const Family& family) {
    Rational worst = 0;
    for (int y = 0; y < family.queries; ++y)
        for (const std::uint64_t leaf : leaves(protocol, y))
            worst = std::max(worst, set_loss(family, leaf, y));
    return worst;
}

} // namespace kvproof
