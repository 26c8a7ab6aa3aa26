#pragma once

#include "sim/probe/protocol.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

namespace kvproof {

/// How the losses of leaves make that of a tree: the worst one, for a guarantee, or their sum, for a prior.
struct Worst {
    template <class Loss>
    static Loss join(Loss a, Loss b) {
        return std::max(a, b);
    }
};
struct Total {
    template <class Loss>
    static Loss join(Loss a, Loss b) {
        return a + b;
    }
};

/// The best reading of a given record: which addresses, in which batches, so that the leaves lose least. One
/// recursion serves all classes: a batch of k free addresses splits the set of sources that may still be the
/// one into 2^k, and the rest is read from each with a batch and k probes less. Reading more never hurts.
///
/// `table` [2^n] holds the loss of every set of sources in one leaf; losses are not negative, that of the
/// empty set is 0, and the losses of two parts of a set, joined, are at most its own. It may be anything that
/// copies cheaply and has `[]`.
template <class Join, class Loss, class Table = std::span<const Loss>>
class TreeSearch {
public:
    /// `cuts` [w]: the sources whose record has a one at each address.
    TreeSearch(Table table, std::span<const std::uint32_t> cuts) : table_(table), cuts_(cuts) {}

    /// The least loss of the sources in `set`, of which addresses `read` are known.
    Loss loss(std::uint32_t set, std::uint32_t read, int batches, int probes) const {
        if ((set & (set - 1)) == 0 || probes == 0 || batches == 0) return table_[set];
        const int free = static_cast<int>(cuts_.size()) - std::popcount(read);
        if (free == 0) return table_[set];
        const int most = std::min(probes, free);
        if (batches == 1 || most == free) return best_batch(set, read, most, batches, probes);
        // every batch is used, so later ones need a probe each
        Loss best = best_batch(set, read, 1, batches, probes);
        for (int size = 2; size <= most - batches + 1; ++size)
            best = std::min(best, best_batch(set, read, size, batches, probes));
        return best;
    }

    /// Writes the tree that reaches `loss`, from node p of `tree` on, whose addresses are all `stop`.
    void write(std::uint32_t set, std::uint32_t read, int batches, int probes, std::size_t p,
               ProbeTree& tree) const {
        const int free = static_cast<int>(cuts_.size()) - std::popcount(read);
        const Loss best = loss(set, read, batches, probes);
        if (probes == 0 || batches == 0 || free == 0) return;
        const int most = std::min(probes, free);
        for (int size = 1; size <= most; ++size) {
            const std::uint32_t batch = first_batch(read, size);
            for (std::uint32_t b = batch; b != 0; b = next_batch(b, read))
                if (batch_loss(set, read, b, b, batches, probes - size) == best) {
                    write_batch(set, read, b, b, batches, probes - size, p, tree);
                    return;
                }
        }
    }

private:
    [[nodiscard]] std::uint32_t all() const { return (std::uint32_t{1} << cuts_.size()) - 1; }

    /// Batches of one size among the free addresses, in ascending order of their masks; 0 after the last.
    [[nodiscard]] std::uint32_t first_batch(std::uint32_t read, int size) const {
        return fit((std::uint32_t{1} << static_cast<unsigned>(size)) - 1, read);
    }
    [[nodiscard]] std::uint32_t next_batch(std::uint32_t batch, std::uint32_t read) const {
        return fit(following(batch), read);
    }
    [[nodiscard]] std::uint32_t fit(std::uint32_t mask, std::uint32_t read) const {
        while (mask <= all() && (mask & read) != 0) mask = following(mask);
        return mask <= all() ? mask : 0;
    }
    /// The next larger number with as many ones.
    static std::uint32_t following(std::uint32_t mask) {
        const auto zeros = static_cast<unsigned>(std::countr_zero(mask));
        const std::uint32_t carried = mask + (std::uint32_t{1} << zeros);
        return carried | ((mask ^ carried) >> 2U >> zeros);
    }

    Loss best_batch(std::uint32_t set, std::uint32_t read, int size, int batches, int probes) const {
        std::uint32_t batch = first_batch(read, size);
        Loss best = batch_loss(set, read, batch, batch, batches, probes - size);
        while ((batch = next_batch(batch, read)) != 0)
            best = std::min(best, batch_loss(set, read, batch, batch, batches, probes - size));
        return best;
    }

    /// `left` is what of the batch has not yet split the set.
    Loss batch_loss(std::uint32_t set, std::uint32_t read, std::uint32_t batch, std::uint32_t left,
                    int batches, int probes) const {
        if (left == 0) return loss(set, read | batch, batches - 1, probes);
        const std::uint32_t cut = cuts_[static_cast<std::size_t>(std::countr_zero(left))];
        left &= left - 1;
        return Join::join(batch_loss(set & ~cut, read, batch, left, batches, probes),
                          batch_loss(set & cut, read, batch, left, batches, probes));
    }

    void write_batch(std::uint32_t set, std::uint32_t read, std::uint32_t batch, std::uint32_t left,
                     int batches, int probes, std::size_t p, ProbeTree& tree) const {
        if (left == 0) {
            write(set, read | batch, batches - 1, probes, p, tree);
            return;
        }
        const int address = std::countr_zero(left);
        const std::uint32_t cut = cuts_[static_cast<std::size_t>(address)];
        tree.addresses[p] = address;
        left &= left - 1;
        write_batch(set & ~cut, read, batch, left, batches, probes, 2 * p + 1, tree);
        write_batch(set & cut, read, batch, left, batches, probes, 2 * p + 2, tree);
    }

    Table table_;
    std::span<const std::uint32_t> cuts_;
};

} // namespace kvproof
