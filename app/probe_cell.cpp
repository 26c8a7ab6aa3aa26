#include "app/probe_cell.hpp"

#include "sim/probe/set_losses.hpp"

#include <algorithm>

namespace kvproof::app {
namespace {

constexpr int most_cuts = 31; // a set of addresses is a word

/// A record of zeros that nobody reads.
Protocol unread(const Family& family, const ProbeCell& cell) {
    const int depth = std::min(cell.bits, cell.probes);
    const std::size_t nodes = (std::size_t{1} << static_cast<unsigned>(depth)) - 1;
    const std::size_t paths = cell.access.sees_query ? static_cast<std::size_t>(family.queries) : 1;
    return {cell.bits, std::vector<std::uint32_t>(static_cast<std::size_t>(family.sources)),
            std::vector<ProbeTree>(paths, {depth, std::vector<int>(nodes, ProbeTree::stop)})};
}

bool can_be_searched(const Family& family, int bits) {
    return family.sources <= SetLosses::most_sources && encoder_space(family.sources, bits).bits <= most_cuts;
}

} // namespace

DeterministicCell deterministic_cell(const Family& family, const ProbeCell& cell, const StopRequest& stop) {
    if (!(stop && stop()) && can_be_searched(family, cell.bits)) {
        // whose path does not see the query uses no more than what one tree can read
        const int bits = cell.access.sees_query ? cell.bits : std::min(cell.bits, cell.probes);
        if (auto found = exhaustive_risk(family, cell.access, bits, cell.probes, {}, stop)) {
            found->protocol.bits = cell.bits;
            return {found->risk, found->risk, std::move(found->protocol), "exhaustive"};
        }
    }
    Protocol nothing_read = unread(family, cell);
    const Rational upper = worst_loss(nothing_read, family);
    return {0, upper, std::move(nothing_read), ""};
}

std::optional<RandomisedCell> randomised_cell(const Family& /*family*/, const ProbeCell& /*cell*/,
                                              const StopRequest& /*stop*/) {
    return {};
}

} // namespace kvproof::app
