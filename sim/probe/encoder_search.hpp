#pragma once

#include "sim/probe/tree_search.hpp"

#include <functional>
#include <limits>
#include <vector>

namespace kvproof {

/// Asked now and then by long searches: true ends them.
using StopRequest = std::function<bool()>;

/// Encoders up to what cannot matter. An encoder is w cuts of the sources (bit i is one on one side); since a
/// reader may name addresses as it likes and decoders know the code, the order of the cuts does not matter,
/// nor which side is the one side, nor does a constant or repeated bit help. So: sets of distinct cuts that
/// leave source 0 out. A symmetry of the world maps encoders to equally good ones: one cut of each set may be
/// taken to be the first of its orbit.
struct EncoderSpace {
    int sources = 0;
    int bits = 0;                          ///< cuts in a set: w, or all that there are
    std::vector<std::uint32_t> cuts = {};  ///< in order of their orbits
    std::vector<std::uint32_t> orbit = {}; ///< [cuts], ascending
    std::vector<std::size_t> leaders = {}; ///< the first cut of each orbit

    /// How many sets will be looked at; infinite where a double cannot say.
    [[nodiscard]] double size() const;
};

/// `symmetries`: permutations of the sources, [sources] each, closed under composition; none where nothing is
/// known. n <= 16.
[[nodiscard]] EncoderSpace encoder_space(int sources, int bits,
                                         const std::vector<std::vector<int>>& symmetries = {});

/// The best encoder for readers that face the tables: one each that the path may see, or one in all.
template <class Join, class Loss>
struct EncoderSearchResult {
    Loss loss = std::numeric_limits<Loss>::max();
    std::vector<std::uint32_t> cuts;
    bool finished = true; ///< false where it was stopped: there may be better ones
};

/// Tries every encoder of the space. `visit(cuts, loss)`, where given, sees every encoder that loses at most
/// `window` more than the best so far.
template <class Join, class Loss>
EncoderSearchResult<Join, Loss>
best_encoder(const EncoderSpace& space, const std::vector<std::vector<Loss>>& tables, int batches, int probes,
             const StopRequest& stop = {}, Loss window = 0,
             const std::function<void(std::span<const std::uint32_t>, Loss)>& visit = {}) {
    EncoderSearchResult<Join, Loss> best;
    const auto everyone =
        static_cast<std::uint32_t>((std::uint64_t{1} << static_cast<unsigned>(space.sources)) - 1);
    std::vector<std::uint32_t> cuts(static_cast<std::size_t>(space.bits));
    std::uint64_t tried = 0;

    const auto loss_of = [&] {
        Loss loss = 0;
        for (const std::vector<Loss>& table : tables) {
            const TreeSearch<Join, Loss> search(table, cuts);
            loss = Join::join(loss, search.loss(everyone, 0, batches, probes));
            if (loss < best.loss) continue;
            if (!visit || loss - best.loss > window) break; // losses are not negative: it is no better
        }
        return loss;
    };
    const auto consider = [&] {
        const Loss loss = loss_of();
        if (visit && (loss <= best.loss || loss - best.loss <= window)) visit(cuts, loss);
        if (loss < best.loss) {
            best.loss = loss;
            best.cuts = cuts;
        }
        if ((++tried & 0xFFFU) == 0 && stop && stop()) best.finished = false;
        return !best.finished || (!visit && best.loss == 0); // whether to end
    };
    // the rest of the set: ascending places from `from`, all but the leader's
    const auto choose = [&](const auto& self, std::size_t chosen, std::size_t from,
                            std::size_t leader) -> bool {
        if (chosen == cuts.size()) return consider();
        for (std::size_t i = from; i < space.cuts.size(); ++i) {
            if (i == leader) continue;
            cuts[chosen] = space.cuts[i];
            if (self(self, chosen + 1, i + 1, leader)) return true;
        }
        return false;
    };
    if (cuts.empty()) {
        consider();
        return best;
    }
    for (const std::size_t leader : space.leaders) {
        cuts[0] = space.cuts[leader];
        if (choose(choose, 1, leader, leader)) break;
    }
    return best;
}

} // namespace kvproof
