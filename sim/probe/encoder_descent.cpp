#include "sim/probe/encoder_descent.hpp"

#include <limits>

namespace kvproof {

bool descend(const EncoderSpace& space, const std::vector<std::vector<std::int64_t>>& tables,
             const AccessClass& access, int probes, std::vector<std::uint32_t>& cuts,
             const StopRequest& stop) {
    const auto everyone =
        static_cast<std::uint32_t>((std::uint64_t{1} << static_cast<unsigned>(space.sources)) - 1);
    const int batches = access.effective_batches(probes);
    const auto loss_of = [&](std::int64_t enough) {
        std::int64_t loss = 0;
        for (const auto& table : tables) {
            loss += TreeSearch<Total, std::int64_t>(table, cuts).loss(everyone, 0, batches, probes);
            if (loss >= enough) break;
        }
        return loss;
    };
    std::int64_t least = loss_of(std::numeric_limits<std::int64_t>::max());
    const auto slots = static_cast<std::size_t>(space.bits);
    // slots in turn, until none has changed since this one did
    for (std::size_t slot = 1, unchanged = 0; unchanged < slots; ++slot) {
        if (stop && stop()) return false;
        if (cuts.size() < slots) cuts.push_back(cuts.front());
        std::uint32_t& place = cuts[slot % cuts.size()];
        const std::uint32_t before = place;
        std::uint32_t best = before;
        for (const std::uint32_t cut : space.cuts) {
            place = cut;
            const std::int64_t loss = loss_of(least);
            if (loss >= least) continue;
            least = loss;
            best = cut;
        }
        place = best;
        unchanged = best == before && cuts.size() == slots ? unchanged + 1 : 0;
    }
    return true;
}

} // namespace kvproof
