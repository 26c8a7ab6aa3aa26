#include "sim/probe/minimax.hpp"
#include "sim/probe/set_losses.hpp"

namespace kvproof {

Protocol best_protocol(std::span<const std::uint32_t> cuts,
                       const std::vector<std::vector<std::uint32_t>>& tables,
                       const std::vector<int>& table_of, const AccessClass& access, int sources, int bits,
                       int probes) {
    Protocol out{.bits = bits, .records = std::vector<std::uint32_t>(static_cast<std::size_t>(sources))};
    for (std::size_t i = 0; i < cuts.size(); ++i)
        for (std::size_t x = 0; x < out.records.size(); ++x) out.records[x] |= ((cuts[i] >> x) & 1U) << i;
    const auto everyone =
        static_cast<std::uint32_t>((std::uint64_t{1} << static_cast<unsigned>(sources)) - 1);
    const int depth = std::min(probes, static_cast<int>(cuts.size()));
    for (const auto& table : tables) {
        ProbeTree tree = unread_tree(depth);
        TreeSearch<Worst, std::uint32_t>(table, cuts)
            .write(everyone, 0, access.effective_batches(depth), depth, 0, tree);
        out.trees.push_back(std::move(tree));
    }
    if (!access.sees_query) return out;
    std::vector<ProbeTree> of_query;
    for (const int table : table_of) of_query.push_back(out.trees[static_cast<std::size_t>(table)]);
    out.trees = std::move(of_query);
    return out;
}

std::optional<MinimaxRisk> exhaustive_risk(const Family& family, const AccessClass& access, int bits,
                                           int probes, const std::vector<std::vector<int>>& symmetries,
                                           const StopRequest& stop) {
    const SetLosses losses = set_losses(family);
    const std::vector<std::vector<std::uint32_t>> tables =
        access.sees_query ? losses.ranks : std::vector<std::vector<std::uint32_t>>{losses.joint()};
    // what is never read need not be written
    const EncoderSpace space = encoder_space(family.sources, probes == 0 ? 0 : bits, symmetries);
    const int reads = std::min(probes, space.bits);
    const auto best =
        best_encoder<Worst, std::uint32_t>(space, tables, access.effective_batches(reads), reads, stop);
    if (!best.finished) return {};
    return MinimaxRisk{losses.values[best.loss], best_protocol(best.cuts, tables, losses.table_of, access,
                                                               family.sources, bits, reads)};
}

} // namespace kvproof
